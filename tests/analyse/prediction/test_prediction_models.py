"""Predictions of servers that are exactly what the models assume."""

from pathlib import Path

import pytest
from diagnosis_levels import QUIET, Server, level, queue
from repairman import FACTORS, plan, quota, truth

from headcount.analyse.prediction import Asked, Prediction, change, predict
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.errors import InputError


def predicted(levels: list[LevelResult], folder: Path, mean_s: float, asked: Asked) -> Prediction:
    criterion = f"mean<={mean_s * 1000:g}ms"
    bundle = Bundle(folder, plan(criterion, [each.users for each in levels]), None, levels, None)
    return predict(bundle, asked)


@pytest.mark.parametrize(
    ("cores", "service_s", "factor"),
    [(1, 0.01, 2.0), (2, 0.005, 0.5), (2, 0.03, 1.5), (3, 0.02, 2.0)],
)
def test_other_numbers_of_cpus_are_predicted(
    tmp_path: Path, cores: int, service_s: float, factor: float
) -> None:
    think_s, mean_s = 100 * service_s, 8 * service_s
    now = truth(cores, service_s, think_s, mean_s)
    then = max(round(cores * factor), 1)
    levels = quota(cores, service_s, think_s, [now * part for part in FACTORS])
    found = predicted(levels, tmp_path, mean_s, Asked([change.parse("cpu", str(then))]))
    assert found.outcome == "predicted", found.sentence
    assert found.capacity is not None
    assert found.now is not None
    assert found.measured == pytest.approx(now, rel=0.01)
    assert found.now.users == pytest.approx(now, rel=0.02)
    assert found.capacity.users == pytest.approx(truth(then, service_s, think_s, mean_s), rel=0.03)
    assert found.demands[0].demand == pytest.approx(service_s, rel=0.001)
    assert found.binds == "cpu"
    # The curve keeps within the asymptotic bounds and grows.
    rates = [point.per_s for point in found.curve]
    assert [round(rate, 6) for rate in rates] == sorted(round(rate, 6) for rate in rates)
    assert max(rates) <= then / service_s * (1 + 1e-9)
    assert all(p.per_s <= p.users / (think_s + service_s) * (1 + 1e-6) for p in found.curve)


def test_more_cpus_never_hold_fewer_users(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    users = []
    for cores in ("0.5", "1.5", "3"):
        found = predicted(levels, tmp_path, 0.08, Asked([change.parse("cpu", cores)]))
        assert found.capacity is not None
        users.append(found.capacity.users)
    assert users == sorted(users)


def test_the_outlook_for_users_has_response_times_and_needs(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    found = predicted(levels, tmp_path, 0.08, Asked(users=round(2 * now)))
    outlook = found.for_users
    assert outlook is not None
    assert not outlook.meets
    # Far beyond the knee, R = N / X_max - Z.
    assert outlook.expected.response_ms == pytest.approx(
        1000 * (round(2 * now) / 100 - 1), rel=0.01
    )
    cpu = next(need for need in outlook.needs if need.resource == "cpu")
    assert cpu.factor == pytest.approx(1.96, rel=0.05)
    # With that much, the criterion is just met.
    enough = Asked([change.parse("cpu", f"{cpu.needed + 1e-4:.6f}")], users=round(2 * now))
    again = predicted(levels, tmp_path, 0.08, enough)
    assert again.for_users is not None
    assert again.for_users.meets
    assert again.for_users.expected.criterion == pytest.approx(1, rel=0.05)
    few = predicted(levels, tmp_path, 0.08, Asked(users=round(now / 2)))
    assert few.for_users is not None
    assert few.for_users.meets
    assert all(need.factor in (None, pytest.approx(1.0)) for need in few.for_users.needs)


def failing(found: Prediction) -> set[str]:
    return {check.name for check in found.checks if check.passed is False}


def test_predictions_far_beyond_the_measured_levels_are_refused(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    found = predicted(levels, tmp_path, 0.08, Asked([change.parse("cpu", "16x")]))
    assert "measured" in failing(found)
    assert found.outcome == "not predictive"
    assert "did 6." in next(c.sentence for c in found.checks if c.name == "measured")


def test_memory_is_refused_unless_the_disk_plays_no_part(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    more = predicted(levels, tmp_path, 0.08, Asked(memory_bytes=128e9))
    assert "memory" not in failing(more)
    less = predicted(levels, tmp_path, 0.08, Asked(memory_bytes=16e9))
    assert failing(less) == {"memory"}
    assert "three sizes" in less.sentence


def test_lost_users_break_littles_law(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = [
        each.model_copy(update={"little_error": 0.018})
        for each in quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    ]
    assert "little" in failing(predicted(levels, tmp_path, 0.08, Asked()))


def test_a_demand_that_grows_is_refused(tmp_path: Path) -> None:
    levels = []
    now = truth(1, 0.01, 1.0, 0.08)
    for index, part in enumerate(FACTORS, 1):
        service_s = 0.01 * (1 + 0.3 * max(part - 0.7, 0))
        users = round(now * part)
        found = queue(users, 1, service_s, 1.0)
        counters = QUIET | {
            "cgroup.cpu.utilization": found.per_s * service_s,
            "cgroup.cpu.limit": 1.0,
        }
        levels.append(level(index, users, found.per_s, found.response_s, 1.0, counters))
    assert "demands" in failing(predicted(levels, tmp_path, 0.08, Asked()))


def test_too_few_levels_fail_the_hold_out_check(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in (0.6, 0.85, 1.05)])
    assert "hold-out" in failing(predicted(levels, tmp_path, 0.08, Asked()))


def test_a_limit_that_no_hardware_moves_is_refused(tmp_path: Path) -> None:
    # A lock: throughput is flat while nothing is near its end.
    busy = {"system.cpu.utilization": 0.3}
    server = Server(places=1, service_s=0.01, think_s=1.0, quiet=QUIET, loud=busy)
    levels = server.levels((0.3, 0.5, 0.8, 1.0, 1.3, 2.0))
    found = predicted(levels, tmp_path, 0.08, Asked([change.parse("cpu", "2x")]))
    assert found.outcome == "not predictive"
    assert "reach" in failing(found)


def test_unusable_levels_are_left_out_or_refused(tmp_path: Path) -> None:
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    broken = levels[2].model_copy(update={"index": 9, "little_error": 0.3})
    found = predicted([*levels, broken], tmp_path, 0.08, Asked())
    assert [sentence.split(":")[0] for sentence in found.levels_left_out] == [
        f"level 9 ({broken.users} users)"
    ]
    assert found.levels_used == [each.index for each in levels]
    with pytest.raises(InputError, match="takes at least two"):
        predicted(levels[:1], tmp_path, 0.08, Asked())
    with pytest.raises(InputError, match="cannot be predicted"):
        predicted(levels, tmp_path, 0.08, Asked(criterion="errors<1%"))


def test_no_counters_no_prediction(tmp_path: Path) -> None:
    bare = [
        each.model_copy(update={"counters": {"sut": {}, "generator": {}}})
        for each in quota(1, 0.01, 1.0, [30, 60, 90, 110])
    ]
    with pytest.raises(InputError, match=r"no counters of the server's machine.* --source ssh://"):
        predicted(bare, tmp_path, 0.08, Asked())


def test_use_that_does_not_grow_with_users_predicts_nothing(tmp_path: Path) -> None:
    found = [(users, queue(users, 1, 0.01, 1.0)) for users in (30, 60, 90, 110)]
    levels = [
        level(index, users, each.per_s, each.response_s, 1.0, QUIET)
        for index, (users, each) in enumerate(found, 1)
    ]
    with pytest.raises(InputError, match=r"not clearly grow with the users\. Measure more levels"):
        predicted(levels, tmp_path, 0.08, Asked())
