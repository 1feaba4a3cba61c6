"""Where a growing figure meets its limit, against formulas by hand and known curves."""

import math

import numpy as np
import pytest
from bench.statistics import monotone
from bench.statistics.monotone import Reading, crossing, of_share, of_time
from hypothesis import given, settings
from hypothesis import strategies as st

ALLOWED = 0.05
SEED = 20_260_112
values = st.lists(st.integers(-20, 20), min_size=2, max_size=9)


@settings(deadline=None)  # scipy is loaded when it is first used
@given(values, st.data())
def test_the_fit_is_the_max_min_of_means(heights: list[int], data: st.DataObject) -> None:
    """Barlow and others' formula: max over starts of min over ends of the weighted mean between."""
    several = st.lists(st.integers(1, 5), min_size=len(heights), max_size=len(heights))
    weights = np.array(data.draw(several), dtype=float)
    y = np.array(heights, dtype=float)
    found = monotone._fit(np.arange(len(y), dtype=float), y, weights).steps
    for i in range(len(y)):
        expected = max(
            min(
                float(y[s : e + 1] @ weights[s : e + 1] / weights[s : e + 1].sum())
                for e in range(i, len(y))
            )
            for s in range(i + 1)
        )
        assert found[i] == pytest.approx(expected)


def test_many_curves_at_once_have_the_roots_of_each() -> None:
    stream = np.random.default_rng(SEED)
    for count in (2, 5, 24):
        x = np.sort(stream.normal(6, 0.2, count))
        weights = stream.uniform(0.5, 2, count)
        drawn = np.linspace(-1, 1, count) + stream.normal(0, 0.8, (200, count))
        for row, root in zip(drawn, monotone.roots(x, drawn, weights), strict=True):
            curve = monotone._fit(x, row, weights)
            alone = curve.root()
            if alone is None:
                assert root == (0 if curve.y[0] >= 0 else math.inf)
            else:
                assert root == pytest.approx(alone, rel=1e-9)


def test_the_root_of_two_levels_is_between_them_on_the_log_scale() -> None:
    found = crossing([Reading(100, -1.0, 0.01), Reading(400, 1.0, 0.01)])
    assert found is not None
    assert found.users == pytest.approx(200)
    assert found.low < 200 < found.high
    assert found.scatter == 1


def test_levels_out_of_order_are_pooled() -> None:
    """The two in the middle become one step at their mean, which is the limit."""
    found = crossing([
        Reading(100, -1.0, 0.1),
        Reading(200, 0.3, 0.1),
        Reading(300, -0.3, 0.1),
        Reading(400, 1.0, 0.1),
    ])  # fmt: skip
    assert found is not None
    assert found.users == pytest.approx(math.sqrt(200 * 300), rel=0.02)
    assert found.scatter > 1.5


def test_the_order_in_which_levels_are_given_does_not_matter() -> None:
    levels = [Reading(100 * 1.1**i, (i - 4) * 0.8, 0.2) for i in range(9)]
    assert crossing(levels) == crossing(levels[::-1])


def test_the_interval_is_the_delta_methods_where_levels_are_sure_of_their_order() -> None:
    slope, error, apart = 10.0, 0.05, 0.2
    levels = [Reading(500 * math.exp(apart * (i - 2.5)), slope * apart * (i - 2.5), error)
              for i in range(6)]  # fmt: skip
    found = crossing(levels, spread=0.0)
    assert found is not None
    assert found.users == pytest.approx(500)
    # Half-way between two levels: the mean of both errors, over the slope.
    half = 1.96 * error / math.sqrt(2) / slope
    assert math.log(found.high / 500) == pytest.approx(half, rel=0.1)
    assert math.log(500 / found.low) == pytest.approx(half, rel=0.1)
    wider = crossing(levels, spread=0.02)
    assert wider is not None
    half = 1.96 * math.hypot(error, slope * 0.02) / math.sqrt(2) / slope
    assert math.log(wider.high / 500) == pytest.approx(half, rel=0.1)


def test_repeated_levels_that_disagree_widen_the_interval() -> None:
    def levels(apart: float) -> list[Reading]:
        centres = [(u, (i - 2) * 0.5) for i, u in enumerate((820, 860, 900, 940, 980))]
        return [Reading(u, y + d, 0.05) for u, y in centres for d in (-apart, 0.0, apart)]

    calm, wild = crossing(levels(0.0)), crossing(levels(0.6))
    assert calm is not None
    assert wild is not None
    assert calm.scatter == 1
    assert wild.scatter > 2
    assert wild.is_restless
    assert not calm.is_restless
    assert wild.high - wild.low > 2 * (calm.high - calm.low)


def test_a_limit_that_no_level_or_every_level_breaks_has_no_root() -> None:
    assert crossing([]) is None
    assert crossing([Reading(100, 0.5, 0.1)]) is None
    assert crossing([Reading(100, -2.0, 0.1), Reading(200, -1.0, 0.1)]) is None
    assert crossing([Reading(100, 1.0, 0.1), Reading(200, 2.0, 0.1)]) is None
    assert crossing([Reading(100, 1.0, 0.1), Reading(200, -1.0, 0.1)]) is None  # falls


def test_an_end_that_the_levels_do_not_bound_is_open() -> None:
    found = crossing([Reading(100, -3.0, 0.1), Reading(200, 0.05, 1.0)])
    assert found is not None
    assert math.isinf(found.high)
    assert found.low > 100


def test_a_time_is_compared_with_its_limit_by_its_logarithm() -> None:
    level = of_time(300, 800, 1000, (800 / 1.2, 800 * 1.2))
    assert level.excess == pytest.approx(math.log(0.8))
    assert level.error == pytest.approx(math.log(1.2) / 2.262, rel=1e-3)
    assert of_time(300, 800, 1000, None).error == monotone.UNKNOWN
    assert of_time(300, 800, 1000, (0.0, 900.0)).error == monotone.UNKNOWN


def test_a_share_is_compared_with_its_limit_by_its_logit() -> None:
    level = of_share(300, 500, 10_000, ALLOWED, [])
    assert level.excess == pytest.approx(0, abs=2e-3)
    assert level.error == pytest.approx(1 / math.sqrt(10_000 * 0.05 * 0.95), rel=1e-2)
    none = of_share(300, 0, 10_000, ALLOWED, [])
    assert none.excess < -6
    assert none.error == pytest.approx(math.sqrt(2), rel=0.01)


def test_stretches_that_scatter_widen_the_error_and_even_ones_do_not_narrow_it() -> None:
    even = of_share(300, 500, 10_000, ALLOWED, [(50, 1_000)] * 10)
    bursts = of_share(300, 500, 10_000, ALLOWED, [(500, 1_000)] + [(0, 1_000)] * 9)
    plain = of_share(300, 500, 10_000, ALLOWED, [])
    assert even.error == plain.error
    # All in one of ten stretches: 450^2 + 9 * 50^2 over nine and over the binomial 1000 p (1 - p).
    expected = (450**2 + 9 * 50**2) / 9 / (1_000 * 0.05 * 0.95)
    assert (bursts.error / plain.error) ** 2 == pytest.approx(expected, rel=0.01)
