"""Memory of a sort, and the paper's percentages."""

import pytest

from headcount.storage import gain, sort


def test_a_key_of_9_bytes_takes_16() -> None:  # S-01
    assert sort.rounded_key_bytes(9) == 16
    assert [sort.rounded_key_bytes(key) for key in (1, 8, 16, 20, 30)] == [8, 8, 16, 24, 32]


def test_one_observation_of_100_bytes_with_a_key_of_9() -> None:  # S-01
    rounded = (sort.rounded_key_bytes(9),)
    assert sort.sort_memory_bytes(rounded, observation_bytes=100, observations=1) == 127.6


def test_a_million_observations_with_four_keys() -> None:  # S-01
    rounded = tuple(sort.rounded_key_bytes(key) for key in (9, 8, 20, 30))
    assert rounded == (16, 8, 24, 32)
    found = sort.sort_memory_bytes(rounded, observation_bytes=184, observations=10**6)
    assert found == 290_400_000


def test_the_paper_s_data_set() -> None:  # S-01, S-02
    # 100 MB with four keys took 171 MB: keys of 55.5% of an observation, all rounded up.
    rounded = (136, 136, 136, 144)
    assert sum(rounded) / 1000 == pytest.approx(0.555, abs=0.004)
    found = sort.sort_memory_bytes(rounded, observation_bytes=1000, observations=100_000)
    assert round(found / 1e6) == 171
    used = 354 - 202
    assert used == 152
    assert round(171 / used, 3) == 1.125
    assert (1000 + sum(rounded)) * 100_000 / 1e6 == pytest.approx(155, abs=0.5)  # without the tenth


def test_the_hundred_byte_records_of_a_measured_sort() -> None:  # S-01
    rounded = (sort.rounded_key_bytes(10),)
    assert sort.sort_memory_bytes(rounded, 100, 3 * 10**6) == 382_800_000


def test_percentages_of_the_paper_are_time_saved() -> None:  # S-08
    assert round(gain.time_saved(57.8, 39.7), 3) == 0.313  # "31 %"
    single_fast_and_wide_s = 215 * (1 - 0.598)
    assert single_fast_and_wide_s == pytest.approx(86.4, abs=0.05)
    assert gain.time_saved(215, single_fast_and_wide_s) == pytest.approx(0.598, rel=1e-12)
    # The other reading does not agree with the chart: 215 s would be 59.8% more than 134.5 s,
    # and two drives that save 23% could not take 66.6 s.
    assert single_fast_and_wide_s * (1 - 0.23) == pytest.approx(66.6, abs=0.1)


def test_a_change_for_the_worse_saves_a_negative_share() -> None:
    assert gain.time_saved(10, 15) == -0.5
    assert gain.speed_up(10, 15) == pytest.approx(2 / 3, rel=1e-15)
