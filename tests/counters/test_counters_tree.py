"""Accounting of a process tree, against a simulated operating system that knows the truth."""

import math
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headcount.counters.proc import tree
from headcount.counters.proc.process import TICKS_PER_S, Process, ThreadTimes, Totals

ROOT = 1000
CPU = "process.cpu.utilization"
READ = "process.disk.io{disk.io.direction=read}"


def one(pid: int, ticks: int, *, parent: int = ROOT, reaped: int = 0, start: int = 0) -> Process:
    totals = Totals((ticks, reaped), (0, 0), (0, 0), (0, 0))
    return Process(pid, parent, start, ended=False, threads=1, resident_bytes=0, totals=totals)


def cores(before: list[Process], after: list[Process], uptime_ticks: int = 10) -> float:
    was = tree.Tree(uptime_ticks, {each.pid: each for each in before})
    now = tree.Tree(uptime_ticks + 100, {each.pid: each for each in after})
    return tree.delta(was, now, 1.0)[CPU] * TICKS_PER_S


def test_a_child_waited_for_is_counted_once() -> None:
    # The child had 70 ticks at the first reading, used 5 more and ended: 75 went to its parent.
    assert cores([one(ROOT, 10), one(2, 70)], [one(ROOT, 12, reaped=75)]) == pytest.approx(2 + 5)


def test_a_child_that_ended_after_its_own_child_did_is_counted_once() -> None:
    before = [one(ROOT, 10), one(2, 20), one(3, 70, parent=2)]
    # The grandchild's 70 and 4 more went to the child, and with its 20 and 1 more to the root.
    assert cores(before, [one(ROOT, 10, reaped=95)]) == pytest.approx(4 + 1)


def test_a_child_nobody_waits_for_takes_nothing_away() -> None:
    assert cores([one(ROOT, 10), one(2, 70)], [one(ROOT, 12)]) == pytest.approx(2)


def test_an_orphan_is_counted_once_whichever_ancestor_waits_for_it() -> None:
    before = [one(ROOT, 10), one(2, 0), one(3, 20, parent=2), one(4, 70, parent=3)]
    # 3 ends first: its 20 go to 2. 4 and its 70, and 5 more, go to the root, not to 2.
    assert cores(before, [one(ROOT, 10, reaped=75), one(2, 0, reaped=20)]) == pytest.approx(5)


def test_a_child_of_a_living_parent_takes_nothing_from_others() -> None:
    """Its parent ignores SIGCHLD: what the root waited for is from other children."""
    before = [one(ROOT, 10), one(2, 0), one(3, 70, parent=2)]
    assert cores(before, [one(ROOT, 10, reaped=75), one(2, 0)]) == pytest.approx(75)


def test_a_new_child_is_counted_whole_and_a_newly_noticed_one_is_not() -> None:
    assert cores([one(ROOT, 0)], [one(ROOT, 0), one(2, 9, start=50)]) == pytest.approx(9)
    assert cores([one(ROOT, 0)], [one(ROOT, 0), one(2, 9, start=3)]) == pytest.approx(0)


def test_a_process_id_used_again_is_another_process() -> None:
    before, after = [one(ROOT, 0), one(2, 70)], [one(ROOT, 0, reaped=71), one(2, 4, start=60)]
    assert cores(before, after) == pytest.approx(1 + 4)


def test_a_tree_that_is_gone_has_no_figures() -> None:
    was, now = tree.Tree(1, {ROOT: one(ROOT, 5)}), tree.Tree(2, {})
    assert tree.delta(was, now, 1.0) == {}
    assert tree.gauges(now) == {}


def test_storage_that_one_process_hides_is_absent_for_the_tree() -> None:
    hidden = one(2, 0)
    hidden = replace(hidden, totals=replace(hidden.totals, io_bytes=None))
    reading = tree.Tree(1, {ROOT: one(ROOT, 0), 2: hidden})
    assert READ not in tree.delta(reading, reading, 1.0)


def test_threads() -> None:
    def reading(times: dict[int, ThreadTimes]) -> tree.Tree:
        return tree.Tree(1, {ROOT: replace(one(ROOT, 0), thread_times=times)})

    before = reading({1: ThreadTimes(10**9, 0, 5), 2: ThreadTimes(10**9, 0, 5)})
    after = reading(
        {
            1: ThreadTimes(10**9 + 900_000_000, 300_000_000, 25),
            2: ThreadTimes(10**9 + 100_000_000, 200_000_000, 5),
            3: ThreadTimes(9 * 10**9, 9 * 10**9, 999),
        }
    )
    values = tree.delta(before, after, 2.0)
    assert values["process.cpu.busiest_thread"] == pytest.approx(0.45)
    assert values["process.cpu.run_delay"] == pytest.approx(0.5 / (1.0 + 0.5))
    assert values["process.context_switches"] == pytest.approx(10)


@dataclass
class Machine:
    """Processes that use ticks and bytes, have children, and end; what they used is known."""

    processes: dict[int, Process] = field(default_factory=lambda: {ROOT: one(ROOT, 0, parent=1)})
    now: int = 1
    pids: int = ROOT
    used_ticks: int = 0
    used_bytes: int = 0

    def work(self, which: int, amount: int) -> None:
        worker = self._pick(which)
        totals = worker.totals
        moved = (totals.io_bytes or (0, 0))[0] + 10 * amount
        self.processes[worker.pid] = replace(
            worker,
            totals=replace(
                totals,
                cpu_ticks=(totals.cpu_ticks[0] + amount, totals.cpu_ticks[1]),
                io_bytes=(moved, 0),
            ),
        )
        self.used_ticks += amount
        self.used_bytes += 10 * amount

    def fork(self, which: int, _amount: int) -> None:
        self.pids += 1
        parent = self._pick(which).pid
        self.processes[self.pids] = one(self.pids, 0, parent=parent, start=self.now)

    def end(self, which: int, _amount: int) -> None:
        """End a process without living children; its parent waits for it."""
        parents = {each.parent for each in self.processes.values()}
        leaf = self._pick(which)
        if leaf.pid in parents or leaf.pid == ROOT:
            return
        del self.processes[leaf.pid]
        heir = self.processes[leaf.parent]
        own, reaped = heir.totals.cpu_ticks
        inherited = (heir.totals.io_bytes or (0, 0))[0] + (leaf.totals.io_bytes or (0, 0))[0]
        self.processes[heir.pid] = replace(
            heir,
            totals=replace(
                heir.totals,
                cpu_ticks=(own, reaped + sum(leaf.totals.cpu_ticks)),
                io_bytes=(inherited, 0),
            ),
        )

    def read(self) -> tree.Tree:
        self.now += 1
        return tree.Tree(self.now, dict(self.processes))

    def _pick(self, which: int) -> Process:
        return list(self.processes.values())[which % len(self.processes)]


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from([Machine.work, Machine.fork, Machine.end]),
        st.integers(0, 50),
        st.integers(1, 100),
    ),
    max_size=60,
)


@given(OPERATIONS, OPERATIONS)
def test_all_that_was_used_is_counted_however_processes_come_and_go(earlier, later) -> None:
    machine = Machine()
    for operation, which, amount in earlier:
        operation(machine, which, amount)
    was = machine.read()
    ticks, moved = machine.used_ticks, machine.used_bytes
    for operation, which, amount in later:
        operation(machine, which, amount)
    values = tree.delta(was, machine.read(), 1.0)
    assert values[CPU] * TICKS_PER_S == pytest.approx(machine.used_ticks - ticks)
    assert values[READ] == pytest.approx(machine.used_bytes - moved)


COUNTS = st.integers(0, 2**63)
PAIRS = st.tuples(COUNTS, COUNTS)
PROCESSES = st.lists(
    st.builds(
        Process,
        pid=st.integers(1, 6),
        parent=st.integers(0, 6),
        started_ticks=st.integers(0, 3),
        ended=st.booleans(),
        threads=st.integers(0, 99),
        resident_bytes=COUNTS,
        totals=st.builds(Totals, PAIRS, PAIRS, PAIRS, st.none() | PAIRS),
        descriptors=st.none() | COUNTS,
        thread_times=st.none()
        | st.dictionaries(st.integers(1, 3), st.builds(ThreadTimes, COUNTS, COUNTS, COUNTS)),
    ),
    max_size=6,
)


@given(PROCESSES, PROCESSES, st.floats(1e-3, 1e6))
def test_no_figure_is_negative_whatever_the_kernel_reports(before, after, elapsed_s) -> None:
    was = tree.Tree(1, {each.pid: each for each in before})
    now = tree.Tree(2, {each.pid: each for each in after})
    values = tree.delta(was, now, elapsed_s) | tree.gauges(now)
    assert all(math.isfinite(value) and value >= 0 for value in values.values())


def test_the_busiest_process_does_not_include_its_children() -> None:
    """300, 120 and 45 ticks in 3 s, the last of a child that ended: the first is one core."""

    def reading(first: int, second: int, reaped: int) -> tree.Tree:
        processes = [
            Process(
                pid,
                1,
                5,
                ended=False,
                threads=1,
                resident_bytes=0,
                totals=Totals((own, gone), (0, 0), (0, 0)),
            )
            for pid, own, gone in ((10, first, reaped), (11, second, 0))
        ]
        return tree.Tree(10, {one.pid: one for one in processes})

    values = tree.delta(reading(100, 40, 0), reading(400, 160, 45), 3.0)
    ticks = TICKS_PER_S
    assert values["process.cpu.busiest_process"] == pytest.approx(300 / ticks / 3)
    assert values["process.cpu.utilization"] == pytest.approx(465 / ticks / 3)
