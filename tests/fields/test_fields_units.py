"""Durations, sizes and shares."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.errors import InputError
from headcount.fields.units import count, duration_text, seconds, share, size_bytes, with_unit


@pytest.mark.parametrize(
    ("text", "value_s"),
    [
        ("200ms", 0.2),
        ("30s", 30),
        ("5m", 300),
        ("1h30m", 5400),
        ("1.5 s", 1.5),
        ("10us", 1e-5),
        ("0s", 0),
        ("1h1m1s1ms", 3661.001),
        ("5", 5),
        ("1.5", 1.5),
        ("5 minutes", 300),
        ("10sec", 10),
        ("1hr30min", 5400),
    ],
)
def test_durations(text: str, value_s: float) -> None:
    assert seconds(text) == pytest.approx(value_s, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["", "s", "5x", "-5s", "-5", "5S", "1e3s", "5 fortnights", ".5s", "5s,", "1h30"]
)
def test_what_is_no_duration_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError, match=r"the think time is .*write it like 200ms, 30s"):
        seconds(text, "the think time")


def test_where_seconds_would_surprise_a_bare_number_is_refused() -> None:
    with pytest.raises(InputError, match=r'"8"; write it like 200ms'):
        seconds("8", "--seek", bare=False)


@pytest.mark.parametrize(("text", "kept"), [("10", "10s"), (" 1.5 ", "1.5s"), ("1h30m", "1h30m")])
def test_a_plan_keeps_a_duration_with_its_unit(text: str, kept: str) -> None:
    assert with_unit(text) == kept


@given(st.floats(0, 1e10))
def test_a_written_duration_is_read_as_it_was(value_s: float) -> None:
    assert math.isclose(seconds(duration_text(value_s)), value_s, rel_tol=1e-11, abs_tol=1e-18)


@given(st.integers(0, 10**9), st.sampled_from(["us", "ms", "s", "m", "h"]))
def test_a_duration_written_by_a_person_survives_exactly(number: int, unit: str) -> None:
    once = duration_text(seconds(f"{number}{unit}"))
    assert duration_text(seconds(once)) == once


@pytest.mark.parametrize(
    ("text", "size"),
    [
        (4096, 4096),
        ("4096", 4096),
        ("20MB", 20_000_000),
        ("16KiB", 16_384),
        ("16 KiB", 16_384),
        ("1.5kB", 1500),
        ("1GiB", 2**30),
        ("7B", 7),
        ("4K", 4096),
        ("4k", 4096),
        ("256M", 256 * 2**20),
        ("1G", 2**30),
        ("1.5T", 3 * 2**39),
        ("4TB", 4 * 10**12),
        ("4TiB", 4 * 2**40),
    ],
)
def test_sizes(text: str | int, size: int) -> None:
    assert size_bytes(text) == size


@pytest.mark.parametrize("text", ["", "MB", "5XB", "-1", "5kib", "5s", "1e6"])
def test_what_is_no_size_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InputError, match=r"the file is .*write it like 4096, 16KiB or 20MB"):
        size_bytes(text, "the file")


def test_a_size_beyond_all_files_is_refused() -> None:
    assert size_bytes(str(2**63 - 1)) == 2**63 - 1
    for text in (str(2**63), "9" * 400, "9" * 400 + "TB"):
        with pytest.raises(InputError, match="the file is far too large"):
            size_bytes(text, "the file")


@pytest.mark.parametrize(
    ("text", "number"),
    [("400", 400), ("1,000", 1000), ("1_000", 1000), ("1k", 1000), ("1.5K", 1500), ("1e3", 1000)],
)
def test_counts(text: str, number: int) -> None:
    assert count(text, "--users") == number


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("ten", '--users is "ten"; write a whole number'),
        ("10.5", '--users is "10.5"; write a whole number'),
        ("1,00", '--users is "1,00"; write a whole number'),
        ("", '--users is ""; write a whole number'),
        ("1e-3", "write a whole number"),
        ("0", "--users is 0; it must be from 1 to 1,000,000"),
        ("-5", "--users is -5; it must be from 1 to 1,000,000"),
        ("1e9", "--users is 1e9; it must be from 1 to 1,000,000"),
        ("1e99", "--users is 1e99; it must be from 1 to 1,000,000"),
    ],
)
def test_what_is_no_count_is_refused(text: str, part: str) -> None:
    with pytest.raises(InputError) as caught:
        count(text, "--users", 1_000_000)
    assert part in str(caught.value)


@given(st.integers(0, 10_000))
def test_a_share_is_the_nearest_number_to_what_was_written(hundredths: int) -> None:
    expected = float(Fraction(hundredths, 10_000))
    percent = f"{hundredths // 100}.{hundredths % 100:02}%"
    assert share(percent) == expected
    assert share(f"{hundredths / 10_000:.4f}") == expected


@pytest.mark.parametrize("text", ["101%", "1.01", "-1%", "5s", "", "%", "p5"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="at most 100%"):
        share(text)
