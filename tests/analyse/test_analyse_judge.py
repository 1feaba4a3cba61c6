"""Criteria judged against exact arithmetic."""

from fractions import Fraction

import pytest
from history import EMPTY, Count, histogram, one_window
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.judge import judge
from headcount.analyse.observe import constraint
from headcount.bundle.level import CriterionResult
from headcount.plan.criteria import parse

FAST_US, SLOW_US = 1_000, 2_000_000


def counted(fast: int, slow: int, failed: int = 0, failed_s: float = 0.0) -> Count:
    response = histogram([FAST_US], fast) if fast else EMPTY
    if slow:
        response = type(response).merge([response, histogram([SLOW_US], slow)])
    return Count(
        started=fast + slow + failed,
        completed=fast + slow,
        failed=failed,
        response_s=(fast * FAST_US + slow * SLOW_US) / 1e6 + failed * failed_s,
        response=response,
    )


def judged(text: str, count: Count) -> CriterionResult:
    return judge(parse(text), one_window(count), ["work"])


@given(st.integers(0, 2_000), st.integers(0, 300), st.integers(0, 100), st.integers(10, 999))
def test_a_percentile_is_a_share_of_slow_or_failed(
    fast: int, slow: int, failed: int, tenths: int
) -> None:
    total = fast + slow + failed
    result = judged(f"p{tenths / 10:g}<=1s", counted(fast, slow, failed))
    assert (result.bad, result.total) == (slow + failed, total)
    allowed = 1 - Fraction(tenths, 1000)
    assert result.passed == (total > 0 and Fraction(slow + failed, max(total, 1)) <= allowed)


@given(st.integers(1, 500), st.integers(0, 50), st.integers(1, 500), st.integers(0, 50))
def test_a_group_is_judged_by_all_its_scenarios(
    fast: int, slow: int, other_fast: int, other_slow: int
) -> None:
    counts = [counted(fast, slow), counted(0, 7), counted(other_fast, other_slow)]
    window = one_window(*counts)
    names, groups = ["a", "b", "c"], {"both": (0, 2)}
    number = fast + slow + other_fast + other_slow
    mean_us = ((fast + other_fast) * FAST_US + (slow + other_slow) * SLOW_US) / number
    result = judge(parse("both:mean<=1s"), window, names, groups)
    assert result.value == pytest.approx(mean_us / 1000, rel=0.001)
    assert result.passed == (mean_us <= 1_000_000)
    assert result.sentence.startswith("the mean of both is")
    share = judge(parse("both:p50<=1s"), window, names, groups)
    assert (share.bad, share.total) == (slow + other_slow, number)
    assert judge(parse("b:p50<=1s"), window, names, groups).total == 7


@given(st.integers(1, 500), st.integers(0, 100))
def test_without_failures_a_percentile_is_that_of_the_histogram(fast: int, slow: int) -> None:
    for percentile in ("50", "90", "95", "99"):
        result = judged(f"p{percentile}<=1s", counted(fast, slow))
        assert result.value is not None
        assert result.passed == (result.value <= result.limit)


@given(st.integers(0, 1_000), st.integers(0, 50), st.integers(0, 30), st.sampled_from(["<", "<="]))
def test_errors_are_a_share_of_all_that_ended(
    fast: int, failed: int, percent: int, relation: str
) -> None:
    if relation == "<" and percent == 0:
        return
    result = judged(f"errors{relation}{percent}%", counted(fast, 0, failed))
    share, allowed = Fraction(failed, max(fast + failed, 1)), Fraction(percent, 100)
    holds = share < allowed if relation == "<" else share <= allowed
    assert result.passed == (holds and fast + failed > 0)


@pytest.mark.parametrize(("failed", "passed"), [(5, True), (6, False)])
def test_a_failure_counts_as_slow_however_fast_it_was(failed: int, passed: bool) -> None:
    result = judged("p95<=1s", counted(100 - failed, 0, failed))
    assert result.passed is passed
    assert result.value == pytest.approx(1.0)  # ms: the percentile of those that completed
    assert f"{failed}.0% took longer than 1.00 s, failed or got no answer" in result.sentence
    assert ("p95 of those completed is 1.00 ms" in result.sentence) is not passed


@pytest.mark.parametrize(
    ("text", "share", "passed"),
    [
        ("p90<=1s", 10, True),
        ("p80<=1s", 20, True),
        ("p90<1s", 10, True),  # it is the time that must be below, not the share
        ("p90<=1s", 11, False),
        ("errors<=10%", 10, True),
        ("errors<10%", 10, False),
        ("errors<=7%", 7, True),
        ("errors<=6.9%", 7, False),
    ],
)
def test_at_the_very_limit(text: str, share: int, passed: bool) -> None:
    slow, failed = (0, share) if text.startswith("errors") else (share, 0)
    assert judged(text, counted(100 - share, slow, failed)).passed is passed


@pytest.mark.parametrize(("relation", "passed"), [("<=", True), ("<", False)])
def test_a_time_at_the_very_limit(relation: str, passed: bool) -> None:
    assert judged(f"p95{relation}1ms", counted(100, 0)).passed is passed


@pytest.mark.parametrize("text", ["p95<=1s", "errors<1%", "overload<1%", "mean<=1s"])
def test_a_server_that_answers_nothing_passes_nothing(text: str) -> None:
    result = judged(text, Count())
    assert not result.passed
    assert result.sentence == "nothing was answered at all"


def test_fast_failures_do_not_lower_the_mean() -> None:
    honest = judged("mean<=900ms", counted(0, 50))
    assert honest.value == pytest.approx(2000, rel=1e-3)
    half = judged("mean<=900ms", counted(0, 50, failed=150, failed_s=0.0))
    assert half.value == pytest.approx(2000, rel=1e-3)  # and not 500
    assert not half.passed
    timeouts = judged("mean<=900ms", counted(50, 0, failed=50, failed_s=30.0))
    assert timeouts.value == pytest.approx(15_000, rel=1e-3)


def test_a_mean_of_fast_failures_alone_does_not_hold() -> None:
    result = judged("work:mean<=900ms", counted(0, 0, failed=50, failed_s=0.001))
    assert (result.passed, result.value, result.undecided) == (False, None, False)
    assert result.sentence == "nothing of work completed; work:mean<=900ms is asked for"
    assert not constraint(result, parse("work:mean<=900ms"), 50).passed
    assert judged("mean<=900ms", counted(1, 0, failed=50, failed_s=0.001)).passed


def test_users_who_wait_at_the_end_count_in_the_mean() -> None:
    frozen = counted(100, 0)
    frozen.pending = histogram([2_000_000], 50)
    result = judged("mean<=900ms", frozen)
    assert result.value == pytest.approx((100 * 1 + 50 * 2_000) / 100, rel=2e-3)
    assert not result.passed


def test_overload_counts_users_who_wait_beyond_the_limit() -> None:
    frozen = counted(90, 0)
    frozen.pending, frozen.overdue = histogram([2_000_000], 10), 10
    result = judged("overload<10%", frozen)
    assert (result.bad, result.total, result.passed) == (10, 100, False)


def test_achieved_is_the_completed_share_of_due_scenarios() -> None:
    count = counted(90, 0, failed=5)
    count.started = 100
    result = judged("achieved>=90%", count)
    assert (result.bad, result.total, result.passed) == (10, 100, True)
    assert result.value == pytest.approx(0.9)
    behind = judge(
        parse("achieved>=90%"), one_window(count, backlog=histogram([500], 20)), ["work"]
    )
    assert (behind.bad, behind.total, behind.passed) == (30, 120, False)


def test_a_criterion_of_one_scenario_ignores_the_others() -> None:
    both = one_window(counted(100, 0), counted(0, 100))
    assert judge(parse("one:p95<=1s"), both, ["one", "two"]).passed
    result = judge(parse("two:p95<=1s"), both, ["one", "two"])
    assert not result.passed
    assert result.sentence.startswith("p95 of two is 2.00 s; 100% took longer than 1.00 s")
