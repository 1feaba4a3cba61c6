"""Which failures explain a run."""

import pytest
from diagnosis_levels import level as made_level

from headcount.analyse.failures import failures_of
from headcount.analyse.failures.ranking import MOST_CHARACTERS
from headcount.bundle.level import FaultGroup, FaultResult, LevelResult
from headcount.report.failures import failure_text

FOUND = "GET /: status 302 Found instead of 200; redirects are not followed"
WAITED = "no answer within the time limit of a step"


def fault(kind: str, *groups: tuple[str, int], step: str = "home") -> FaultResult:
    return FaultResult(
        step=step,
        kind=kind,
        count=sum(number for _, number in groups),
        examples=[message for message, _ in groups],
        groups=[FaultGroup(message=message, count=number) for message, number in groups],
    )


def level(index: int, users: int, outcome: str, *faults: FaultResult) -> LevelResult:
    """A level of 3,000 scenarios, of which as many failed as there are faults."""
    failed = sum(each.count for each in faults)
    found = made_level(index, users, (3000 - failed) / 30, 0.01, 1.0, {})
    total = found.total.model_copy(
        update={"completed": 3000 - failed, "failed": failed, "overloaded": failed}
    )
    return found.model_copy(update={"outcome": outcome, "faults": list(faults), "total": total})


def test_without_faults_there_are_no_failures() -> None:
    assert failures_of([]) == []
    assert failures_of([level(1, 10, "passed")]) == []


def test_failures_of_the_first_failed_level_come_first() -> None:
    levels = [
        level(1, 10, "passed", fault("refused", (FOUND, 3))),
        level(2, 40, "failed", fault("refused", (FOUND, 60)), fault("timeout", (WAITED, 2))),
        level(3, 160, "failed", fault("timeout", (WAITED, 2500))),
    ]
    first, second = failures_of(levels)
    assert (first.id, first.cause, first.step) == ("http-redirect", "request", "home")
    assert (first.count, first.users) == (63, 10)
    assert first.share == pytest.approx(3 / 3000)
    assert (second.id, second.count, second.users) == ("timeout", 2502, 40)


def test_messages_with_one_meaning_are_one_failure_at_a_step() -> None:
    lines = [("GET /a: status 404 Not Found", 5), ("GET /b: status 404 Not Found", 7)]
    here, there = fault("refused", *lines), fault("refused", lines[0], step="cart")
    found = failures_of([level(1, 10, "failed", here, there)])
    assert [(one.step, one.count) for one in found] == [("home", 12), ("cart", 5)]
    assert found[0].message == lines[0][0]


def test_messages_without_a_rule_are_grouped_by_their_words() -> None:
    odd = fault("refused", ("the lift is out of order", 3), ("the cat is on the roof", 9))
    found = failures_of([level(1, 10, "failed", odd)])
    assert [one.message for one in found] == ["the cat is on the roof", "the lift is out of order"]


def test_at_most_three_failures_are_kept_and_their_messages_cut() -> None:
    odd = fault("refused", *((f"{name} " * 200, 5) for name in ("a", "b", "c", "d")))
    found = failures_of([level(1, 10, "failed", odd)])
    assert len(found) == 3
    assert all(len(one.message) == MOST_CHARACTERS + 3 for one in found)


def test_a_bundle_of_an_older_version_has_examples_only() -> None:
    old = FaultResult(step="home", kind="refused", count=9, examples=[FOUND])
    (found,) = failures_of([level(1, 10, "failed", old)])
    assert (found.id, found.count, found.message) == ("http-redirect", 9, FOUND)


def test_the_sentence_has_meaning_number_place_share_and_message() -> None:
    (found,) = failures_of([level(1, 10, "failed", fault("refused", (FOUND, 300)))])
    assert failure_text(found) == (
        "The server redirects to another address instead of answering "
        f'(300 times at "home", 10.0% of scenarios at 10 users): {FOUND}'
    )
