"""What else shows in a server: that others use it, and that scenarios sleep in it."""

from collections.abc import Sequence

import pytest
from diagnosis_levels import Views, seconds, viewed_ladder

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis


def full(used: float) -> Views:
    return {
        "system.cpu.utilization": 0.99,
        "process.cpu.utilization": used,
        "process.cpu.run_delay": 0.6,
        "system.cpu.foreign": 0.02,
    }


@pytest.mark.parametrize(("before", "share"), [(2.6, "66"), (0.1, None)])
def test_cpu_time_used_before_the_first_user_belongs_to_others(
    before: float, share: str | None
) -> None:
    levels = viewed_ladder([60, 100, 101], counters=[full(3.2), full(3.9), full(3.92)])
    events = [
        {"event": "before", "counters": {"process.cpu.utilization": before}},
        {"event": "trial", "service_ms": 20.0},
    ]
    found = of_levels(levels, seconds(levels), events)
    assert found is not None
    assert (found.limit, found.detail) == ("cpu", "all cores")
    texts = [one for one in found.doubts if "others use this server" in one]
    assert bool(texts) is bool(share)
    assert share is None or f"2.60 CPUs, {share}" in texts[0]
    assert ("cpu-others" in [one.id for one in found.advice]) is bool(share)


SLEEPING = "process.threads.waiting{wait=sleep}"


def diagnosed(rates: Sequence[float], asleep: Sequence[float], alone_ms: float) -> Diagnosis:
    levels = viewed_ladder(rates, counters=[{SLEEPING: many} for many in asleep])
    found = of_levels(levels, seconds(levels), [{"event": "trial", "service_ms": alone_ms}])
    assert found is not None
    return found


def test_scenarios_that_sleep_in_the_server_are_rate_limited() -> None:
    # 25 ms alone at 170/s: by Little's law as a pool of four, of which four would sleep.
    rates = (78.0, 170.0, 170.0)
    found = diagnosed(rates, (1.9, 15.5, 63.0), 25.0)
    assert (found.limit, found.confidence_word) == ("limiter", "high")
    assert found.size == pytest.approx(170)
    assert "of the waiting scenarios sleep in the server until their turn" in found.sentence
    assert diagnosed(rates, (1.9, 4.2, 4.2), 25.0).limit == "pool"


def test_threads_that_sleep_while_a_file_is_locked_wait_for_that_lock() -> None:
    """As with SQLite: a thread that does not get the lock sleeps and tries again."""
    rates, asleep = (49.0, 64.0, 68.0), (0.5, 12.0, 62.0)
    held = (0.7, 0.95, 0.95)
    counters = [
        {SLEEPING: many, "process.file_locks.held": part, "process.file_locks.waiting": 0.0}
        for many, part in zip(asleep, held, strict=True)
    ]
    levels = viewed_ladder(rates, counters=counters)
    found = of_levels(levels, seconds(levels), [{"event": "trial", "service_ms": 15.0}])
    assert found is not None
    assert (found.limit, found.detail) == ("lock", "file")
    assert "A lock on a file: one scenario at a time, 14.7 ms each" in found.sentence
    assert "a file was locked 95.0% of the time, while 62.0 threads" in found.sentence
    assert [one.id for one in found.advice] == ["lock-file"]


def test_a_file_that_is_locked_at_times_is_not_what_sleepers_wait_for() -> None:
    counters = [{SLEEPING: many, "process.file_locks.held": 0.3} for many in (1.9, 15.5, 63.0)]
    levels = viewed_ladder((78.0, 170.0, 170.0), counters=counters)
    found = of_levels(levels, seconds(levels), [{"event": "trial", "service_ms": 25.0}])
    assert found is not None
    assert found.limit == "limiter"


def test_a_full_pool_of_sleepers_is_not_a_rate_limit() -> None:
    # 15 places of 100 ms.
    assert diagnosed((20.0, 145.0, 150.0), (1.9, 14.5, 15.0), 100.0).limit == "pool"


@pytest.mark.parametrize(("noise", "is_even"), [(0.0, True), (0.3, False)])
def test_a_pool_that_serves_as_evenly_as_a_clock_may_be_a_rate(noise: float, is_even: bool) -> None:
    levels = viewed_ladder([78, 170, 170])
    found = of_levels(levels, seconds(levels, noise), [{"event": "trial", "service_ms": 25.0}])
    assert found is not None
    assert (found.limit, found.detail) == ("pool", "inside the program")
    assert any("as even as a clock" in one for one in found.doubts) is is_even
    assert ("pool-or-rate" in [one.id for one in found.advice]) is is_even
    assert found.confidence_word == ("fair" if is_even else "high")
