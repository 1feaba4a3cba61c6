"""What every report predicts: the capacity with twice of each resource."""

from pathlib import Path

import pytest
from bench.search.capacity import capacity
from simulated_runs import run
from test_prediction_simulated import AROUND

from headcount.analyse.prediction import Asked, change, predict
from headcount.analyse.prediction.doubled import doubled_predictions
from headcount.bundle.reader import Bundle


def bundle(folder: Path, system: str = "cpu") -> Bundle:
    return run(system, [round(capacity(system) * part) for part in AROUND], folder)


def test_each_prediction_equals_one_asked_for_alone(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    predictions = doubled_predictions(made)
    # The speed of the network is not known, so nothing is predicted for twice of it.
    assert [one.changes for one in predictions] == [
        ["CPU 4.00 cores -> 8.00 cores"],
        ["1 disk -> 2 disks"],
    ]
    for one, kind in zip(predictions, ("cpu", "disk"), strict=True):
        assert one == predict(made, Asked([change.parse(kind, "2x")]))  # type: ignore[arg-type]


def test_only_twice_the_full_resource_holds_more_users(tmp_path: Path) -> None:
    cpu, disk = doubled_predictions(bundle(tmp_path, "disk"))
    assert (cpu.bound_now, disk.bound_now) == ("disk", "disk")
    assert cpu.capacity is not None
    assert disk.capacity is not None
    assert cpu.measured is not None
    assert cpu.capacity.users == pytest.approx(cpu.measured, rel=0.1)
    assert disk.capacity.users > 1.3 * cpu.measured


def test_without_response_time_criteria_there_are_no_predictions(tmp_path: Path) -> None:
    made = bundle(tmp_path)
    workload = made.plan.workload.model_copy(update={"criteria": ["errors<1%"]})
    plan = made.plan.model_copy(update={"workload": workload})
    assert doubled_predictions(Bundle(tmp_path, plan, None, made.levels, None)) == []
