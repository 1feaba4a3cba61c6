"""The binding: waiting, interrupting, failing and ending."""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from engine_plans import (
    NOTHING,
    PANIC,
    closed,
    drain,
    opened,
    plan,
    pull_until,
    scenario,
    serve,
    start,
)

from headcount import _engine
from headcount.errors import EngineError, SystemLimitError

SILENT = plan(closed(1.0), report_every_ms=60_000)


HUNG_S = 120.0
"""After this long, what should end at once hangs, however busy the machine is."""


def assert_ends(action: Callable[[], object]) -> None:
    """Do something that must not wait for the run."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join(HUNG_S)
    assert not thread.is_alive()


def test_other_threads_run_while_one_waits() -> None:
    engine = start(SILENT)
    turns = 0

    def turn() -> None:
        nonlocal turns
        while turns < 100:
            turns += 1
            time.sleep(0.001)
        engine.close()

    other = threading.Thread(target=turn)
    other.start()
    # Only the other thread's last turn ends the wait.
    with pytest.raises(EngineError, match="has been closed"):
        engine.next(HUNG_S)
    other.join()
    assert turns == 100


def test_next_waits_for_its_patience() -> None:
    engine = start(SILENT)
    before_s = engine.now_s()
    assert engine.next(0.3) is None
    assert engine.now_s() - before_s >= 0.3
    engine.close()


def test_patience_of_zero_does_not_wait() -> None:
    engine = start(SILENT)
    assert engine.next(0.0) is None  # the first interval would come after a minute
    assert not engine.ended
    engine.close()


CHILD = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from headcount._engine import Engine
engine = Engine(sys.argv[1], "null", "{}")
engine.set_users(50, 0.0)
if sys.argv[2] == "drain":
    engine.next(1.0)
    engine.stop(3600.0)
print("ready", flush=True)
engine.next(3600.0)
engine.next(3600.0)
"""


@pytest.mark.parametrize("moment", ["wait", "drain"])
def test_ctrl_c_ends_a_run_that_waits(moment: str) -> None:
    text = plan(closed(0.0), scenario("long", serve(3600.0)), report_every_ms=60_000)
    with subprocess.Popen(
        [sys.executable, "-c", CHILD, text, moment],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.2)
            child.send_signal(signal.SIGINT)
            _, errors = child.communicate(timeout=HUNG_S)
        finally:
            child.kill()
    assert "KeyboardInterrupt" in errors
    assert child.returncode == -signal.SIGINT


def test_a_panic_is_an_engine_error_and_never_a_hang() -> None:
    engine = start(plan(closed(0.01), scenario("good", NOTHING), scenario("defect", PANIC)))
    engine.set_users(10, 0.0)
    with pytest.raises(EngineError, match=r"worker .* failed: the workload asked for this panic"):
        pull_until(engine, 10.0)
    assert engine.ended
    assert engine.next(1.0) is None
    engine.close()


@pytest.mark.parametrize("drain_s", [None, 3600.0])
def test_close_ends_at_once_whatever_is_under_way(drain_s: float | None) -> None:
    engine = start(plan(closed(0.0), scenario("long", serve(3600.0))))
    engine.set_users(50, 0.0)
    pull_until(engine, 0.3)
    if drain_s is not None:
        engine.stop(drain_s)
        assert engine.next(0.3) is not None
    assert_ends(engine.close)
    engine.close()  # and once more is no error


def test_a_closed_run_says_so() -> None:
    engine = start(plan(closed(1.0)))
    engine.close()
    for use in (
        engine.now_s,
        lambda: engine.next(1.0),
        lambda: engine.set_users(1, 0.0),
        lambda: engine.stop(0.0),
        lambda: engine.ended,
    ):
        with pytest.raises(EngineError, match="has been closed"):
            use()
    assert engine.step_names == ["work-0"]


def test_close_from_another_thread_wakes_the_reader() -> None:
    engine = start(SILENT)
    closer = threading.Timer(0.3, engine.close)
    closer.start()
    raised: list[str] = []

    def read() -> None:
        try:
            engine.next(3600.0)
        except EngineError as error:
            raised.append(str(error))

    assert_ends(read)
    assert len(raised) == 1
    assert "has been closed" in raised[0]
    closer.join()


def test_a_stopped_run_ends_after_its_last_interval() -> None:
    engine = start(plan(closed(0.0), scenario("short", serve(0.2))))
    engine.set_users(10, 0.0)
    pull_until(engine, 0.1)
    rest = drain(engine)
    assert rest[-1].users == 0
    assert sum(interval.scenarios[0].completed for interval in rest) >= 10
    assert engine.next(1.0) is None


def test_several_engines_do_not_disturb_each_other() -> None:
    engines = [start(plan(opened(0.02), seed=seed)) for seed in range(3)]
    for number, engine in enumerate(engines, start=1):
        engine.set_users(10 * number, 0.0)
    for number, engine in enumerate(engines, start=1):
        intervals = pull_until(engine, 1.0)
        length_s = engine.now_s()
        intervals += drain(engine)
        seen = sum(interval.scenarios[0].started for interval in intervals)
        # Each second 50 of each user; `now_s` is a little after the start and before the stop.
        assert seen == pytest.approx(10 * number * length_s / 0.02, rel=0.1)


@pytest.mark.parametrize("seconds", [-1.0, float("nan"), float("inf"), 1e300])
def test_impossible_spans_of_time_are_refused_by_name(seconds: float) -> None:
    engine = start(plan(closed(1.0)))
    for name, use in (
        ("patience_s", lambda: engine.next(seconds)),
        ("ramp_s", lambda: engine.set_users(1, seconds)),
        ("drain_s", lambda: engine.stop(seconds)),
    ):
        with pytest.raises(ValueError, match=name):
            use()
    engine.close()


def test_more_connections_than_the_system_allows_are_refused_with_the_fix() -> None:
    _engine.ensure_connections(10, 1)
    with pytest.raises(SystemLimitError, match=r"1000000000000 users need .*ulimit -n"):
        _engine.ensure_connections(10**12, 1)


def threads() -> int:
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def test_a_run_needs_no_more_threads_than_workers() -> None:
    before = threads()
    engine = start(plan(closed(1.0), workers=3))
    engine.set_users(500, 0.0)
    engine.next(1.0)
    assert threads() == before + 3
    engine.close()
    end_s = time.monotonic() + HUNG_S
    while threads() > before and time.monotonic() < end_s:
        time.sleep(0.01)  # a thread that has done its work still has to leave
    assert threads() == before
