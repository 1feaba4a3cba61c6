"""When the load generator, not the server, was the limit."""

import pytest
from history import EMPTY, Slice, histogram, window

from headcount._engine import Histogram
from headcount.analyse.generator import generator_result
from headcount.bundle.level import CriterionResult


def slices(cpu_s: list[float], lateness: Histogram = EMPTY) -> list[Slice]:
    return [Slice(n, n + 1.0, [], worker_cpu_s=cpu_s, timer_lateness=lateness) for n in range(10)]


def criterion(name: str, *, passed: bool = False, undecided: bool = False) -> CriterionResult:
    return CriterionResult(
        criterion=name,
        passed=passed,
        value=None,
        limit=1.0,
        unit="ms",
        bad=None,
        total=None,
        allowed_share=None,
        undecided=undecided,
        sentence="",
    )


MAY_HOLD = criterion("p95<=1s", undecided=True)
BROKEN = criterion("p99<=2s")
HOLDS = criterion("errors<1%", passed=True)


@pytest.mark.parametrize(("busy", "limited"), [(0.79, False), (0.80, False), (0.81, True)])
def test_a_worker_may_use_four_fifths_of_its_core(busy: float, limited: bool) -> None:
    result = generator_result(window(slices([0.1, busy])), 10, [])
    assert result.limited is limited
    assert (result.workers, result.busiest_worker_share) == (2, pytest.approx(busy))
    assert result.cpu_cores == pytest.approx(0.1 + busy)
    assert any("--workers" in reason for reason in result.reasons) == limited


@pytest.mark.parametrize(
    ("criteria", "limited"),
    [
        ([HOLDS], False),  # late timers make users slower: what passed has passed
        ([HOLDS, MAY_HOLD], True),
        ([MAY_HOLD, BROKEN], False),  # one limit is broken however late they were
        ([BROKEN], False),
    ],
)
def test_late_timers_matter_only_if_all_failures_may_be_theirs(
    criteria: list[CriterionResult], limited: bool
) -> None:
    late = histogram([10] * 98 + [60_000] * 2)
    result = generator_result(window(slices([0.1], late)), 1000, criteria)
    assert result.limited is limited
    assert result.timer_lateness_p99_ms == pytest.approx(60, rel=2e-3)
    assert result.timer_lateness_p50_ms == pytest.approx(0.010)
    if limited:
        (reason,) = result.reasons
        assert reason == (
            "1% of the load generator's own timers were over 60.0 ms late, without which p95<=1s "
            "may hold"
        )


@pytest.mark.parametrize(("users", "limited"), [(25, False), (15, True)])
def test_users_may_lose_a_twentieth_of_their_time_to_late_starts(users: int, limited: bool) -> None:
    # Ten timers a second are 101 ms late, 100 beyond a quiet machine's: one user-second a second.
    late = histogram([101_000], 10)
    result = generator_result(window(slices([0.1], late)), users, [HOLDS])
    assert result.limited is limited
    assert any("6.7% of the users' time" in reason for reason in result.reasons) == limited


def test_users_who_hardly_pause_lose_nothing_to_a_quiet_machine() -> None:
    late = histogram([100], 900)  # each user starts 900 times a second, 0.1 ms late
    assert not generator_result(window(slices([0.1], late)), 1, [HOLDS]).limited


def test_unmeasured_lateness_is_none() -> None:
    result = generator_result(window(slices([0.1])), 10, [])
    assert result.timer_lateness_p50_ms is result.timer_lateness_p99_ms is None
    assert result.timer_lateness_max_ms is None
    assert not result.limited
