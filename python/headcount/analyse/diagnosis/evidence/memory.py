"""Signs that memory was short, which mostly shows as disk reads."""

from collections.abc import Sequence

from headcount.analyse.diagnosis import kills
from headcount.analyse.diagnosis.evidence import disk
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import count, megabytes_per_s, memory, share

PAGE_BYTES = 4096
"""Bytes counted for a page swapped in; the usual page size."""
REFAULTS = "cgroup.memory.refaults"
HOST_REFAULTS = "system.linux.memory.refaults"
SWAPPED_IN = "system.paging.operations{system.paging.direction=in}"
PRESSURE = "cgroup.pressure{resource=memory,kind=some}"
HOST_PRESSURE = "system.linux.pressure{resource=memory,kind=some}"
LIMIT = "cgroup.memory.limit"
KILLED = "killed"
"""The kind of sign that leaves no doubt: the kernel killed server processes."""


def read_again(level: Observation) -> float | None:
    """Recently evicted bytes read again, over all bytes read; None if not observed.

    If a server reads nothing, the share is 0.
    """
    own = level.mean(REFAULTS)
    again = own if own is not None else level.mean(HOST_REFAULTS)
    swapped = level.mean(SWAPPED_IN)
    if again is None and swapped is None:
        return None
    bytes_again = (again or 0.0) + (swapped or 0.0) * PAGE_BYTES
    # A group's refaults belong to the reads of its processes, the host's to those of the machine.
    of_group = own is not None and level.mean(disk.READ) is not None
    read = level.mean(disk.READ if of_group else disk.HOST_READ)
    if read is None:
        return None
    # The kernel reads swapped pages itself, outside any process's account.
    whole = max(read, bytes_again)
    return bytes_again / whole if whole > 0 else 0.0


def part_of_disk(level: Observation) -> float | None:
    """Bytes read again, as a share of those read and written; None if not observed.

    A server that waits for its writes may read little, all of it again: that is no memory shortage.
    """
    ratio = read_again(level)
    if ratio is None:
        return None
    read = level.mean(disk.READ, disk.HOST_READ) or 0.0
    written = level.mean(disk.WRITTEN, disk.HOST_WRITTEN) or 0.0
    swapped = (level.mean(SWAPPED_IN) or 0.0) * PAGE_BYTES
    read = max(read, swapped)
    return ratio * read / (read + written) if read else 0.0


def signs(level: Observation, waits_for_disk: Sign | None) -> Sign | None:
    """How surely memory was short: pressure, or disk reads due to it; None if not observed."""
    pressure = level.mean(PRESSURE, HOST_PRESSURE)
    ratio = read_again(level)
    if pressure is None and ratio is None:
        return None
    figures, score, detail = [], 0.0, None
    if ratio is not None:
        again = level.mean(REFAULTS, HOST_REFAULTS) or 0.0
        text = (
            f"{share(ratio)} of what it read from disk ({megabytes_per_s(again)}) had just been "
            "evicted from memory"
        )
        refaults = REFAULTS if level.mean(REFAULTS) is not None else HOST_REFAULTS
        figures.append(figure(level, refaults, again, text))
        enough = (part_of_disk(level) or 0.0) >= threshold("memory.refaults")
        if waits_for_disk is not None and enough:
            score, detail = waits_for_disk.score, "as disk"
            figures += waits_for_disk.figures[:1]
    if pressure is not None:
        text = f"its tasks waited for memory {share(pressure)} of the time"
        counter = PRESSURE if level.mean(PRESSURE) is not None else HOST_PRESSURE
        shown = figure(level, counter, pressure, text, threshold=threshold("memory.pressure"))
        direct = min(pressure / threshold("memory.pressure"), 1.0) * 0.9
        if direct > score or not score:
            score, detail = direct, "pressure" if direct else None
            # A pressure below its threshold convinces less than bytes read again.
            clear = pressure >= threshold("memory.pressure") or (
                part_of_disk(level) or 0.0
            ) < threshold("memory.refaults")
            figures.insert(0 if clear else len(figures), shown)
        else:
            figures.append(shown)
    return _limited(level, detail, score, figures)


def kill_sign(observations: Sequence[Observation]) -> Sign | None:
    """Server processes that the kernel killed, at the fewest users; None if there are none.

    Includes invalid or unfinished levels: a killed process has lost its data.
    """
    level = min((o for o in observations if o.kills), key=lambda o: o.users, default=None)
    if level is None or level.kills is None:
        return None
    number = level.kills.number
    if level.kills.gone:
        of, more = "process" if number == 1 else "processes", ", and no server process was left"
        text = f"the kernel OOM-killed {count(number)} {of} on its machine{more}"
    else:
        text = f"the kernel OOM-killed {count(number)} of its processes"
    counter = kills.HOST if level.kills.gone else kills.OWN
    shown = figure(level, counter, number, text, side="sut", unit="{kill}")
    # A group that is gone with its processes reported its limit before.
    limits = [o for o in (level, *reversed(observations)) if o.mean(LIMIT) is not None]
    return _limited(limits[0] if limits else level, KILLED, 1.0, [shown])


def _limited(level: Observation, detail: str | None, score: float, figures: list[Figure]) -> Sign:
    """The sign, with the memory limit of the server's control group."""
    limit = level.mean(LIMIT)
    if limit is not None:
        text = f"its control group may use {memory(limit)}"
        figures.append(figure(level, LIMIT, limit, text))
    return Sign("memory", detail, score, tuple(figures), limit, None if limit is None else "By")
