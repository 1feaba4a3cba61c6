"""The fit of costs: an independent computation, and coverage where the truth is known."""

import numpy as np
import pytest
from scipy import linalg, stats
from shares_points import TRUTH, counted, experiment, noisy

from headcount.analyse.costs import (
    LOGON_TERMS,
    MEMORY_TERMS,
    NET_USE_TERMS,
    Cost,
    Fit,
    Holding,
    fit,
)

NAMES = list(TRUTH)


def by_normal_equations(
    points: list[Holding], amounts: list[float], starts: list[int]
) -> dict[str, tuple[float, float, float]]:
    """Costs and intervals, straight from the formulas."""
    x = np.array([[counted(point)[name] for name in NAMES] for point in points])
    y, group = np.array(amounts), np.array(starts)
    w = np.diag([1 / (1 + point.connections) for point in points])

    def solved(kept: np.ndarray) -> np.ndarray:
        some, weights = x[kept], w[np.ix_(kept, kept)]
        return linalg.solve(some.T @ weights @ some, some.T @ weights @ y[kept])

    whole = solved(group >= 0)
    count = len(set(starts))
    parts = [solved(group != one) for one in set(starts)]
    variance = (count - 1) / count * sum((part - whole) ** 2 for part in parts)
    hat = linalg.solve(x.T @ w @ x, x.T @ w)
    found = {}
    for index, name in enumerate(NAMES):
        shares = [
            sum(hat[index, i] ** 2 / w[i, i] for i in np.flatnonzero(group == one))
            for one in set(starts)
        ]
        carrying = sum(shares) ** 2 / sum(share**2 for share in shares)
        spread = stats.t(df=carrying - 1, loc=whole[index], scale=np.sqrt(variance[index]))
        found[name] = (whole[index], *spread.interval(0.95))
    return found


def costs(found: Fit | None) -> dict[str, Cost]:
    assert found is not None
    return {cost.name: cost for cost in found.costs}


@pytest.mark.parametrize("seed", range(4))
def test_costs_and_intervals_are_those_of_the_formulas(seed: int) -> None:
    points, starts = experiment((1, 1000, 8000), (1, 20, 100))
    amounts = noisy(points, starts, TRUTH, np.random.default_rng(seed), 0.5)
    found = fit(points, amounts, starts)
    expected = by_normal_equations(points, amounts, starts)
    assert list(costs(found)) == NAMES == list(MEMORY_TERMS)
    for name, cost in costs(found).items():
        assert (cost.value, cost.low, cost.high) == pytest.approx(expected[name], rel=1e-6), name
    assert found is not None
    assert found.starts == 18
    for point, amount, residual in zip(points, amounts, found.residuals, strict=True):
        fitted = sum(expected[name][0] * n for name, n in counted(point).items())
        assert residual == pytest.approx(amount - fitted, abs=1.0)


def test_without_noise_the_truth_comes_back() -> None:
    points, starts = experiment((1, 50), (1, 5))
    exact = [sum(TRUTH[name] * n for name, n in counted(point).items()) for point in points]
    for name, cost in costs(fit(points, exact, starts)).items():
        assert cost.value == pytest.approx(TRUTH[name], rel=1e-9)
        assert cost.low == pytest.approx(cost.high, rel=1e-6)
        assert cost.is_measurable


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("repeats", [1, 2])
def test_intervals_hold_the_truth_as_often_as_they_say(power: float, repeats: int) -> None:
    points, starts = experiment((1, 1000, 8000), (1, 20, 100), repeats)
    truth = {**TRUTH, "net_use": 0.0}
    stream = np.random.default_rng(int(10 * power) + repeats)
    rounds = 100
    holding = dict.fromkeys(NAMES, 0)
    not_measurable = 0
    for _ in range(rounds):
        found = costs(fit(points, noisy(points, starts, truth, stream, power), starts))
        for name, cost in found.items():
            holding[name] += cost.low <= truth[name] <= cost.high
        not_measurable += not found["net_use"].is_measurable
    # 95% less three standard errors of a share of 100; what is not there is not found as often.
    least = rounds * 0.95 - 3 * np.sqrt(rounds * 0.95 * 0.05)
    assert all(count >= least for count in holding.values()), holding
    assert not_measurable == holding["net_use"]


def test_an_amount_that_was_not_varied_has_no_cost() -> None:
    points, starts = experiment((7,), (1, 20))
    amounts = noisy(points, starts, TRUTH, np.random.default_rng(1), 0.5)
    names = ["base", "connection", "net_use", "first_file", "open_file"]
    assert list(costs(fit(points, amounts, starts))) == names
    one_size = [point for point in points if point.open_files in {0, 100}]
    kept = [point.open_files in {0, 100} for point in points]
    found = fit(
        one_size,
        [amount for amount, keep in zip(amounts, kept, strict=True) if keep],
        [start for start, keep in zip(starts, kept, strict=True) if keep],
    )
    assert list(costs(found)) == ["base", "connection", "net_use", "open_file"]


def test_too_few_points_have_no_fit() -> None:
    points, starts = experiment((1, 50), (1, 5))
    amounts = noisy(points, starts, TRUTH, np.random.default_rng(1), 0.5)
    first = [start == 0 for start in starts]
    assert fit(points[: sum(first)], amounts[: sum(first)], starts[: sum(first)]) is None
    # With one number of connections at 50 shares and only one start with it, leaving that out
    # leaves nothing to tell the costs from.
    some = [i for i, start in enumerate(starts) if start < 5]
    assert (
        fit([points[i] for i in some], [amounts[i] for i in some], [starts[i] for i in some])
        is None
    )
    assert fit([], [], []) is None


def test_cpu_time_of_logons_has_no_base() -> None:
    points = [Holding(s, c, 1, 0) for s in (1, 1000, 8000) for c in (1, 20, 100) for _ in range(2)]
    exact = [0.005 * p.connections + 4e-6 * p.shares * p.connections for p in points]
    found = costs(fit(points, exact, range(len(points)), LOGON_TERMS))
    assert found["connection"].value == pytest.approx(0.005)
    assert found["share_of_connection"].value == pytest.approx(4e-6)
    points = [Holding(s, c, 10, 0) for s in (1, 1000, 8000) for c in (1, 20, 100) for _ in range(2)]
    exact = [9 * p.connections * (1e-4 + 2e-7 * p.shares) for p in points]
    found = costs(fit(points, exact, range(len(points)), NET_USE_TERMS))
    assert found["net_use"].value == pytest.approx(1e-4)
    assert found["share_of_net_use"].value == pytest.approx(2e-7)
