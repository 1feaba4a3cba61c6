"""What the counters show of the server: its processes, only its machine, or nothing."""

from collections.abc import Sequence
from typing import Literal

from headcount.analyse.diagnosis.evidence import cpu, path, software
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign
from headcount.bundle.environment import ServerFound

Sight = Literal["processes", "machine", "shared machine", "nothing"]
"""`shared machine`: only the load generator's own, where any program may be the busy one."""

OF_PROCESSES = (cpu.OWN, cpu.GROUP, cpu.THROTTLED, cpu.PRESSURE, cpu.DELAY)
"""Counters of the server's own processes; one suffices."""
BY_LOAD = {software.PLACES, software.OUTSIDE, software.SERIAL}
"""Figures that come from response times, whatever the time is spent on."""


def sight(levels: Sequence[Observation], server: ServerFound | None = None) -> Sight:
    """What some levels show; `server` is one that was looked for, here or over SSH."""
    if _any(levels, OF_PROCESSES):
        return "processes"
    if server is not None and server.machine is None:
        return "shared machine"
    return "machine" if _any(levels, (cpu.HOST,)) else "nothing"


def can_prove(seen: Sight, sign: Sign) -> bool:
    """Whether a sign means what it says, given what is observed of the server.

    A pool or a lock is inferred when resources are idle, so it takes the server's processes, or the
    server's own report. A full machine proves something about a server that has it to itself.
    """
    if seen == "processes" or sign.limit in ("refusal", "generator"):
        return True
    if path.is_of(sign):
        return True  # the generator's end of the connections shows it
    if sign.limit in ("pool", "lock", "upstream", "limiter"):
        return any(figure.counter not in BY_LOAD for figure in sign.figures)
    return seen == "machine"


def missing_text(seen: Sight, server: ServerFound | None) -> str:
    """What is unknown, and how to observe it."""
    if seen == "shared machine" and server is not None:
        return server.missing or "the server's processes are not known: name them with --pid"
    if seen == "machine" and server is not None and server.missing:
        return f"no resource of the machine is full, and {server.missing}"
    if seen == "machine":
        return (
            "no resource of the machine is full, and no process of the server is seen. If the "
            "server is on another machine, run the same command there"
        )
    return (
        "only the server's answers are known, not its machine's counters. Add them with --source "
        "ssh://USER@HOST, or run the same command on the server's machine"
    )


def _any(levels: Sequence[Observation], names: Sequence[str]) -> bool:
    return any(level.mean(name) is not None for level in levels for name in names)
