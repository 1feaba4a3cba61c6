"""Ratios are compared with those of another version where that means something."""

import pytest
from bench.gate.comparison import Compared, compare
from bench.gate.results import Measured, Results
from gate_files import MACHINE, measured, results

NEAR = [1.00, 1.02, 1.01, 0.99, 1.03]
HIGH = [2 * value for value in NEAR]


def one(after: Results, before: Results | None) -> Compared:
    (found,) = compare(after, before)
    return found


def test_a_slower_machine_changes_no_ratio_to_a_peer() -> None:
    before = results(measured("one", NEAR, [2.0] * 5))
    slow = results(measured("one", [9 * value for value in NEAR], [18.0] * 5))
    assert one(slow, before).first == one(before, before).first
    assert not one(slow, before).is_worse
    worse = results(measured("one", HIGH, [2.0] * 5))
    assert one(worse, before).is_worse
    assert one(before, worse).text.startswith("50.0% better")


@pytest.mark.parametrize(
    ("unit", "machine", "is_compared"),
    [
        ("µs", MACHINE, True),
        ("µs", MACHINE | {"processors": 4}, False),
        ("s", MACHINE | {"processor": "Another CPU"}, False),
        ("µs", MACHINE | {"kernel": "6.2"}, True),
        ("KiB", MACHINE | {"processors": 4}, True),
    ],
)
def test_times_beside_a_bar_are_compared_on_the_same_machine_only(
    unit: str, machine: dict[str, str | int], is_compared: bool
) -> None:
    before = results(measured("one", NEAR, bar=4.0, unit=unit))
    after = results(measured("one", HIGH, bar=4.0, unit=unit), machine=machine)
    found = one(after, before)
    assert found.is_worse == is_compared
    assert (found.text == "not compared: another machine") == (not is_compared)


@pytest.mark.parametrize(("before_load", "after_load"), [(0.5, 9.0), (9.0, 0.5), (9.0, 9.0)])
def test_times_beside_a_bar_are_not_compared_if_others_used_the_machine(
    before_load: float, after_load: float
) -> None:
    before = results(measured("one", NEAR, [2.0] * 5, bar=4.0, load_before=before_load))
    after = results(measured("one", HIGH, [2.0] * 5, bar=4.0, load_before=after_load))
    found = {each.ratio.reference: each for each in compare(after, before)}
    assert found["bar"].text == "not compared: the machine was busy"
    assert not found["bar"].is_worse
    assert found["peer"].is_worse


def test_items_that_another_version_lacks_are_not_compared() -> None:
    after = results(measured("one", NEAR, bar=4.0))
    assert one(after, None).text == ""
    assert one(after, results()).text == "new"
    assert one(after, results(measured("two", NEAR, bar=4.0))).text == "new"
    other_bar = results(measured("one", NEAR, bar=3.0))
    assert one(after, other_bar).text == "not compared: another bar"
    assert not any(one(after, other).is_worse for other in (None, results(), other_bar))


def repeated(values: list[float]) -> Measured:
    rounds = [{"headcount": {"CPU": value}} for value in values]
    return measured("one", HIGH, bar=4.0, repeated=rounds)


def test_a_regression_that_a_repeat_does_not_confirm_is_not_worse() -> None:
    before = results(measured("one", NEAR, bar=4.0))
    confirmed, refuted = (one(results(repeated(values)), before) for values in (HIGH, NEAR))
    assert confirmed.is_worse
    assert "; confirmed by a repeat: 100.0% worse" in confirmed.text
    assert not refuted.is_worse
    assert "; not confirmed by a repeat: no change" in refuted.text


def test_a_bar_is_missed_by_the_median_round() -> None:
    def misses(values: list[float]) -> bool:
        return one(results(measured("one", values, bar=1.0)), None).misses_bar

    assert misses([0.9, 1.1, 1.2])
    assert not misses([0.9, 1.0, 1.2])
    assert not misses([0.9, 0.95, 9.0])
    peer = results(measured("one", [3.0] * 3, [1.0] * 3))
    assert not one(peer, None).misses_bar
