"""Where a curve flattens out: known curves, noise that must not count, and a brute-force oracle."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from null_run import Run, plan_of, prompt, record, serve, workload
from scipy import stats

from headcount.analyse.plateau import MARGIN, Reading, between, plateau, plateaus
from headcount.analyse.times import rate_interval
from headcount.analyse.verdict import of_levels
from headcount.bundle.level import LevelResult, Steadiness
from headcount.plan.plan import Plan
from headcount.plan.workload import Workload

LADDER = [1, *range(4, 61, 4)]
"""WebBench's."""


def exact(curve: dict[int, float], noise: float = 0.0) -> list[Reading]:
    return [Reading(n, x, x * (1 - noise), x * (1 + noise)) for n, x in curve.items()]


def saturating(most: float, at: float) -> dict[int, float]:
    return {users: most * min(users / at, 1.0) for users in LADDER}


def test_the_saturation_point_is_the_smallest_load_on_the_plateau() -> None:
    # As the IBM PC Server 330 report describes its curves: sharp to 8, a peak at 12, a slight dip.
    curve = saturating(1000.0, 12) | {16: 990.0, 20: 985.0, 24: 992.0}
    found = plateau(exact(curve, 0.01))
    assert found is not None
    assert (found.flattened, found.users, found.above_users) == (True, 12, 8)
    assert (found.value_per_s, found.most_users, found.most_per_s) == (1000.0, 12, 1000.0)
    assert found.interval_per_s == pytest.approx((990.0, 1010.0))
    assert found.stress_users is None
    assert found.sentence == (
        "Throughput flattened out at 12 users (not yet at 8): 1,000 scenarios/s "
        "(95% confidence interval 990 to 1,010)."
    )


def test_users_have_commas_between_thousands() -> None:
    curve = {1000: 100.0, 2000: 200.0, 3000: 300.0, 6000: 300.0, 9000: 300.0}
    found = plateau(exact(curve, 0.01))
    assert found is not None
    assert "flattened out at 3,000 users (not yet at 2,000): " in found.sentence


def test_a_curve_that_still_rises_has_no_saturation_point() -> None:
    found = plateau(exact(saturating(1000.0, 60), 0.01))
    assert found is not None
    assert (found.flattened, found.users, found.value_per_s) == (False, None, None)
    assert (found.most_users, found.most_per_s) == (60, 1000.0)
    assert "still rising at 60 users" in found.sentence


def test_too_much_noise_is_not_a_plateau() -> None:
    # From 56 to 60 users proportional growth is 7 %, which an interval of 10 % cannot exclude.
    curve = {users: float(users) for users in LADDER}
    found = plateau(exact(curve, 0.1))
    assert found is not None
    assert not found.flattened
    assert "noise is too great" in found.sentence


def test_a_rise_inside_the_noise_does_not_count() -> None:
    curve = {1: 100.0, 10: 1000.0, 20: 1040.0, 40: 1030.0}
    sharp, blurred = plateau(exact(curve, 0.005)), plateau(exact(curve, 0.05))
    assert sharp is not None
    assert blurred is not None
    assert (sharp.users, blurred.users) == (20, 10)
    assert blurred.most_users == 20


def test_small_steps_that_add_up_are_a_rise() -> None:
    curve = {users: 1000.0 * 1.015**step for step, users in enumerate(LADDER)}
    found = plateau(exact(curve, 0.001))
    assert found is not None
    # Each step is below the margin; the last level is beaten by none and the one before neither.
    assert found.users == LADDER[-2]
    assert curve[LADDER[-1]] / curve[LADDER[-2]] < 1 + MARGIN < curve[60] / curve[LADDER[-3]]


def test_the_stress_point_is_the_last_load_before_throughput_falls() -> None:
    curve = saturating(1000.0, 12) | {users: 1000.0 - 10 * (users - 24) for users in (28, 32, 36)}
    curve |= {users: 700.0 for users in LADDER if users > 36}
    found = plateau(exact(curve, 0.01))
    assert found is not None
    assert (found.users, found.stress_users) == (12, 24)
    assert found.sentence.endswith(" More than 24 users gave less.")
    gone = plateau(exact(curve | {60: 0.0}, 0.0))
    assert gone is not None
    assert gone.stress_users == 24


@pytest.mark.parametrize("curve", [{}, {1: 5.0}, {1: 5.0, 2: 9.0}, {1: 0.0, 2: 0.0, 3: 0.0}])
def test_too_little_data_has_no_plateau(curve: dict[int, float]) -> None:
    assert plateau(exact(curve)) is None


def test_levels_of_the_same_load_are_averaged() -> None:
    readings = [*exact({10: 90.0, 20: 100.0, 40: 100.0}, 0.01), *exact({10: 110.0}, 0.01)]
    found = plateau(readings)
    assert found is not None
    assert (found.users, found.value_per_s) == (10, pytest.approx(100.0))
    low, high = found.interval_per_s or (0.0, 0.0)
    assert high - low == pytest.approx(2 * math.hypot(0.9, 1.1) / 2)


@given(st.lists(st.floats(1, 1e6), min_size=3, max_size=12), st.integers(0, 12))
def test_without_noise_it_is_the_first_unbeaten_level(drawn: Sequence[float], top: int) -> None:
    values = [*sorted(drawn[:top]), *sorted(drawn[top:], reverse=True)]
    curve = {2**step: value for step, value in enumerate(values)}
    found = plateau(exact(curve))
    assert found is not None
    first = next(
        users
        for users, value in curve.items()
        if all(x <= value * (1 + MARGIN) for n, x in curve.items() if n > users)
    )
    assert found.users == (first if first != 2 ** (len(values) - 1) else None)
    if found.stress_users is not None:
        beyond = [x for n, x in curve.items() if n > found.stress_users]
        assert beyond
        assert max(beyond) * (1 + MARGIN) < max(values)


def test_a_flat_curve_is_seldom_taken_for_a_rising_one() -> None:
    random = np.random.default_rng(7)
    wrong, runs = 0, 400
    for _ in range(runs):
        readings = []
        for users in LADDER:
            rates = random.normal(1000.0, 60.0, 10)
            low, high = rate_interval([(rate, 1.0) for rate in rates]) or (0.0, 0.0)
            readings.append(Reading(users, float(rates.mean()), low, high))
        found = plateau(readings)
        assert found is not None
        wrong += found.users != 1
    assert wrong / runs < 0.1


def test_levels_that_differ_by_more_than_their_own_noise_widen_it() -> None:
    # A machine shared with others: each level is steady, but levels differ by chance.
    random = np.random.default_rng(11)
    found = []
    for _ in range(300):
        luck = random.normal(1.0, 0.04, len(LADDER))
        curve = {n: 1000.0 * x for n, x in zip(LADDER, luck, strict=True)}
        found.append(between(exact(curve, 0.002)))
    assert np.median(found) == pytest.approx(0.04, rel=0.25)
    flat = [
        plateau(exact({n: 1000.0 * x for n, x in zip(LADDER, luck, strict=True)}, 0.002))
        for luck in random.normal(1.0, 0.04, (300, len(LADDER)))
    ]
    assert sum(one is None or one.users != 1 for one in flat) / len(flat) < 0.15


def test_a_curve_that_rises_and_falls_has_no_noise_of_its_own() -> None:
    curve = saturating(1000.0, 12) | {n: 1000.0 - 10 * (n - 24) for n in range(28, 61, 4)}
    assert between(exact(curve, 0.01)) == 0.0
    assert between(exact({1: 5.0, 2: 0.0, 3: 4.0})) == 0.0
    # By hand: the best curve is 1, 2, 2.5, 2.5 in logarithms; one degree of freedom is left.
    steps = {n: math.exp(x) for n, x in ((1, 1.0), (2, 2.0), (3, 2.6), (4, 2.4), (5, 3.0))}
    assert between(exact(steps)) == pytest.approx(math.sqrt(2 * 0.1**2))


def test_a_lucky_last_level_is_not_a_rise() -> None:
    # Five levels of a server on a machine that others used as well.
    curve = {1: 6612.0, 2: 7210.0, 4: 6973.0, 8: 6712.0, 16: 7815.0}
    found = plateau(exact(curve, 0.01))
    assert found is not None
    assert (found.users, found.above_users, found.most_users) == (2, 1, 16)


def test_the_interval_of_a_rate_is_students_t() -> None:
    counts = [98, 104, 100, 97, 110, 95, 101, 99, 103, 93]
    low, high = rate_interval([(count, 2.0) for count in counts]) or (0.0, 0.0)
    rates = [count / 2 for count in counts]
    wanted = stats.t.interval(0.95, 9, loc=np.mean(rates), scale=stats.sem(rates))
    assert (low, high) == pytest.approx(wanted)
    assert rate_interval([(1.0, 1.0)] * 4) is None


@pytest.fixture(scope="module")
def run() -> Run:
    return record(workload("closed", "20ms", serve(0.001), criteria=["p95<=200ms"]), 5, 5.8)


@pytest.fixture(scope="module")
def sample(run: Run) -> LevelResult:
    """A level that counts and was steady, whatever the machine did."""
    steady = Steadiness(steady=True, settled_after_s=0.0, reasons=[])
    found = {"outcome": "passed", "reasons": [], "steadiness": steady}
    return prompt(run.level(run.between(0.2, 5.7)).model_copy(update=found))


def test_a_level_says_how_sure_its_rate_is(run: Run) -> None:
    window = run.between(0.2, 5.7)
    total = run.level(window).total
    parts = [part.pool() for part in window.split(1.0)]
    rates = [part.completed / part.window.seconds for part in parts]
    whole = sum(part.completed for part in parts) / window.seconds
    half = stats.t.ppf(0.975, len(rates) - 1) * math.sqrt(
        sum((rate - whole) ** 2 for rate in rates) / (len(rates) - 1) / len(rates)
    )
    assert len(rates) >= 5
    assert total.rate_interval_per_s == pytest.approx((whole - half, whole + half))
    assert run.level(run.between(0.2, 2.0)).total.rate_interval_per_s is None


def level(sample: LevelResult, users: int, rate: float, **more: Any) -> LevelResult:
    total = sample.total.model_copy(
        update={
            "rate_per_s": rate,
            "rate_interval_per_s": (rate * 0.99, rate * 1.01),
            "read_bytes_per_s": rate * 1000,
            "written_bytes_per_s": 0.0,
            "bytes_interval_per_s": (rate * 980, rate * 1020),
        }
    )
    changes = {"users": users, "achieved_per_s": rate, "total": total}
    return sample.model_copy(update=changes | more)


def ladder(run: Run, users: Sequence[int], *, wanted: bool) -> Plan:
    values = run.plan.workload.model_dump(exclude_none=True)
    values["run"] |= {"ladder": list(users), "plateau": wanted}
    return plan_of(Workload.model_validate(values), list(users), mode="ladder")


def test_a_ladder_reports_where_both_curves_flatten_out(run: Run, sample: LevelResult) -> None:
    levels = [level(sample, n, x) for n, x in ((1, 90.0), (4, 300.0), (8, 300.0), (16, 300.0))]
    wanted = of_levels(ladder(run, (1, 4, 8, 16), wanted=True), levels, 9.0, "finished")
    assert [(p.figure, p.users, p.above_users) for p in wanted.plateaus] == [
        ("scenarios", 4, 1),
        ("bytes", 4, 1),
    ]
    assert wanted.sentence == wanted.plateaus[0].sentence
    assert wanted.plateaus[1].sentence.startswith(
        "Throughput flattened out at 4 users (not yet at 1): 0.30 MB/s"
    )
    assert wanted.flags == []
    other = of_levels(ladder(run, (1, 4, 8, 16), wanted=False), levels, 9.0, "finished")
    assert other.plateaus == wanted.plateaus
    assert other.sentence == "16 users passed at 300 scenarios/s."


def test_an_invalid_level_is_not_on_the_curve(run: Run, sample: LevelResult) -> None:
    levels = [level(sample, n, 100.0 * n) for n in (1, 2, 4)]
    levels.append(level(sample, 8, 400.0, outcome="invalid"))
    assert [p.users for p in plateaus(levels)] == [None, None]
    verdict = of_levels(ladder(run, (1, 2, 4, 8), wanted=True), levels, 9.0, "finished")
    assert verdict.flags[0].startswith("throughput never flattened out up to 4 users: ")
    assert (
        of_levels(ladder(run, (1, 2, 4, 8), wanted=True), levels, 9.0, "interrupted")
        .flags[0]
        .startswith("levels that do not count")
    )


def test_too_few_or_too_short_levels_are_a_doubt(run: Run, sample: LevelResult) -> None:
    short = sample.total.model_copy(
        update={"rate_interval_per_s": None, "bytes_interval_per_s": None}
    )
    levels = [level(sample, n, 100.0, total=short) for n in (1, 2, 4)]
    verdict = of_levels(ladder(run, (1, 2, 4), wanted=True), levels, 9.0, "finished")
    assert verdict.plateaus == []
    assert verdict.flags[0].startswith("no saturation point can be found")
    alone = of_levels(plan_of(run.plan.workload, [4]), levels[:1], 9.0, "finished")
    assert (alone.plateaus, alone.flags) == ([], [])


def test_one_curve_of_two_that_did_not_flatten_is_a_doubt(run: Run, sample: LevelResult) -> None:
    levels = []
    for users, rate in ((1, 90.0), (4, 300.0), (8, 300.0)):
        plain = level(sample, users, rate)
        total = plain.total.model_copy(update={"bytes_interval_per_s": (rate * 1, rate * 2000)})
        levels.append(plain.model_copy(update={"total": total}))
    verdict = of_levels(ladder(run, (1, 4, 8), wanted=True), levels, 9.0, "finished")
    assert verdict.flags[0].startswith("bytes/s did not flatten out up to 8 users")
