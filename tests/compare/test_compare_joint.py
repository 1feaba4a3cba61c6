"""The ratio of two capacities from pairs, against servers whose ratio is known."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from bench.search.capacity import capacity
from scipy.optimize import minimize
from scipy.special import expit, logit

from headcount._engine import simulate_level
from headcount.analyse.compare.joint import Joint, Point, joint
from headcount.analyse.search import Share, Value

TARGET = float(logit(0.05))


def share(bad: float, total: float) -> Share:
    return Share("overload", round(bad), round(total), 0.05)


def exact(slopes: tuple[float, float], held: tuple[float, float], pairs: int = 6) -> list[Point]:
    """Pairs of servers without noise, below and above their limits by turns."""
    found = []
    for pair in range(pairs):
        step = (-0.035, 0.035)[pair % 2] * (1 + 0.1 * pair)
        for second in (False, True):
            users = round(held[second] * math.exp(step) * 100)
            bad = expit(TARGET + slopes[second] * math.log(users / 100 / held[second]))
            found.append(Point(pair, second, users, share(bad * 1e7, 1e7), 60.0))
    return found


@pytest.mark.parametrize("slopes", [(25.0, 25.0), (15.0, 35.0)])
@pytest.mark.parametrize("ratio", [1.0, 1.14, 0.5])
def test_without_noise_the_ratio_is_exact(slopes: tuple[float, float], ratio: float) -> None:
    found = joint(exact(slopes, (200.0, 200.0 * ratio)))
    assert found is not None
    # The pull towards the usual slope of 25 moves the limit of a line that has another.
    near = 5e-4 if slopes == (25.0, 25.0) else 5e-3
    assert found.ratio.value == pytest.approx(ratio, rel=near)
    assert found.first.value == pytest.approx(20_000, rel=near)
    assert found.second.value == pytest.approx(20_000 * ratio, rel=near)
    assert found.slopes == pytest.approx(slopes, rel=0.1)
    assert found.ratio.low <= found.ratio.value <= found.ratio.high


def simulated(
    seed: int,
    pairs: int,
    *,
    ratio: float = 1.0,
    noise: float = 0.01,
    drift: float = 0.0,
    slope: float = 25.0,
    turns: Sequence[str] = ("AB", "BA", "BA", "AB"),
) -> Joint | None:
    """Runs that differ by `noise`, on a machine that gets slower by `drift` from first to last."""
    draw, points, run = np.random.default_rng(seed), [], 0
    for pair in range(pairs):
        for side in turns[pair % len(turns)]:
            second = side == "B"
            users = round(1000 * ratio**0.5 * math.exp((-0.035, 0.035)[pair % 2]))
            held = math.log(1000) + second * math.log(ratio)
            held += draw.normal(0, noise) - drift * run / (2 * pairs - 1)
            bad = expit(TARGET + slope * (math.log(users) - held))
            points.append(Point(pair, second, users, share(draw.binomial(12_000, bad), 12_000), 60))
            run += 1
    return joint(points)


def covered(ratio: float, seeds: int = 400, **settings: object) -> float:
    found = [simulated(seed, 6, ratio=ratio, **settings) for seed in range(seeds)]  # type: ignore[arg-type]
    return float(
        np.mean([one is not None and one.ratio.low <= ratio <= one.ratio.high for one in found])
    )


def test_intervals_cover_the_truth() -> None:
    # Of 400 at 95 % the standard deviation is 1.1 %.
    assert 0.925 <= covered(1.0) <= 0.98
    assert 0.925 <= covered(1.05) <= 0.98
    assert 0.925 <= covered(1.0, noise=0.02, slope=12.0) <= 0.98


def test_drift_cancels_in_pairs() -> None:
    assert covered(1.0, drift=0.05) >= 0.925
    assert covered(1.05, drift=0.05) >= 0.925
    # One side first, then the other: the same drift is then "a difference" almost every time.
    halves = [_halves(seed) for seed in range(60)]
    assert np.mean([one.ratio.low <= 1 <= one.ratio.high for one in halves if one]) < 0.5


def _halves(seed: int) -> Joint | None:
    """All of A before all of B, with a drift of 5 %, taken for pairs."""
    draw, points = np.random.default_rng(seed), []
    for run in range(12):
        pair, second = run % 6, run >= 6
        users = round(1000 * math.exp((-0.035, 0.035)[pair % 2]))
        held = math.log(1000) + draw.normal(0, 0.01) - 0.05 * run / 11
        bad = expit(TARGET + 25.0 * (math.log(users) - held))
        points.append(Point(pair, second, users, share(draw.binomial(12_000, bad), 12_000), 60))
    return joint(points)


def test_servers_of_different_kinds_have_slopes_of_their_own() -> None:
    """Simulated queueing networks: one that falls off a cliff of memory, and one behind disks."""
    held = {system: capacity(system) for system in ("memcliff", "disk")}
    truth = held["disk"] / held["memcliff"]
    found = [_networks(("memcliff", "disk"), seed, held) for seed in range(24)]
    ratios = [one.ratio for one in found if one is not None]
    assert len(ratios) == 24
    assert abs(np.mean([math.log(ratio.value / truth) for ratio in ratios])) < 0.01
    assert np.mean([ratio.low <= truth <= ratio.high for ratio in ratios]) >= 0.83


def _networks(systems: tuple[str, str], seed: int, held: dict[str, float]) -> Joint | None:
    points = []
    for pair in range(6):
        for second, system in enumerate(systems):
            users = round(held[system] * math.exp((-0.035, 0.035)[pair % 2]))
            run = seed * 100 + pair * 2 + second
            before, batches, _ = simulate_level(system, users, 30.0, 60.0, run, 0)
            overdue, bad, total = before, 0, 0
            for count, late, _, overdue_now in batches:
                bad += max(0, late + overdue_now - overdue)
                total += max(0, count + overdue_now - overdue)
                overdue = overdue_now
            points.append(Point(pair, bool(second), users, share(min(bad, total), total), 60.0))
    return joint(points)


def noisy(seed: int = 3, pairs: int = 6) -> list[Point]:
    draw = np.random.default_rng(seed)
    return [
        Point(
            pair,
            second,
            users := round(1000 * math.exp((-0.035, 0.035)[pair % 2])),
            share(draw.binomial(9_000, expit(TARGET + 25 * math.log(users / held))), 9_000),
            60.0,
        )
        for pair in range(pairs)
        for second, held in ((False, 1000 * math.exp(draw.normal(0, 0.01))), (True, 1050.0))
    ]


def test_the_fit_is_that_of_maximum_likelihood() -> None:
    points = noisy()
    x = np.array([math.log(point.users) for point in points])
    second = np.array([float(point.second) for point in points])
    bad = np.array([point.response.bad for point in points])  # type: ignore[union-attr]
    total = np.array([point.response.total for point in points])  # type: ignore[union-attr]

    def cost(beta: Sequence[float]) -> float:
        eta = beta[0] + beta[1] * (x - x.mean()) + second * (beta[2] + beta[3] * (x - x.mean()))
        return float(np.sum(total * np.logaddexp(0, eta) - bad * eta) / total.sum())

    best = minimize(
        cost, [-3.0, 20.0, 0.0, 0.0], method="Nelder-Mead", tol=1e-12, options={"maxiter": 20_000}
    ).x
    roots = [
        (TARGET - best[0]) / best[1],
        (TARGET - best[0] - best[2]) / (best[1] + best[3]),
    ]
    found = joint(points)
    assert found is not None
    # The pull towards the usual slope is worth half a run 4 % off the limit.
    assert found.ratio.log == pytest.approx(roots[1] - roots[0], abs=2e-3)


def test_the_error_is_that_of_leaving_out_each_pair() -> None:
    points = noisy()
    whole = joint(points)
    assert whole is not None
    left = [joint([point for point in points if point.pair != pair]) for pair in range(6)]
    logs = [one.ratio.log for one in left if one is not None]
    spread = math.sqrt(5 / 6 * sum((log - np.mean(logs)) ** 2 for log in logs))
    assert whole.ratio.error == pytest.approx(spread, rel=1e-6)
    assert whole.ratio.freedom == 5


def test_swapping_the_sides_inverts_the_ratio() -> None:
    points = noisy()
    turned = [
        Point(point.pair, not point.second, point.users, point.response, point.seconds)
        for point in points
    ]
    one, other = joint(points), joint(turned)
    assert one is not None
    assert other is not None
    assert one.ratio.value * other.ratio.value == pytest.approx(1, rel=1e-6)
    assert one.ratio.error == pytest.approx(other.ratio.error, rel=1e-4)


def test_a_level_without_its_partner_is_ignored() -> None:
    points = noisy()
    alone = Point(99, True, 1000, share(9_000, 9_000), 60.0)
    assert joint([*points, alone]) == joint(points)


def test_values_have_a_ratio_too() -> None:
    points = [
        Point(pair, second, users, Value("mean", 400 * (users / held) ** 6, 400), 60.0)
        for pair in range(4)
        for users in ((190, 210)[pair % 2],)
        for second, held in ((False, 200.0), (True, 220.0))
    ]
    found = joint(points)
    assert found is not None
    assert found.ratio.value == pytest.approx(1.1)
    assert found.slopes == pytest.approx((6, 6))


@pytest.mark.parametrize(
    "points",
    [
        [],
        exact((25.0, 25.0), (200.0, 210.0), pairs=2),
        [p for p in exact((25.0, 25.0), (200.0, 210.0)) if not p.second],
        # Nothing was bad on one side: that it was ever near its limit is not shown.
        [
            Point(p.pair, p.second, p.users, share(0, 1e6) if p.second else p.response, 60.0)
            for p in exact((25.0, 25.0), (200.0, 210.0))
        ],
        # Fewer users are not better: there is no limit that more users come nearer to.
        [
            Point(p.pair, p.second, p.users, Value("mean", 1e6 / p.users, 400), 60.0)
            for p in exact((25.0, 25.0), (200.0, 210.0))
        ],
    ],
    ids=["nothing", "two pairs", "one side", "never bad", "falling"],
)
def test_pairs_that_do_not_show_the_capacities_have_no_ratio(points: list[Point]) -> None:
    assert joint(points) is None
