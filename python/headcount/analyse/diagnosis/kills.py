"""Server processes that the kernel OOM-killed, in any second of a level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.bundle.level import LevelResult

OWN = "cgroup.memory.oom_kills"
HOST = "system.linux.memory.oom_kills"
ALIVE = "process.count"
"""A server that has this counter has processes."""
LATEST_S = 2
"""Seconds after a server's last process was seen in which a kill is taken for its end: the count of
its machine and its processes are read one after the other, and may show it a second apart."""


@dataclass(frozen=True, slots=True)
class Kills:
    """What the kernel killed during a level, including ramp and settling.

    Attributes:
        number: Processes of the server's own control group; with `gone` those of its machine.
        gone: Whether the server had no process left then. Its group and the group's own count have
            gone with it, and only its machine still counts.

    """

    number: int
    gone: bool


def kills(levels: Sequence[LevelResult], seconds: Iterable[Mapping[str, Any]]) -> dict[int, Kills]:
    """Kills by level, for levels with any; without seconds, from the means of the level."""
    found = _in_seconds(seconds)
    for level in levels:
        summary = level.counters.get("sut", {}).get(OWN)
        if level.index not in found and summary is not None and summary.mean > 0:
            found[level.index] = Kills(_whole(summary.mean * level.steady_s), gone=False)
    return found


def _in_seconds(seconds: Iterable[Mapping[str, Any]]) -> dict[int, Kills]:
    own: dict[int, float] = {}
    gone: dict[int, float] = {}
    unseen: int | None = None
    # The level and the machine's kills of the last second in which the server had processes, where
    # its group and the group's own count had gone already.
    last: tuple[int, float] | None = None
    for second in seconds:
        level, counters = second["level"], second["counters"].get("sut", {})
        killed = counters.get(HOST, 0.0) * second["seconds"]
        if ALIVE in counters:
            unseen = 0
            last = (level, killed) if killed and OWN not in counters else None
        elif counters and unseen is not None:
            unseen += 1
        if unseen == 1 and last is not None:
            gone[last[0]] = gone.get(last[0], 0.0) + last[1]
        if unseen and unseen <= LATEST_S and killed:
            gone[level] = gone.get(level, 0.0) + killed
        if counters.get(OWN):
            own[level] = own.get(level, 0.0) + counters[OWN] * second["seconds"]
    found = {level: Kills(_whole(number), gone=True) for level, number in gone.items()}
    return found | {
        level: Kills(_whole(number), gone=level in gone) for level, number in own.items()
    }


def _whole(number: float) -> int:
    """A number of kills: a rate times seconds, rounded, and at least 1."""
    return max(round(number), 1)
