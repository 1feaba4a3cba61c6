"""What may help a server, as the modules of the original: when, why, and what is done.

The original (AutoPilot for Windows NT, 1998) had modules called Affinity, Convoy, Priority and
Starvation; a fifth was for the bus of a processor of its time.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from headcount.pilot.attributes import BATCH, BEST_EFFORT, OTHER, REAL_TIME, Attributes
from headcount.pilot.work import Work
from headcount.text import percent

NICE = -10
"""Nine tenths of a CPU that one other program wants, too (sched(7): each step is a factor 1.25)."""
WAITS = 0.1
"""Of the time of its work, and it is worth a trial to make that less."""
BUSY = 0.1
"""CPUs that others use, and the server may be in their way."""
MOST_PINNED = 4
"""Times the number of CPUs: more processes than this are better placed by the kernel."""
SWITCHED = 100.0
"""Times a second of CPU time that the kernel has taken the CPU from a thread."""


@dataclass(frozen=True, slots=True)
class Server:
    """What is known of a server when a module is asked.

    Attributes:
        name: Its program.
        cpus: The CPUs it may use.
        processes: How many processes it has.
        scheduler: That of the disk its files are on; None where it is not known.

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
        reason: Why it may help now, as a sentence without its end; None where it has no business.
        treated: The attributes of a thread, of the process with this place in the server.
        done: What it does, as a sentence without its end.
        raises_group: Whether sessions and control groups of the server's own get more CPU, too.

    """

    name: str
    reason: Callable[[Work, Server], str | None]
    treated: Treated
    done: str
    raises_group: bool = False


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
        f"the CPU is taken from {server.name} {often:.0f} times in a second of "
        "its work, which leaves locks held"
    )


def _others(work: Work) -> str:
    return " and ".join(work.others) or "other programs"


def _first(one: Attributes, _: int, __: Server) -> Attributes:
    return replace(one, nice=min(one.nice, NICE))


def _first_at_disk(one: Attributes, _: int, server: Server) -> Attributes:
    if one.io_class is None:
        return one
    # mq-deadline knows classes only; its others are let through after 10 s at the latest.
    if server.scheduler == "mq-deadline":
        return replace(one, io_class=REAL_TIME, io_level=7)
    return replace(one, io_class=BEST_EFFORT, io_level=0)


def _pinned(one: Attributes, place: int, server: Server) -> Attributes:
    return replace(one, cpus=frozenset({server.cpus[place % len(server.cpus)]}))


def _in_batches(one: Attributes, _: int, __: Server) -> Attributes:
    return replace(one, policy=BATCH) if one.policy == OTHER else one


MODULES: Mapping[str, Module] = {
    one.name: one
    for one in (
        Module(
            "priority",
            _waits_for_cpu,
            _first,
            f"its threads come before others' (nice {NICE})",
            raises_group=True,
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
            "a thread that wakes up does not take the CPU from one that works (SCHED_BATCH)",
        ),
    )
}
"""In the order in which they are tried."""
