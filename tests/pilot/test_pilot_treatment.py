"""Real processes treated as the modules have it, and put back whatever ends the pilot."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import gettempdir

import pytest

from headcount.errors import InputError
from headcount.pilot.interrupts import System, interrupts
from headcount.pilot.journal import Journal
from headcount.pilot.modules import MODULES, NICE, Server
from headcount.pilot.settings import BACKGROUND_BYTES, MOST_BYTES, fixed, memory, writeback
from headcount.pilot.treatment import Treatment
from headcount.pilot.work import descendants, threads
from headcount.tune.host import ThisHost
from headcount.tune.processes import attributes
from headcount.tune.processes.attributes import BATCH, REAL_TIME, Attributes
from headcount.tune.servers.linux import scheduler_of
from processes import wait_for

ROOT = os.geteuid() == 0
KILLED = Path(__file__).parent / "pilot_killed.py"
KILLS, PROOF_KILLS = 4, 200
LONGEST_S = 30.0
SERVER = Server("server", tuple(sorted(os.sched_getaffinity(0)))[:1], 2, "mq-deadline")
FAMILY = """
import os, subprocess, sys, threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
def born():
    return subprocess.Popen(["sleep", "600"])
children = [born()]
os.setpriority(os.PRIO_PROCESS, children[0].pid, 3)
print(flush=True)
for line in sys.stdin:
    children.append(born())
    print(flush=True)
for child in children:
    child.kill()
"""
"""A server with a thread, a child that is nicer than its parent, and children to come."""


VM = Path("/proc/sys/vm")
DIRTY = ("dirty_background_bytes", "dirty_background_ratio", "dirty_bytes", "dirty_ratio")
LOCK = Path(gettempdir()) / "headcount-tests-kernel.lock"
"""For settings that this machine has once: tests of other clones of this repository wait here."""


def dirty() -> list[str]:
    return [(VM / name).read_text().strip() for name in DIRTY]


def irqs() -> dict[str, str]:
    files = Path("/proc/irq").glob("*/smp_affinity_list")
    return {str(file): file.read_text().strip() for file in files}


def movable() -> bool:
    """Whether this machine has a network card whose interrupts may be moved."""
    return ROOT and bool(interrupts(System()).found)


@pytest.fixture
def kernel() -> Iterator[None]:
    """The kernel's own settings, for one test at a time, and as before afterwards."""
    with LOCK.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        before = dirty(), irqs()
        yield
        assert (dirty(), irqs()) == before


@dataclass(frozen=True)
class Family:
    process: "subprocess.Popen[str]"

    @property
    def pid(self) -> int:
        return self.process.pid

    def one_more(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.process.stdout.readline()

    def state(self) -> dict[int, Attributes | None]:
        tids = [tid for pid in descendants([self.pid]) for tid in threads(pid)]
        return {tid: attributes.read(tid) for tid in sorted(tids)}

    def session(self) -> str:
        return Path(f"/proc/{self.pid}/autogroup").read_text().split(" ", 1)[1]


@pytest.fixture
def family() -> Iterator[Family]:
    process = subprocess.Popen(
        [sys.executable, "-c", FAMILY],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    yield Family(process)
    process.communicate()


def test_a_policy_that_a_server_gave_a_thread_later_stays() -> None:
    with subprocess.Popen(["sleep", "600"]) as process:
        try:
            os.sched_setscheduler(process.pid, os.SCHED_OTHER, os.sched_param(0))
            treatment = Treatment([process.pid])
            os.sched_setscheduler(process.pid, os.SCHED_IDLE, os.sched_param(0))
            for modules in ([MODULES["convoy"]], []):
                treatment.apply(modules, SERVER)
                assert os.sched_getscheduler(process.pid) == os.SCHED_IDLE
        finally:
            process.kill()


if ROOT:  # nobody else may raise a priority

    def test_all_threads_and_new_ones_are_treated_and_put_back(family: Family) -> None:
        before, session = family.state(), family.session()
        assert len(before) == 3
        treatment = Treatment([family.pid])
        treatment.apply([MODULES["priority"]], SERVER)
        assert {one.nice for one in family.state().values() if one} == {NICE}
        assert family.session() == f"nice {NICE}\n"
        treatment.apply(list(MODULES.values()), SERVER)
        family.one_more()
        for one in family.state().values():
            assert one is not None
            assert (one.nice, one.policy, one.cpus) == (NICE, BATCH, {SERVER.cpus[0]})
            assert one.io_class in (REAL_TIME, None)
        treatment.apply([], SERVER)
        after = family.state()
        assert {tid: after[tid] for tid in before} == before
        assert len(after) == 4
        usual = before[family.pid]
        assert all(one == usual for tid, one in after.items() if tid not in before)
        assert family.session() == session

    def test_the_script_puts_back_what_the_pilot_did(family: Family, tmp_path: Path) -> None:
        before, session = family.state(), family.session()
        treatment = Treatment([family.pid])
        journal = Journal(ThisHost(), str(tmp_path / "journal"), treatment.script)
        treatment.note = journal.note
        treatment.apply(list(MODULES.values()), SERVER)
        family.one_more()
        assert journal.close() is None
        after = family.state()
        assert {tid: after[tid] for tid in before} == before
        assert {one for tid, one in after.items() if tid not in before} == {before[family.pid]}
        assert family.session() == session
        assert (tmp_path / "journal" / "done").exists()

    def test_control_groups_of_the_server_get_more_and_are_put_back(
        family: Family, tmp_path: Path
    ) -> None:
        old, new = tmp_path / "v1", tmp_path / "v2"
        much = tmp_path / "much"
        for folder, name, value in (
            (old, "cpu.shares", "512"),
            (new, "cpu.weight", "100"),
            (much, "cpu.weight", "5000"),
        ):
            folder.mkdir()
            (folder / name).write_text(f"{value}\n")
        treatment = Treatment([family.pid], [old, new, much, tmp_path / "gone"])
        treatment.apply([MODULES["priority"]], SERVER)
        assert (old / "cpu.shares").read_text() == "10240"
        assert (new / "cpu.weight").read_text() == "1000"
        assert (much / "cpu.weight").read_text() == "5000"  # nobody gets less
        treatment.apply([], SERVER)
        assert (old / "cpu.shares").read_text() == "512"
        assert (new / "cpu.weight").read_text() == "100"

    @pytest.mark.usefixtures("kernel")
    def test_early_writeback_is_set_and_put_back(family: Family, tmp_path: Path) -> None:
        before = dirty()
        settings = writeback(VM).found
        assert settings, "this machine has less than the usual amount of memory for writes"
        treatment = Treatment([family.pid], settings=settings)
        treatment.apply([MODULES["priority"]], SERVER)
        assert dirty() == before
        treatment.apply([MODULES["writeback"]], SERVER)
        assert dirty() == [str(BACKGROUND_BYTES), "0", str(MOST_BYTES), "0"]
        treatment.apply([], SERVER)
        assert dirty() == before
        journal = Journal(ThisHost(), str(tmp_path / "journal"), treatment.script)
        treatment.note = journal.note
        treatment.apply([MODULES["writeback"]], SERVER)
        assert dirty() != before
        assert journal.close() is None
        assert dirty() == before

    @pytest.mark.usefixtures("kernel")
    def test_protection_of_memory_is_set_and_put_back(family: Family, tmp_path: Path) -> None:
        low = groups(tmp_path) / "memory.low"
        settings = memory({"unified": str(low.parent)}, tmp_path).found
        treatment = Treatment([family.pid], settings=settings)
        journal = Journal(ThisHost(), str(tmp_path / "jour nal"), treatment.script)
        treatment.note = journal.note
        treatment.apply([MODULES["memory"]], SERVER)
        assert low.read_text() == "5000"
        (low.parent / "memory.current").write_text("6000\n")
        treatment.apply([MODULES["memory"]], SERVER)
        assert low.read_text() == "6000"
        assert journal.close() is None
        assert low.read_text() == "10\n"

    def groups(root: Path) -> Path:
        own = root / "web.service"
        own.mkdir()
        (own / "memory.low").write_text("10\n")
        (own / "memory.current").write_text("5000\n")
        return own

    @pytest.mark.e2e
    @pytest.mark.usefixtures("kernel")
    def test_everything_is_put_back_after_a_kill(
        family: Family, tmp_path: Path, proof: bool
    ) -> None:
        before, session = family.state(), family.session()
        kernel_before = dirty(), irqs()
        own = groups(tmp_path)
        random = Random(5)
        for number in range(PROOF_KILLS if proof else KILLS):
            journal = tmp_path / f"journal-{number}"
            killed = subprocess.Popen(
                [sys.executable, KILLED, str(family.pid), journal, str(number), tmp_path],
                stdout=subprocess.PIPE,
                text=True,
            )
            assert killed.stdout is not None
            assert killed.stdout.readline() == "changed\n"
            time.sleep(random.uniform(0, 0.5))
            killed.kill()
            killed.communicate()
            wait_for((journal / "done").exists, LONGEST_S)
            assert family.state() == before, f"kill {number}"
            assert family.session() == session
            assert (dirty(), irqs()) == kernel_before
            assert (own / "memory.low").read_text().strip() == "10"


if movable():

    @pytest.fixture
    def spread(kernel: None) -> Iterator[None]:  # noqa: ARG001 - it comes before this one
        """Interrupts that may go to all CPUs, wherever the machine has them."""
        before = irqs()
        for one in interrupts(System()).found:
            Path(one.file).write_text(f"0-{(os.cpu_count() or 1) - 1}")
        yield
        for file, cpus in before.items():
            if irqs()[file] != cpus:
                Path(file).write_text(cpus)

    @pytest.mark.usefixtures("spread")
    def test_interrupts_of_the_network_move_and_come_back(family: Family, tmp_path: Path) -> None:
        before = irqs()
        settings = interrupts(System()).found
        treatment = Treatment([family.pid], settings=settings)
        treatment.apply([MODULES["interrupts"]], SERVER)
        moved = {one.file: one.wanted() for one in settings}
        assert irqs() == {**before, **moved}
        assert irqs() != before
        treatment.apply([], SERVER)
        assert irqs() == before
        journal = Journal(ThisHost(), str(tmp_path / "journal"), treatment.script)
        treatment.note = journal.note
        treatment.apply([MODULES["interrupts"]], SERVER)
        assert journal.close() is None
        assert irqs() == before


if ROOT:

    def test_a_setting_that_was_never_changed_is_not_written_back(
        family: Family, tmp_path: Path
    ) -> None:
        mine, other = tmp_path / "mine", tmp_path / "other"
        for file in (mine, other):
            file.write_text("1")
        settings = [fixed("memory", mine, "1", "2"), fixed("interrupts", other, "1", "2")]
        treatment = Treatment([family.pid], settings=settings)
        journal = Journal(ThisHost(), str(tmp_path / "journal"), treatment.script)
        treatment.note = journal.note
        treatment.apply([MODULES["memory"]], SERVER)
        other.write_text("3")  # somebody else, meanwhile
        assert journal.close() is None
        assert (mine.read_text().strip(), other.read_text()) == ("1", "3")

    def test_a_process_scheduled_in_real_time_is_left_alone(family: Family) -> None:
        os.sched_setscheduler(family.pid, os.SCHED_FIFO, os.sched_param(1))
        before = attributes.read(family.pid)
        assert before is not None
        assert not before.is_usual
        Treatment([family.pid]).apply(list(MODULES.values()), SERVER)
        assert attributes.read(family.pid) == before


def test_a_server_that_has_gone_is_an_error() -> None:
    with subprocess.Popen(["true"]) as child:
        child.wait()
    with pytest.raises(InputError, match="no process left"):
        Treatment([child.pid])
    assert attributes.read(child.pid) is None
    assert scheduler_of(ThisHost(), [child.pid]) is None
    if ROOT:
        now = Attributes(0, 0, 0, 0, frozenset({0}))
        attributes.change(child.pid, now, Attributes(-5, 0, 0, 0, frozenset({0})))


def test_users_without_rights_are_asked_to_be_root(
    family: Family, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    treatment = Treatment([family.pid])
    monkeypatch.setattr("headcount.tune.processes.attributes.change", refused)
    with pytest.raises(InputError, match="run headcount pilot as root"):
        treatment.apply([MODULES["priority"]], SERVER)
