"""The delay line between users and server: what it carried, and what that cost.

Its process belongs neither to the server nor to the load generator, so its CPU counts separately.
"""

import time
from collections.abc import Callable, Mapping

from headcount.counters.source import Sample

NAME = "line"
OF_USERS = f"{NAME}-"
"""Prefix of the names of sources that are lines of groups of users."""
CPU = "process.cpu.utilization"
_RATES: Mapping[str, tuple[str, ...]] = {
    "line.packets": ("packets",),
    "line.io": ("bytes",),
    "line.lost": ("lost",),
    "line.reordered": ("reordered",),
    "line.dropped": ("dropped", "refused", "device_dropped"),
    CPU: ("cpu_s",),
}
"""Counters that are sums of its figures by the second."""


def side_of(name: str) -> str:
    """The name of the source for the line that a plan calls `name`."""
    return OF_USERS + name


def is_line(side: str) -> bool:
    """Whether a source is a delay line."""
    return side == NAME or side.startswith(OF_USERS)


class LineSource:
    """Counters of a line.

    Args:
        figures: Returns its totals so far, or None while it does not answer. If this raises, so
            does `sample`: without their line, users are cut off from the server, and a level of
            them would say nothing about it.

    """

    def __init__(self, figures: Callable[[], Mapping[str, float] | None], name: str = NAME) -> None:
        """Take no reading yet."""
        self.name = name
        self._figures = figures
        self._previous: Mapping[str, float] | None = None

    def sample(self) -> Sample:
        """Read the counters now; rates cover the time since the previous reading."""
        now, was = self._figures(), self._previous
        if now is None:
            return Sample(time.monotonic())
        self._previous = now
        elapsed_s = now["at_s"] - was["at_s"] if was is not None else 0.0
        if was is None or elapsed_s <= 0:
            return Sample(now["at_s"])
        values = {
            name: sum(now[part] - was[part] for part in parts) / elapsed_s
            for name, parts in _RATES.items()
        }
        if sent := now["sent"] - was["sent"]:
            values["line.lateness"] = (now["late_ns"] - was["late_ns"]) / sent / 1e6
            values["line.lateness.max"] = now["latest_ns"] / 1e6
        return Sample(now["at_s"], values)

    def close(self) -> None:
        """Do nothing: the line ends with the run's network."""
