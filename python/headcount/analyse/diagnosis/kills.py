"""Server processes that the kernel OOM-killed, in any second of a level."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.bundle.level import LevelResult

OWN = "cgroup.memory.oom_kills"
HOST = "system.linux.memory.oom_kills"
ALIVE = "process.count"
"""A server with this counter has processes."""
LATEST_S = 2
"""Seconds after the server's last process was seen within which a kill counts as its end: the
counters of its machine and its processes are read in turn, and may differ by a second."""


@dataclass(frozen=True, slots=True)
class Kills:
    """What the kernel killed during a level, including ramp and settling.

    Attributes:
        number: Killed processes of the server's control group; with `gone`, of its machine.
        gone: Whether the server ended then, with all its processes or with the one that led to its
            control group. The group's own count is then unreadable, and only its machine's counts.

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
    missing: int | None = None
    processes = 0.0
    has_group = ended = False
    # The machine's kills in the last second in which the server had a process but its group was
    # unreadable; they are the server's if it ended then.
    doubtful: dict[int, float] = {}
    for second in seconds:
        level, counters = second["level"], second["counters"].get("sut", {})
        killed = counters.get(HOST, 0.0) * second["seconds"]
        if OWN in counters:
            has_group, ended, doubtful = True, False, {}
            if counters[OWN]:
                own[level] = own.get(level, 0.0) + counters[OWN] * second["seconds"]
        elif ALIVE in counters and not ended:
            doubtful = {level: killed} if killed else {}
            # The process that led to its group is gone with others; the rest, such as a session of
            # PostgreSQL, may stay for seconds.
            ended = has_group and bool(killed) and counters[ALIVE] < processes
        if ALIVE in counters:
            missing, processes = 0, counters[ALIVE]
        elif counters and missing is not None:
            missing += 1
            ended = ended or (missing == 1 and bool(doubtful))
        if missing and missing <= LATEST_S and killed:
            gone[level] = gone.get(level, 0.0) + killed
    for level, killed in doubtful.items() if ended else ():
        gone[level] = gone.get(level, 0.0) + killed
    found = {level: Kills(_whole(number), gone=True) for level, number in gone.items()}
    return found | {
        level: Kills(_whole(number), gone=level in gone) for level, number in own.items()
    }


def _whole(number: float) -> int:
    """A number of kills: a rate times seconds, rounded, and at least 1."""
    return max(round(number), 1)
