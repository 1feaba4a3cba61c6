"""file-copy is as it describes itself: types, sizes, the share of the server, the goals."""

from fractions import Fraction
from typing import Any

import pytest

from headcount import workloads
from headcount.plan.scenario import Scenario

KIB, MIB = 1024, 1 << 20
WORKLOAD = workloads.load("file-copy")
LIBRARY = WORKLOAD.library
SMALL = {
    f"{way}-{kind}{how}-64k"
    for way in ("get", "put")
    for kind in ("text", "image", "data", "mixed")
    for how in ("", "-compressed")
}
LARGE = {"get-office-1m", "put-office-1m"}
MOTORS = 600


def path_of(scenario: Scenario) -> dict[str, Any]:
    (path,) = [step.options["path"] for step in scenario.steps if "path" in step.options]
    return dict(path)


def classes_of(scenario: Scenario) -> list[str]:
    named = path_of(scenario)["class"]
    return [named] if isinstance(named, str) else named


def bytes_of(scenario: Scenario) -> int:
    """The size of a file of the scenario; all files that it may copy have the same."""
    assert LIBRARY is not None
    (size,) = {each.bytes for each in LIBRARY.classes if each.name in classes_of(scenario)}
    return size


def mean_bytes(*ways: str) -> Fraction:
    """The mean bytes of a transaction, in these directions alone."""
    total = sum(Fraction(scenario.weight) for scenario in WORKLOAD.scenarios)
    moved = [s for s in WORKLOAD.scenarios if s.name.split("-")[0] in ways]
    return sum((Fraction(s.weight) * bytes_of(s) for s in moved), Fraction(0)) / total


def test_sixteen_types_of_64_kb_and_the_special_set() -> None:
    assert len(SMALL) == 16
    assert {scenario.name for scenario in WORKLOAD.scenarios} == SMALL | LARGE
    for scenario in WORKLOAD.scenarios:
        size = 64 * KIB if scenario.name in SMALL else MIB
        assert bytes_of(scenario) == size
        assert scenario.limit == ("1s" if scenario.name in SMALL else "5s")


@pytest.mark.parametrize("scenario", WORKLOAD.scenarios, ids=lambda s: s.name)
def test_a_transaction_is_one_file_in_blocks_of_16_kb(scenario: Scenario) -> None:
    way, kind, *how, _ = scenario.name.split("-")
    moving = [step for step in scenario.steps if step.op in ("read", "write")]
    assert [(step.op, step.options["chunk_bytes"]) for step in moving] == [
        ("read" if way == "get" else "write", 16 * KIB)
    ]
    assert "bytes" not in moving[0].options  # the whole file
    assert path_of(scenario)["file"] == ("library" if way == "get" else "upload")
    kinds = ["text", "image", "data"] if kind == "mixed" else [kind]
    assert classes_of(scenario) == ["-".join([each, *how]) for each in kinds]


def test_contents_are_of_the_kind_that_the_class_is_called() -> None:
    assert LIBRARY is not None
    for each in LIBRARY.classes:
        kind, _, how = each.name.partition("-")
        assert each.content == (how or kind)


def test_the_server_sends_80_percent_of_the_bytes_as_was_the_goal() -> None:
    assert mean_bytes("get") / mean_bytes("get", "put") == Fraction(4, 5)
    for names in (SMALL, LARGE):
        some = [s for s in WORKLOAD.scenarios if s.name in names]
        gets = sum(s.weight for s in some if s.name.startswith("get-"))
        assert gets / sum(s.weight for s in some) == 0.8


def test_600_users_can_move_39_mb_per_second_within_the_limits() -> None:
    small = sum(s.weight for s in WORKLOAD.scenarios if s.name in SMALL)
    share = small / sum(s.weight for s in WORKLOAD.scenarios)
    assert share == 0.96
    never_waiting = MOTORS * float(mean_bytes("get", "put"))
    as_long_as_allowed = never_waiting / (1 + share * 1 + (1 - share) * 5)
    assert never_waiting == pytest.approx(63e6, rel=0.01)
    assert as_long_as_allowed == pytest.approx(29e6, rel=0.01)
    assert as_long_as_allowed < 39e6 < never_waiting
    per_motor = 39e6 / MOTORS
    assert per_motor == pytest.approx(65e3)


def test_the_standard_set_has_200_mb_and_a_mix_of_equal_parts() -> None:
    assert LIBRARY is not None
    standard = [each for each in LIBRARY.classes if each.bytes == 64 * KIB]
    assert sum(each.bytes * each.files for each in standard) == pytest.approx(200 * MIB, rel=0.001)
    assert len({each.files for each in standard}) == 1
    assert all(each.uploads > 0 for each in LIBRARY.classes)


def test_pace_levels_and_goals_are_those_of_1998_or_marked_as_ours() -> None:
    assert (WORKLOAD.pace.kind, WORKLOAD.pace.time.draw) == ("closed", "fixed")
    assert WORKLOAD.pace.time.mean_s == 1
    ladder = WORKLOAD.run.ladder
    assert ladder == [MOTORS * tenth // 10 for tenth in range(1, 11)]
    assert any("10% of 600 users" in text and "ours" in text for text in WORKLOAD.deviations)
    assert {"files-64k:mean<=1s", "files-1m:mean<=5s"} <= set(WORKLOAD.criteria)
    names = [scenario.name for scenario in WORKLOAD.scenarios]
    members = {group: {names[index] for index in some} for group, some in WORKLOAD.members.items()}
    assert members == {"files-64k": SMALL, "files-1m": LARGE}


def test_the_worked_example_is_shown() -> None:
    (example,) = [text for text in WORKLOAD.sources if "worked example" in text]
    for figure in ("600 motors", "39 MB/s", "80% CPU", "65 KB/s per motor", "75% (3:1)"):
        assert figure in example
