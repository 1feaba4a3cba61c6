"""RAID levels: the paper's rules, the usual write penalties, and what the model cannot tell."""

from fractions import Fraction

import pytest

from headcount.errors import InputError
from headcount.storage import advice, gain, raid
from headcount.storage.levels import LEVELS, level
from headcount.storage.raid import Array

TB = 10**12


@pytest.mark.parametrize(
    ("name", "minimum", "survives", "penalty"),
    [
        ("0", 2, 0, 1),
        ("1", 2, 1, 2),
        ("0/1", 4, 1, 2),
        ("3", 3, 1, None),
        ("4", 3, 1, None),
        ("5", 3, 1, 4),
        ("6", 4, 2, 6),
        ("7", 5, 3, None),
    ],
)
def test_the_levels(name: str, minimum: int, survives: int, penalty: int | None) -> None:
    found = level(name)
    assert found.name == name
    assert (found.minimum_drives, found.survives, found.write_penalty) == (
        minimum,
        survives,
        penalty,
    )


def test_every_level_is_tested_above() -> None:
    assert [one.name for one in LEVELS] == ["0", "1", "0/1", "3", "4", "5", "6", "7"]


@pytest.mark.parametrize(
    ("name", "data_drives"),
    [("0", 6), ("1", 3), ("0/1", 3), ("3", 5), ("4", 5), ("5", 5), ("6", 4), ("7", 3)],
)
def test_usable_capacity_of_six_drives(name: str, data_drives: int) -> None:
    assert Array(level(name), 6).capacity(4 * TB).value == data_drives * 4 * TB


@pytest.mark.parametrize("one", LEVELS, ids=lambda one: one.name)
def test_failures_survived_follow_from_the_redundancy(one) -> None:
    # An independent count: lose any `survives` drives, and the rest still holds the data; for
    # parity the rest is at least the drives of data, for pairs one of each is left.
    drives = one.minimum_drives
    data = Array(one, drives).capacity(1).value
    assert drives - one.survives >= data
    if one.copies == 1:
        assert drives - one.survives == data


@pytest.mark.parametrize(
    ("name", "iops"), [("0", 600), ("1", 461.5), ("0/1", 461.5), ("5", 315.8), ("6", 240)]
)
def test_functional_iops_of_four_drives_with_70_percent_reads(name: str, iops: float) -> None:
    found = Array(level(name), 4).iops(drive_iops=150, reads=0.7).value
    assert round(found, 1) == iops
    penalty = level(name).write_penalty or 0
    exact = Fraction(600) / (Fraction(7, 10) + Fraction(3, 10) * penalty)
    assert found == pytest.approx(float(exact), rel=1e-14)


def test_a_mix_is_worked_off_access_by_access() -> None:
    # Independent: 10 I/Os of which 7 read cost 7 + 3 x 4 = 19 accesses; 4 drives make 600 a second.
    assert Array(level("5"), 4).iops(150, 0.7).value == pytest.approx(600 / 19 * 10, rel=1e-14)


def test_the_order_of_the_levels() -> None:
    found = {one: Array(level(one), 4).iops(150, 0.5).value for one in ("0", "0/1", "5", "6")}
    assert sorted(found, key=lambda one: -found[one]) == ["0", "0/1", "5", "6"]


def test_the_model_is_harder_on_raid_5_than_the_paper_s_sort_was() -> None:
    # A sort writes as much as it reads, but in long runs, which fill whole stripes.
    iops = {one: Array(level(one), 4).iops(150, 0.5).value for one in ("0", "5")}
    assert gain.time_saved(1 / iops["5"], 1 / iops["0"]) == pytest.approx(0.60, rel=1e-12)
    implied_penalty = (1 / (1 - 0.44) - 0.5) / 0.5
    assert implied_penalty == pytest.approx(2.57, abs=0.005)
    slowed = raid.functional_iops(4, 150, 0.5, implied_penalty)
    assert gain.time_saved(1 / slowed, 1 / iops["0"]) == pytest.approx(0.44, rel=1e-12)


def test_the_claim_of_half_as_much_again_did_not_hold() -> None:
    claimed_saving = 1 - 1 / 1.5
    measured = {"standard": 0.36, "fast": 0.287, "fast and wide": 0.23, "ultra": 0.192}
    below = [name for name, saved in measured.items() if saved < claimed_saving]
    assert below == ["fast", "fast and wide", "ultra"]
    assert "19 to 36%" in advice.NO_HALF.text
    assert advice.NO_HALF in advice.level_advice(level("0"))


def test_the_case_of_the_appendix() -> None:
    assert gain.speed_up(before_s=120 * 60, after_s=40 * 60) == 3.0
    assert gain.speed_up(before_s=150 * 60, after_s=20 * 60) == 7.5


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        ("0", {"R-04", "R-08"}),
        ("1", {"R-09", "R-12", "R-13"}),
        ("0/1", {"R-12", "R-13"}),
        ("3", {"R-14"}),
        ("4", {"R-14"}),
        ("5", {"R-12", "R-07"}),
        ("6", {"R-12"}),
        ("7", {"R-12"}),
    ],
)
def test_advice_of_a_level(name: str, rules: set[str]) -> None:
    found = {one.rule for one in advice.level_advice(level(name))}
    assert found == rules | {"R-10", "R-11", "R-15"}


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("5", "5"),
        ("raid5", "5"),
        ("RAID 5", "5"),
        ("RAID-6", "6"),
        ("10", "0/1"),
        ("01", "0/1"),
        ("0+1", "0/1"),
        ("1+0", "0/1"),
        ("RAID 10", "0/1"),
        ("mirroring", "1"),
        ("Striping", "0"),
    ],
)
def test_names_of_a_level(written: str, name: str) -> None:
    assert level(written).name == name


def test_all_levels_side_by_side() -> None:
    compared = raid.compare(4, 4 * TB, 150, 0.7)
    answers = {one.name: {answer.name for answer in found} for one, found in compared.items()}
    assert set(answers) == {"0", "1", "0/1", "3", "4", "5", "6"}
    for one, names in answers.items():
        assert "usable_bytes" in names
        assert ("functional_iops" in names) == (one not in {"3", "4"})


@pytest.mark.parametrize(
    ("drives", "names"),
    [(2, ["0", "1"]), (3, ["0", "3", "4", "5"]), (5, ["0", "3", "4", "5", "6", "7"])],
)
def test_only_what_can_be_built_is_compared(drives: int, names: list[str]) -> None:
    assert [one.name for one in raid.compare(drives, None, None, None)] == names
    for one in LEVELS:
        if one.name in names:
            assert Array(one, drives).drives == drives
        else:
            with pytest.raises(InputError, match="drives"):
                Array(one, drives)
