"""A server that freezes cannot hide it, wherever a level happens to end.

The real engine plays 20 users, each 50 ms after its last answer; a request takes 5 ms. From 1.0 to
1.6 s and from 2.0 to 2.6 s of the run's clock the server stands still.
"""

import random
from itertools import pairwise

import pytest
from null_run import Run, record, serve, workload

from headcount.analyse import little
from headcount.analyse.judge import judge
from headcount.analyse.window import Window
from headcount.plan.criteria import parse

USERS = 20
LIMIT_US = 200_000
CRITERIA = ["p95<=200ms", "overload<5%", "mean<=30ms", "errors<1%"]
NAMES = ["work-0"]


@pytest.fixture(scope="module")
def run() -> Run:
    work = workload("closed", "50ms", serve(0.005), criteria=CRITERIA)
    return record(work, USERS, 2.75, stall_every_ms=1000, stall_lasting_ms=600)


@pytest.fixture
def frozen(run: Run) -> Window:
    """A level that ends in the middle of the first stall."""
    return run.between(0.3, 1.45)


def test_users_who_wait_at_the_end_count_as_slow(frozen: Window) -> None:
    pool = frozen.pool()
    assert pool.response.quantile_us(1.0) < LIMIT_US  # every answer that came was fast
    assert pool.unanswered(LIMIT_US) == USERS
    bad, total = pool.slower(LIMIT_US)
    assert (bad, total) == (USERS, pool.completed + USERS)


@pytest.mark.parametrize("text", CRITERIA[:3])
def test_a_level_that_ends_in_a_stall_fails(frozen: Window, text: str) -> None:
    result = judge(parse(text), frozen, NAMES)
    assert not result.passed
    if text.startswith("p95"):
        assert result.value is not None
        assert result.value < 200  # the percentile of what was answered would have passed


@pytest.mark.parametrize("text", CRITERIA)
def test_the_same_server_passes_before_it_stalls(run: Run, text: str) -> None:
    assert judge(parse(text), run.between(0.3, 0.95), NAMES).passed


def test_users_counted_as_waiting_are_not_counted_again_when_answered(run: Run) -> None:
    thawed = run.between(1.45, 1.95)
    answered_slowly = thawed.pool().response.count_above(LIMIT_US)
    assert answered_slowly == USERS
    assert thawed.pool().slower(LIMIT_US)[0] == 0
    # A level that begins with the thaw knows of nobody who waited before; it counts those answers.
    assert Window(thawed.intervals, None).pool().slower(LIMIT_US)[0] == USERS


def test_windows_of_any_partition_add_up_to_the_whole(run: Run) -> None:
    stream = random.Random(5)
    count = len(run.intervals)
    for limit_us in (1_000, 20_000, LIMIT_US, 500_000):
        whole = Window(run.intervals, None).pool()
        for _ in range(20):
            cuts = sorted(stream.sample(range(1, count), stream.randint(1, count - 1)))
            bounds = [0, *cuts, count]
            parts = [
                Window(run.intervals[a:b], run.intervals[a - 1] if a else None)
                for a, b in pairwise(bounds)
            ]
            counts = [part.pool().slower(limit_us) for part in parts]
            sums = (sum(bad for bad, _ in counts), sum(total for _, total in counts))
            assert sums == whole.slower(limit_us)
            over = [part.pool().overloaded() for part in parts]
            sums = (sum(bad for bad, _ in over), sum(total for _, total in over))
            assert sums == whole.overloaded()
            waited = sum(part.pool().waited_s() for part in parts)
            assert waited == pytest.approx(whole.waited_s(), rel=1e-9)


def test_a_frozen_server_keeps_littles_law(run: Run, frozen: Window) -> None:
    for window in (frozen, run.between(1.0, 1.95), run.between(0.3, 2.7)):
        law = little.check(window, USERS)
        assert law is not None
        assert abs(law.error) <= law.tolerance
    level = run.level(frozen)
    assert not any("Little" in reason for reason in level.reasons)
    assert level.outcome != "passed"
    assert level.total.unanswered == USERS
