"""Predictions of simulated servers whose capacity is known, from levels below it and around it."""

from pathlib import Path

import pytest
from bench.search.capacity import capacity
from simulated_runs import DISKS, run

from headcount.analyse.prediction import Asked, Prediction, change, predict

BELOW = (0.2, 0.4, 0.55, 0.65, 0.7, 0.8)
AROUND = (0.3, 0.5, 0.7, 0.85, 1.0, 1.1)
SAME_DISKS = change.parse("disk", f"{DISKS}->{DISKS}")


def predicted(
    system: str, parts: tuple[float, ...], folder: Path, *asked: change.Change
) -> Prediction:
    users = [round(capacity(system) * part) for part in parts]
    return predict(run(system, users, folder), Asked(asked))


@pytest.mark.parametrize("system", ["cpu", "disk", "thrash"])
def test_the_capacity_is_predicted_from_levels_below_it(system: str, tmp_path: Path) -> None:
    found = predicted(system, BELOW, tmp_path, SAME_DISKS)
    assert found.measured is None  # no level broke the criterion
    assert found.capacity is not None
    assert found.capacity.users == pytest.approx(capacity(system), rel=0.08)
    assert found.outcome == "predicted", found.sentence
    assert found.binds == ("disk" if system == "disk" else "cpu")


@pytest.mark.parametrize("system", ["cpu", "disk"])
def test_the_interval_holds_the_capacity_from_levels_around_it(system: str, tmp_path: Path) -> None:
    found = predicted(system, AROUND, tmp_path, SAME_DISKS)
    assert found.capacity is not None
    assert found.capacity.low is not None
    assert found.capacity.high is not None
    assert found.capacity.low <= capacity(system) <= found.capacity.high
    assert found.measured == pytest.approx(capacity(system), rel=0.05)


def test_a_cliff_of_memory_is_refused(tmp_path: Path) -> None:
    found = predicted("memcliff", AROUND, tmp_path, SAME_DISKS)
    assert found.outcome == "not predictive"
    drifted = next(check for check in found.checks if check.name == "demands")
    assert drifted.passed is False
    assert drifted.value is not None
    assert drifted.value > 0.05
    assert "disk" in drifted.sentence
    assert "rises" in drifted.sentence


def test_too_low_levels_are_refused_with_what_to_measure(tmp_path: Path) -> None:
    found = predicted("cpu", (0.1, 0.2, 0.3, 0.4, 0.5), tmp_path)
    assert found.outcome == "not predictive"
    reach = next(check for check in found.checks if check.name == "reach")
    assert reach.passed is False
    assert reach.remedy is not None
    assert "measure a level of at least 6" in reach.remedy or "at least 7" in reach.remedy


def test_twice_the_disks_hold_about_twice_the_users_until_the_processors_bind(
    tmp_path: Path,
) -> None:
    # Exact networks of 24 and of 96 disks, solved apart, are the truth: processors of 9 ms, three
    # visits of 16 ms. Processors saturate at 4 / 9 ms = 444 scenarios/s, 24 disks at 500.
    twice = predicted("disk", AROUND, tmp_path, change.parse("disk", "12->24"))
    four = predicted("disk", AROUND, tmp_path, change.parse("disk", "12->48"))
    assert twice.capacity is not None
    assert four.capacity is not None
    assert 1.8 < twice.capacity.users / capacity("disk") < 2.1
    assert four.binds == "cpu"
    assert four.capacity.per_s < 4 / 0.009
    assert four.capacity.users < 4 / 0.009 * 5.25
