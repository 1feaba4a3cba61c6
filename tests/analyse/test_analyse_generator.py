"""When the load generator, not the server, was the limit."""

import pytest
from history import EMPTY, Slice, histogram, window

from headcount._engine import Histogram
from headcount.analyse.generator import generator_result
from headcount.plan.criteria import parse


def slices(cpu_s: list[float], lateness: Histogram = EMPTY) -> list[Slice]:
    return [Slice(n, n + 1.0, [], worker_cpu_s=cpu_s, timer_lateness=lateness) for n in range(10)]


@pytest.mark.parametrize(("busy", "limited"), [(0.79, False), (0.80, False), (0.81, True)])
def test_a_worker_may_use_four_fifths_of_its_core(busy: float, limited: bool) -> None:
    result = generator_result(window(slices([0.1, busy])), [])
    assert result.limited is limited
    assert (result.workers, result.busiest_worker_share) == (2, pytest.approx(busy))
    assert result.cpu_cores == pytest.approx(0.1 + busy)
    assert any("--workers" in reason for reason in result.reasons) == limited


@pytest.mark.parametrize(
    ("criteria", "tolerated_us"),
    [
        (["p95<=1s", "errors<1%"], 50_000),  # a twentieth of what decides
        (["p95<=1s", "work:p99<=200ms"], 10_000),  # the strictest counts
        (["mean<=5ms"], 1_000),  # and never less than a quiet machine's scheduler
        (["errors<1%"], 50_000),
    ],
)
def test_timers_may_be_late_by_what_cannot_change_the_verdict(
    criteria: list[str], tolerated_us: int
) -> None:
    parsed = [parse(text) for text in criteria]
    for factor, limited in ((0.98, False), (1.02, True)):
        # 2 % of the timers are that late, so the 99th percentile is theirs.
        late = histogram([10] * 98 + [round(tolerated_us * factor)] * 2)
        result = generator_result(window(slices([0.1], late)), parsed)
        assert result.limited is limited
        assert result.timer_lateness_p99_ms == pytest.approx(tolerated_us * factor / 1000, rel=2e-3)
        assert result.timer_lateness_p50_ms == pytest.approx(0.010)


def test_what_was_not_measured_is_none() -> None:
    result = generator_result(window(slices([0.1])), [])
    assert result.timer_lateness_p50_ms is result.timer_lateness_p99_ms is None
    assert result.timer_lateness_max_ms is None
    assert not result.limited
