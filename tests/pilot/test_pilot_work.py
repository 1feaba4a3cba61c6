"""What the pilot measures of a server's work, and what it concludes: numbers by other means."""

import math
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from random import Random

import pytest
from scipy import stats

from headcount.counters.proc.process import ThreadTimes
from headcount.pilot.modules import MODULES, Server
from headcount.pilot.pilot import Event, Pilot, look_text
from headcount.pilot.treatment import Treatment
from headcount.pilot.trial import CONFIDENCE, PAIRS, Verdict, gain, is_harmful, judge
from headcount.pilot.work import Work, between, descendants, times, watch
from headcount.tune.processes.attributes import OTHER, Attributes

SERVER = Server("nginx", (0, 1), 3, "mq-deadline")
BUSY = Work(10.0, 2.0, 2.0, 0.0, 0, 5.0, {"tar": 3.0, "gzip": 2.0})
FAMILY = """
import subprocess, sys, threading, time
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
child = subprocess.Popen(["sleep", "60"])
print(child.pid, flush=True)
sys.stdin.read()
child.kill()
"""


def test_work_includes_threads_that_began_and_not_those_that_ended() -> None:
    before = {1: ThreadTimes(10, 100, 1), 2: ThreadTimes(5, 5, 1), 3: ThreadTimes(7, 7, 1)}
    after = {
        1: ThreadTimes(10**9 + 10, 100, 1),
        2: ThreadTimes(5, 2 * 10**9 + 5, 1),
        4: ThreadTimes(10**9, 10**9, 1),
    }
    assert between(before, after) == (2.0, 3.0)
    assert between(before, before) == (0.0, 0.0)


def test_a_second_of_work_takes_longer_by_its_waits() -> None:
    assert BUSY.stretch == pytest.approx(2.0)
    assert Work(10.0, 2.0, 1.0, 1.0).stretch == pytest.approx(2.0)
    assert Work(10.0, 0.1, 0.0, 4.9).stretch == pytest.approx(50.0)  # almost stopped by its disk
    assert Work(10.0, 0.1, 0.05, 0.0).stretch is None  # idle: a ratio of nothing
    assert Work(10.0, 0.005, 5.0, 5.0).stretch is None
    assert look_text("nginx", Work(10.0, 0.0, 0.0, 0.0)).startswith("nginx is idle")
    assert "takes 2.00 s: 50% waiting for a CPU, 0% for a disk" in look_text("nginx", BUSY)


def test_threads_and_children_belong_to_the_server() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", FAMILY], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as family:
        assert family.stdout is not None
        assert family.stdin is not None
        child = int(family.stdout.readline())
        assert set(descendants([family.pid])) == {family.pid, child}
        assert len(times([family.pid])) == 2
        assert child in times([child])
        family.stdin.close()
    assert descendants([family.pid]) == []


def test_the_work_of_a_busy_server_is_measured() -> None:
    """A thread that spins, compared with what the kernel counts for this process."""
    ended = threading.Event()

    def spin() -> None:
        while not ended.is_set():
            sum(range(1000))

    thread = threading.Thread(target=spin)
    before_s = time.process_time()
    thread.start()
    try:
        work = watch([os.getpid()], 1.0, lambda wait_s: bool(time.sleep(wait_s)))
    finally:
        ended.set()
        thread.join()
    used_s = time.process_time() - before_s
    assert work is not None
    assert 0 < work.cpu_s <= used_s + 0.05
    assert work.wait_s >= 0
    assert work.stretch is None or work.stretch >= 1
    assert watch([os.getpid()], 1.0, lambda _: True) is None


def test_a_trial_is_judged_by_student_at_its_confidence() -> None:
    gains = [0.5, 0.3, 0.45, 0.6, 0.2, 0.4]
    found = judge(gains)
    mean = sum(gains) / PAIRS
    low, high = stats.t.interval(CONFIDENCE, PAIRS - 1, mean, stats.sem(gains))
    assert found.value == pytest.approx(math.exp(mean))
    assert (found.low, found.high) == pytest.approx((math.exp(low), math.exp(high)))
    assert found.helps
    assert not judge([0.05, 0.06, 0.05, 0.06, 0.05, 0.06]).helps  # sure, and too little
    assert not judge([1.5, -0.5, 1.2, -0.4, 0.9, 0.1]).helps  # much, and not sure
    assert not judge([0.5, 0.3, 0.45, 0.6]).helps  # too few counted
    assert judge([]) == Verdict(helps=False)
    assert judge([0.4]).value is None


def test_nothing_is_claimed_of_equal_halves() -> None:
    """By chance far fewer than one in a hundred, because the gain must be large, too."""
    random = Random(11)
    claims = sum(judge([random.gauss(0, 0.15) for _ in range(PAIRS)]).helps for _ in range(2000))
    assert claims <= 2000 * (1 - CONFIDENCE)


def test_a_trial_that_harms_ends_early() -> None:
    assert is_harmful([-0.3, -0.4])
    assert not is_harmful([-0.9])
    assert not is_harmful([-0.3, 0.1])
    slower = Work(10.0, 2.0, 6.0, 0.0)
    assert gain(BUSY, slower) == pytest.approx(math.log(2 / 4))
    assert gain(BUSY, Work(10.0, 0.0, 0.0, 0.0)) is None


@pytest.mark.parametrize(
    ("allowed", "pinned"), [((0, 1, 2), [0, 1, 2, 0]), ((2, 3), [2, 3, 2, 3]), ((8,), [8, 8, 8, 8])]
)
def test_a_process_stays_on_a_cpu_that_it_may_use(
    allowed: tuple[int, ...], pinned: list[int]
) -> None:
    """The kernel refuses CPUs outside of its control group's."""
    server = Server("nginx", (0, 1, 2, 3), 4, None)
    one = Attributes(0, OTHER, 0, 0, frozenset(allowed))
    treated = MODULES["affinity"].treated
    found = [treated(one, place, server).cpus for place in range(4)]
    assert found == [frozenset({cpu}) for cpu in pinned]


def test_modules_give_reasons_only_where_they_may_help() -> None:
    alone = Work(10.0, 2.0, 2.0, 0.0, 0, 0.1, {})
    calm = Work(10.0, 2.0, 0.0, 0.0, 0, 5.0, {"tar": 5.0})
    at_disk = Work(10.0, 2.0, 0.0, 3.0)
    reasons = {
        name: [one.reason(work, SERVER) is not None for work in (BUSY, alone, calm, at_disk)]
        for name, one in MODULES.items()
    }
    assert reasons == {
        "priority": [True, False, False, False],
        "starvation": [False, False, False, True],
        "affinity": [True, True, False, False],
        "convoy": [False, False, False, False],
        "memory": [False, False, False, False],
        "writeback": [False, False, False, False],
        "interrupts": [False, False, False, False],
    }
    assert reason("priority", BUSY) == (
        "nginx waits for a CPU in 50% of the time of its work, and tar and gzip use 0.5 CPUs"
    )
    idle = Work(10.0, 0.0, 0.0, 0.0, 0, 5.0, {"tar": 5.0})
    assert not any(one.reason(idle, SERVER) for one in MODULES.values())
    no_scheduler = Server("nginx", (0, 1), 3, "none")
    assert MODULES["starvation"].reason(at_disk, no_scheduler) is None
    one_cpu = Server("nginx", (0,), 3, None)
    assert MODULES["affinity"].reason(BUSY, one_cpu) is None
    often = "the kernel preempts nginx 500 times in a second of its work"
    assert (MODULES["convoy"].reason(replace(alone, preempted=1000), SERVER) or "").startswith(
        often
    )
    assert MODULES["convoy"].reason(replace(BUSY, preempted=1000), SERVER) is None


def reason(name: str, work: Work, server: Server = SERVER) -> str:
    return MODULES[name].reason(work, server) or ""


def test_memory_gives_a_reason_when_pages_are_taken_away() -> None:
    paged = Work(10.0, 2.0, 0.0, 3.0, major_faults=500)
    assert reason("memory", paged) == (
        "nginx waits for a disk in 60% of its time, and reads 50 pages a second that are no "
        "longer in memory"
    )
    assert reason("memory", replace(paged, stalled_s=2.0))
    # Reading something for the first time makes nothing wait for memory.
    assert not reason("memory", replace(paged, stalled_s=0.01))
    assert not reason("memory", replace(paged, major_faults=50))
    assert not reason("memory", replace(paged, disk_s=0.1))


def test_writeback_gives_a_reason_when_much_waits_to_be_written() -> None:
    beside = Work(10.0, 2.0, 0.0, 3.0, dirty_bytes=1 << 30)
    assert reason("writeback", beside) == (
        "nginx waits for a disk in 60% of its time, and 1.00 GiB wait to be written"
    )
    assert not reason("writeback", replace(beside, dirty_bytes=64 << 20))
    assert not reason("writeback", replace(beside, disk_s=0.1))


def test_interrupts_give_a_reason_when_the_server_waits_on_the_cpu_they_hit() -> None:
    hit = Work(
        10.0,
        2.0,
        2.0,
        0.0,
        runnable={0: 30, 1: 10},
        interrupts={0: 50_000, 1: 100},
        interrupt_s={0: 3.0, 1: 0.1},
    )
    assert reason("interrupts", hit) == (
        "the network interrupts CPU 0 5000 times a second, which takes 30% of it, and threads of "
        "nginx wait there"
    )
    assert not reason("interrupts", hit, replace(SERVER, cpus=(0,)))
    assert not reason("interrupts", replace(hit, interrupts={0: 50_000, 1: 40_000}))  # spread
    assert not reason("interrupts", replace(hit, interrupts={0: 900, 1: 0}))  # loopback only
    assert not reason("interrupts", replace(hit, interrupts={}))
    assert not reason("interrupts", replace(hit, interrupt_s={0: 0.5, 1: 0.1}))
    assert not reason("interrupts", replace(hit, runnable={0: 5, 1: 35}))
    assert not reason("interrupts", replace(hit, wait_s=0.1))


def test_an_obstacle_is_reported_once_and_nothing_is_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    paged = Work(10.0, 2.0, 0.0, 3.0, major_faults=500, dirty_bytes=1 << 30)
    monkeypatch.setattr("headcount.pilot.pilot.watch", lambda *_, **__: paged)
    events: list[Event] = []
    pauses = iter((False, True))
    pilot = Pilot(
        "nginx",
        [os.getpid()],
        Treatment([os.getpid()]),
        lambda _: next(pauses),
        events.append,
        modules=[MODULES["memory"]],
        obstacles={"memory": "its control group is version 1, which cannot protect memory"},
    )
    pilot.run()
    assert [one.kind for one in events] == ["look", "skip", "look"]
    assert events[1].module == "memory"
    assert events[1].text.endswith(
        "no longer in memory, but its control group is version 1, which cannot protect memory"
    )
    assert pilot.kept == []
