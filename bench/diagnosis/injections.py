"""The classes of limits: the stages for each, and the limits for a strength."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from bench.diagnosis.draw import Draw
from bench.diagnosis.stages import Stage

Limit = Literal[
    "cpu", "thread", "memory", "disk", "network", "pool", "lock", "refusal", "generator", "none"
]


@dataclass(frozen=True)
class Demand:
    """What a stage does unlimited: its throughput, and the resources that takes per second."""

    per_s: float
    server_cores: float
    generator_cores: float
    moved_bytes_s: float
    written_bytes_s: float


@dataclass(frozen=True)
class Injection:
    """What is done to a run, and what limits it as a result.

    Attributes:
        limit: What limits.
        detail: Which kind of it.
        strength: What was drawn, for people.
        accepted: Other answers that are right, too.
        cold: Whether the server's files are kept out of the page cache.
        loop: Whether its data is on a loop device.
        hogs: Busy processes of other programs.
        levels: Users of the ladder; by default the harness's own.

    """

    limit: Limit
    detail: str
    strength: str
    limits: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, str] = field(default_factory=dict)
    think_s: float = 0.0
    steps: Sequence[Mapping[str, Any]] | None = None
    accepted: Sequence[Limit] = ()
    cold: bool = False
    loop: bool = False
    hogs: int = 0
    levels: Sequence[int] | None = None


@dataclass(frozen=True)
class Case:
    """What an injection is made for."""

    stage: Stage
    demand: Demand
    draw: Draw


Make = Callable[[Case], Injection]


@dataclass(frozen=True)
class Class:
    """A class of limits: the stages on which it makes sense, and how to make it."""

    stages: Sequence[str]
    make: Make


FRACTION = (0.06, 0.5)
"""Share of the unlimited throughput that a limit leaves."""


def _cpu(case: Case) -> Injection:
    cores = max(case.demand.server_cores * case.draw.between(*FRACTION), 0.02)
    return Injection("cpu", "quota", f"{cores:.3f} cores", {"cpu": f"{cores:.3f}"})


def _thread(case: Case) -> Injection:
    settings = {
        "nginx": {"workers": "1"},
        "app": {"threads": "1"},
        "mail": {"client_limit": "1000", "imap_processes": "1"},
    }[case.stage.server]
    # A server with one service thread is also a pool of one.
    accepted: Sequence[Limit] = ("pool",) if case.stage.server == "app" else ()
    return Injection("thread", "single", "1 thread", settings=settings, accepted=accepted)


def _cores(_: Case) -> Injection:
    return Injection("cpu", "cores", "all of the machine")


def _neighbour(case: Case) -> Injection:
    hogs = case.draw.whole(2, 6)
    limits = {"cpu-weight": str(case.draw.whole(20, 80))}
    return Injection("cpu", "neighbour", f"{hogs} busy processes", limits, hogs=hogs)


def _memory(case: Case) -> Injection:
    memory = int(case.stage.file_bytes * case.draw.between(0.12, 0.45)) + (24 << 20)
    read = case.draw.between(30e6, 60e6)
    limits = {"memory": str(memory), "disk-read": f"{read:.0f}"}
    return Injection("memory", "limit", f"{memory >> 20} MiB", limits)


def _read_rate(case: Case) -> float:
    """Less than the server moves unlimited; of what it reads and does not send nothing is known."""
    drawn = case.draw.between(3e6, 40e6)
    moved = case.demand.moved_bytes_s * FRACTION[1]
    return min(drawn, moved) if case.stage.server != "postgresql" else drawn


def _disk_hidden(case: Case) -> Injection:
    rate = _read_rate(case)
    limits = {"disk-read": f"{rate:.0f}"}
    return Injection("disk", "read", f"{rate / 1e6:.1f} MB/s", limits, cold=True)


def _disk_visible(case: Case) -> Injection:
    rate = _read_rate(case)
    limits = {"disk-read": f"{rate:.0f}"}
    strength = f"{rate / 1e6:.1f} MB/s, loop device"
    return Injection("disk", "read", strength, limits, cold=True, loop=True)


def _write(case: Case) -> Injection:
    rate = max(case.demand.written_bytes_s * case.draw.between(0.06, 0.4), 100_000)
    return Injection("disk", "write", f"{rate / 1e6:.2f} MB/s", {"disk-write": f"{rate:.0f}"})


def _network(case: Case) -> Injection:
    bits = min(max(case.demand.moved_bytes_s * 8 * case.draw.between(*FRACTION), 1e6), 400e6)
    return Injection("network", "rate", f"{bits / 1e6:.1f} Mbit/s", {"network": f"{bits:.0f}bit"})


def _generator(case: Case) -> Injection:
    cores = max(case.demand.generator_cores * case.draw.between(0.08, 0.4), 0.04)
    return Injection("generator", "quota", f"{cores:.3f} cores", {"generator-cpu": f"{cores:.3f}"})


def _pool(case: Case) -> Injection:
    workers = case.draw.whole(3, 16)
    think_s = case.draw.between(0.05, 0.3)
    settings = {"mpm": "prefork", "workers": str(workers), "keepalive_requests": "10"}
    strength = f"{workers} workers"
    return Injection("pool", "workers", strength, settings=settings, think_s=think_s)


LOCKED = (
    "WITH one AS (UPDATE headcount.people SET mail = mail WHERE id = 1 RETURNING id) "
    "SELECT pg_sleep($1::double precision) FROM one"
)
"""Users update one row, and hold its lock until the statement ends."""


def _lock(case: Case) -> Injection:
    held_s = case.draw.between(0.001, 0.01)
    steps = [{"name": "ask", "op": "sql", "statement": LOCKED, "parameters": [f"{held_s:.5f}"]}]
    settings = {"synchronous_commit": "off"}
    return Injection("lock", "row", f"{held_s * 1e3:.1f} ms", settings=settings, steps=steps)


def _think(case: Case) -> Injection:
    """A think time with which 64 users need at most a tenth of the capacity."""
    think_s = min(max(case.draw.between(0.2, 2.0), 64 / (0.1 * case.demand.per_s)), 4.0)
    return Injection("none", "think time", f"{think_s:.2f} s", think_s=think_s)


def _refusal(case: Case) -> Injection:
    most = case.draw.whole(16, 44)
    key, extra = {
        "app": ("connections", 0),
        "samba": ("max_processes", 4),
        "postgresql": ("max_connections", 4),
    }[case.stage.server]
    settings = {key: str(most + extra)}
    # The admitted users need a third of the capacity: nothing else is full before.
    think_s = max(most / (0.3 * case.demand.per_s), 0.02)
    return Injection("refusal", "sessions", f"{most} sessions", settings=settings, think_s=think_s)


def _pair(case: Case) -> Injection:
    """Two of CPU, network and generator; the second leaves twice as much or more."""
    makers = {"cpu": _cpu, "network": _network, "generator": _generator}
    first, second = case.draw.some(sorted(makers), 2)
    strong = case.draw.between(0.06, 0.25)
    weak = strong * (2 + case.draw.between(0.01, 1.0))
    if second == "generator":
        # At a fraction of its throughput a scenario costs it half as much again, and what it does
        # besides costs as much as ever.
        weak = 1.5 * weak + OWN_CORES / case.demand.generator_cores
    one = makers[first](replace(case, draw=case.draw.fixed(strong)))
    other = makers[second](replace(case, draw=case.draw.fixed(min(weak, 0.9))))
    limits = {**other.limits, **one.limits}
    return Injection(one.limit, one.detail, f"{one.strength} ({second} {other.strength})", limits)


KNEE_USERS = 48
OWN_CORES = 0.05
"""CPU that the generator needs for sampling, reports and its bundle."""
NEAR_KNEE = (0.55, 0.9, 1.05, 1.2)
"""Levels as a search leaves them: of the users at which think time hides no more of the limit."""


def _knee(case: Case) -> Injection:
    """A limit that is met with think times, and levels near it, where throughput hardly bends yet.

    Asymptotes of the throughput meet where users are the limit's throughput times think time.
    """
    strong = case.draw.between(0.06, 0.3)
    make = case.draw.one((_cpu, _network))
    one = make(replace(case, draw=case.draw.fixed(strong)))
    think_s = KNEE_USERS / (strong * case.demand.per_s)
    levels = [round(KNEE_USERS * share) for share in NEAR_KNEE]
    strength = f"{one.strength}, think time {think_s * 1e3:.0f} ms"
    return replace(one, strength=strength, think_s=think_s, levels=levels)


CLASSES: Mapping[str, Class] = {
    "cpu-quota": Class(
        [
            "nginx-small",
            "nginx-zip",
            "apache-small",
            "samba-small",
            "app-cpu",
            "mail-fetch",
            "sql-cpu",
        ],
        _cpu,
    ),
    "thread": Class(("nginx-zip", "app-cpu", "mail-fetch"), _thread),
    "cores": Class(("nginx-zip", "app-cpu", "sql-cpu"), _cores),
    "neighbour": Class(("nginx-zip", "app-cpu", "sql-cpu"), _neighbour),
    "memory": Class(("nginx-big", "apache-big", "samba-big", "sql-read"), _memory),
    "disk-hidden": Class(
        ("nginx-big", "apache-big", "samba-big", "app-read", "sql-read"), _disk_hidden
    ),
    "disk-visible": Class(
        ("nginx-big", "apache-big", "samba-big", "app-read", "sql-read"), _disk_visible
    ),
    "disk-write": Class(("app-write", "samba-write", "mail-append", "sql-write"), _write),
    "network": Class(
        ("nginx-big", "apache-big", "samba-big", "app-reply", "mail-fetch", "sql-wide"), _network
    ),
    "generator": Class(
        ("nginx-small", "apache-small", "samba-small", "app-reply", "mail-fetch", "sql-wide"),
        _generator,
    ),
    "pool": Class(("apache-small",), _pool),
    "lock": Class(("sql-write",), _lock),
    "think": Class(
        ("nginx-small", "apache-small", "samba-small", "app-reply", "mail-fetch", "sql-cpu"), _think
    ),
    "refusal": Class(("app-cpu", "samba-small", "sql-cpu"), _refusal),
    "two": Class(("nginx-small", "app-reply", "samba-small", "mail-fetch", "sql-wide"), _pair),
    "knee": Class(("nginx-small", "app-reply", "samba-small", "mail-fetch", "sql-wide"), _knee),
}
