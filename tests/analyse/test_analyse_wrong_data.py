"""A server that returns wrong data: no level passes, whatever its criteria allow."""

from types import SimpleNamespace
from typing import Any

import pytest
from null_run import Run, record, serve, workload

from headcount.analyse import level as level_of
from headcount.analyse.failures.summary import MOST_FAULTS, fault_results
from headcount.analyse.level import broke_first, reason_of
from headcount.analyse.observe import WRONG, observe
from headcount.bundle.level import FaultResult

PLACE = 'READ "headcount\\user00000\\s0001.doc" at offset 8192: not what was written'
CRITERION = "errors<90%"


def wrong(count: int, *examples: str) -> FaultResult:
    return FaultResult(step="read", kind="wrong-data", count=count, examples=list(examples))


REFUSED = FaultResult(step="open", kind="refused", count=5, examples=["STATUS_ACCESS_DENIED"])


@pytest.fixture(scope="module")
def run() -> Run:
    """A run without faults: tests replace the faults of its level."""
    return record(workload("open", "100ms", serve(0.001), criteria=[CRITERION]), 10, 1.3)


def level(run: Run, monkeypatch: pytest.MonkeyPatch, *faults: FaultResult) -> Any:
    monkeypatch.setattr(level_of, "fault_results", lambda *_: list(faults))
    return run.level(run.between(0.2, 1.2))


@pytest.mark.parametrize(
    ("faults", "reason"),
    [
        ([wrong(1, PLACE)], f"wrong data was read once, first: {PLACE}"),
        ([REFUSED, wrong(2, PLACE)], f"wrong data was read twice, first: {PLACE}"),
        (
            [wrong(1000, PLACE, "another"), wrong(234, "more")],
            f"wrong data was read 1,234 times, first: {PLACE}",
        ),
    ],
)
def test_a_single_mistake_fails_a_level_whose_criteria_hold(
    run: Run, monkeypatch: pytest.MonkeyPatch, faults: list[FaultResult], reason: str
) -> None:
    found = level(run, monkeypatch, *faults)
    assert [result.passed for result in found.criteria] == [True]
    assert found.outcome != "passed"
    assert reason in found.reasons
    assert reason_of(found, CRITERION) == reason
    assert broke_first(found, None) == f"at 10 users {reason}"


def test_the_search_counts_wrong_data_as_a_failure(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def passed(*faults: FaultResult) -> dict[str, bool]:
        seen = observe(level(run, monkeypatch, *faults), run.plan.criteria)
        return {constraint.name: constraint.passed for constraint in seen.constraints}

    assert passed(wrong(1, PLACE))[WRONG] is False
    assert passed(wrong(100_000, PLACE))[WRONG] is False
    assert passed(REFUSED)[WRONG] is passed()[WRONG] is True
    assert passed()[CRITERION] is True


def test_other_faults_are_left_to_the_criteria(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = level(run, monkeypatch, REFUSED)
    assert not any("wrong data" in reason for reason in found.reasons)


def test_wrong_data_is_kept_among_many_other_faults() -> None:
    others = [
        SimpleNamespace(step=step, kind="refused", group=1, count=100 + step, examples=[])
        for step in range(MOST_FAULTS + 5)
    ]
    mistake = SimpleNamespace(step=3, kind="wrong-data", group=1, count=1, examples=[PLACE])
    interval: Any = SimpleNamespace(faults=[*others, mistake])
    names = [f"step-{step}" for step in range(MOST_FAULTS + 5)]
    kept = fault_results([interval], names)
    assert len(kept) == MOST_FAULTS
    assert (kept[0].step, kept[0].kind, kept[0].examples) == ("step-3", "wrong-data", [PLACE])
    assert kept[1].count == 100 + MOST_FAULTS + 4
