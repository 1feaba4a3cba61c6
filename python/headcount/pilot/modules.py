"""Modules that may help a server: when, why, and what they do.

The original (AutoPilot for Windows NT, 1998) had modules called Affinity, Convoy, Priority and
Starvation; a fifth was for the bus of a processor of its time. Memory, writeback and interrupts
are new: they change settings of the kernel (`headcount.pilot.settings`), not threads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from headcount.pilot.settings import (
    BACKGROUND_BYTES,
    INTERRUPTS,
    MEMORY,
    MOST_BYTES,
    PRIORITY,
    WRITEBACK,
)
from headcount.pilot.work import Work
from headcount.text import memory, percent
from headcount.tune.processes.attributes import BATCH, BEST_EFFORT, OTHER, REAL_TIME, Attributes
from headcount.tune.processes.competition import BUSY, WAITS

SETTLE_S = 0.5
"""What runs already uses up its time slice first."""
PAGES_S = 3.0
"""Dirty pages are written out first, and evicted pages come back."""
NICE = -10
"""Nine tenths of a CPU shared with one other program (sched(7): each step is a factor 1.25)."""
MOST_PINNED = 4
"""Processes per CPU beyond which the kernel places them better."""
SWITCHED = 100.0
"""Preemptions per second of CPU time."""
FAULTS = 10.0
"""Pages a second read again: at 10 ms each from a disk, a tenth of a thread's time."""
STALLED = 0.05
"""Share of the time that a thread waited for memory: first reads do not count as such waits."""
DIRTY_BYTES = 2 * MOST_BYTES
"""Memory that waits to be written, from which it is worth a trial to let less wait."""
INTERRUPTED = 1000.0
"""Network interrupts a second on one CPU: a quiet network, or one in this machine, has fewer."""
ONE_CPU = 2 / 3
"""Share of the interrupts that hit one CPU: with less they are spread already."""


@dataclass(frozen=True, slots=True)
class Server:
    """What a module may know of a server.

    Attributes:
        name: Its program.
        cpus: The CPUs it may use.
        processes: How many processes it has.
        scheduler: That of the disk its files are on; None if it is not known.

    """

    name: str
    cpus: Sequence[int]
    processes: int
    scheduler: str | None


Treated = Callable[[Attributes, int, Server], Attributes]


@dataclass(frozen=True)
class Module:
    """One way to help.

    Attributes:
        name: As people call it.
        reason: Why it may help now, as a sentence without a full stop; None if it cannot help.
        treated: The new attributes of a thread, given its process's position in the server.
        done: What it does, as a sentence without a full stop.
        raises_session: Whether sessions of the server's own get more CPU, too.
        settle_s: How long it takes to show after it was switched on or off.

    """

    name: str
    reason: Callable[[Work, Server], str | None]
    treated: Treated
    done: str
    raises_session: bool = False
    settle_s: float = SETTLE_S


def _waits_for_cpu(work: Work, server: Server) -> str | None:
    busy = work.others_s / work.length_s
    if work.share(work.wait_s) < WAITS or busy < BUSY:
        return None
    return (
        f"{server.name} waits for a CPU in {percent(work.share(work.wait_s))} of the time of its "
        f"work, and {_others(work)} use {busy:.1f} CPUs"
    )


def _waits_for_disk(work: Work, server: Server) -> str | None:
    if work.share(work.disk_s) < WAITS or server.scheduler in (None, "none", "kyber"):
        return None
    return f"{server.name} waits for a disk in {percent(work.share(work.disk_s))} of its time"


def _moves(work: Work, server: Server) -> str | None:
    most = MOST_PINNED * len(server.cpus)
    if len(server.cpus) < 2 or not 2 <= server.processes <= most or work.share(work.wait_s) < WAITS:
        return None
    return f"{server.name} has {server.processes} processes that wait for {len(server.cpus)} CPUs"


def _is_preempted(work: Work, server: Server) -> str | None:
    often = work.preempted / work.cpu_s if work.cpu_s else 0.0
    if often < SWITCHED or work.others_s / work.length_s >= BUSY:
        return None
    return (
        f"the kernel preempts {server.name} {often:.0f} times in a second of its work, which "
        "leaves locks held"
    )


def _loses_pages(work: Work, server: Server) -> str | None:
    often = work.major_faults / work.length_s
    is_stalled = work.stalled_s is None or work.stalled_s >= STALLED * work.length_s
    if often < FAULTS or not is_stalled or work.share(work.disk_s) < WAITS:
        return None
    return (
        f"{server.name} waits for a disk in {percent(work.share(work.disk_s))} of its time, and "
        f"reads {often:.0f} pages a second that are no longer in memory"
    )


def _waits_for_writes(work: Work, server: Server) -> str | None:
    if work.share(work.disk_s) < WAITS or work.dirty_bytes < DIRTY_BYTES:
        return None
    return (
        f"{server.name} waits for a disk in {percent(work.share(work.disk_s))} of its time, and "
        f"{memory(work.dirty_bytes)} wait to be written"
    )


def _is_interrupted(work: Work, server: Server) -> str | None:
    total = sum(work.interrupts.values())
    if len(server.cpus) < 2 or not total or work.share(work.wait_s) < WAITS:
        return None
    cpu = max(work.interrupts, key=lambda one: work.interrupts[one])
    hits = work.interrupts[cpu]
    taken = work.interrupt_s.get(cpu, 0.0) / work.length_s
    looks = sum(work.runnable.values())
    is_there = looks > 0 and work.runnable.get(cpu, 0) >= looks / len(server.cpus)
    if hits < max(ONE_CPU * total, INTERRUPTED * work.length_s) or taken < WAITS or not is_there:
        return None
    return (
        f"the network interrupts CPU {cpu} {hits / work.length_s:.0f} times a second, which takes "
        f"{percent(taken)} of it, and threads of {server.name} wait there"
    )


def _others(work: Work) -> str:
    return " and ".join(work.others) or "other programs"


def _first(one: Attributes, _: int, __: Server) -> Attributes:
    return replace(one, nice=min(one.nice, NICE))


def _first_at_disk(one: Attributes, _: int, server: Server) -> Attributes:
    if one.io_class is None:
        return one
    # mq-deadline knows only classes; it serves the other classes after at most 10 s.
    if server.scheduler == "mq-deadline":
        return replace(one, io_class=REAL_TIME, io_level=7)
    return replace(one, io_class=BEST_EFFORT, io_level=0)


def _pinned(one: Attributes, place: int, server: Server) -> Attributes:
    # It may be kept from some CPUs, on purpose or by its control group.
    cpus = [cpu for cpu in server.cpus if cpu in one.cpus] or sorted(one.cpus)
    return replace(one, cpus=frozenset({cpus[place % len(cpus)]}))


def _in_batches(one: Attributes, _: int, __: Server) -> Attributes:
    return replace(one, policy=BATCH) if one.policy == OTHER else one


def _as_it_is(one: Attributes, _: int, __: Server) -> Attributes:
    return one


MODULES: Mapping[str, Module] = {
    one.name: one
    for one in (
        Module(
            PRIORITY,
            _waits_for_cpu,
            _first,
            f"its threads come before others' (nice {NICE})",
            raises_session=True,
        ),
        Module(
            "starvation",
            _waits_for_disk,
            _first_at_disk,
            "its reads and writes come before others' (I/O priority)",
        ),
        Module("affinity", _moves, _pinned, "each of its processes stays on one CPU"),
        Module(
            "convoy",
            _is_preempted,
            _in_batches,
            "a thread that wakes up does not preempt one that works (SCHED_BATCH)",
        ),
        Module(
            MEMORY,
            _loses_pages,
            _as_it_is,
            "the memory of its control group is protected (memory.low)",
            settle_s=PAGES_S,
        ),
        Module(
            WRITEBACK,
            _waits_for_writes,
            _as_it_is,
            f"the kernel writes changed pages out above {memory(BACKGROUND_BYTES)}, and writers "
            f"wait above {memory(MOST_BYTES)} (vm.dirty_background_bytes, vm.dirty_bytes)",
            settle_s=PAGES_S,
        ),
        Module(
            INTERRUPTS,
            _is_interrupted,
            _as_it_is,
            "the network's interrupts go to other CPUs (smp_affinity_list)",
        ),
    )
}
"""All modules, in the order in which they are tried."""
