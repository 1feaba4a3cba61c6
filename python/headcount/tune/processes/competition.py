"""Whether other programs compete with a server, so that its treatment can matter at all."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.text import percent

WAITS = 0.1
"""Share of its working time that a server waits, from which less is worth a trial."""
BUSY = 0.1
"""CPUs that others use, from which they may compete with the server."""
MOVED_BYTES = 1e6
"""Bytes a second that others read and write, from which the server shares its disk."""
MOVED = 0.2
"""The same, as a share of all bytes of the disks."""
_NOT_ITS_MACHINE = ("generator", "server")
"""Sides of counters that are not of the server's machine."""


@dataclass(frozen=True, slots=True)
class Competition:
    """Why a different treatment of a server may help, as sentences without a full stop.

    Attributes:
        cpu: Who uses the CPUs; None if nobody else needs them.
        disk: The same for the disk.

    """

    cpu: str | None
    disk: str | None


def competition(name: str, levels: Sequence[LevelResult]) -> Competition:
    """What the counters of a run show for its levels with the most users."""
    most = max((one.users for one in levels), default=0)
    found = [_of_level(name, one) for one in levels if one.users == most]
    return Competition(_first(one.cpu for one in found), _first(one.disk for one in found))


def _first(reasons: Iterable[str | None]) -> str | None:
    return next((one for one in reasons if one is not None), None)


def _of_level(name: str, level: LevelResult) -> Competition:
    sides = [one for side, one in level.counters.items() if side not in _NOT_ITS_MACHINE]
    known = next((one for one in sides if "process.cpu.utilization" in one), {})
    means = {counter: one.mean for counter, one in known.items()}
    return Competition(_cpu(name, means), _disk(name, means))


def _cpu(name: str, means: Mapping[str, float]) -> str | None:
    # Servers behind it do not compete: it waits for them.
    others = means.get("system.cpu.foreign", 0.0) - means.get("upstream.cpu.utilization", 0.0)
    waits = means.get("process.cpu.run_delay")
    if others < BUSY or (waits is not None and waits < WAITS):
        return None
    share = "" if waits is None else f", and {name} waited for one in {percent(waits)} of the time"
    return f"other programs used {others:.1f} CPUs{share}"


def _disk(name: str, means: Mapping[str, float]) -> str | None:
    moved = means.get("system.disk.io", 0.0)
    own = sum(value for counter, value in means.items() if counter.startswith("process.disk.io{"))
    others, waits = moved - own, means.get("process.threads.blocked.occupied", 0.0)
    if others < max(MOVED_BYTES, MOVED * moved) or waits < WAITS:
        return None
    return (
        f"other programs moved {others / 1e6:.1f} MB/s to and from disks, and {name} waited for "
        f"one in {percent(waits)} of the time"
    )
