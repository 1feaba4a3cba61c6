"""An answer of a view: current figures, and counts since the server's start."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer.

    Attributes:
        gauges: Figures by counter.
        totals: Counts, or times in seconds, since the server's start, by the counter of their
            growth per second.

    """

    gauges: Mapping[str, float] = field(default_factory=dict)
    totals: Mapping[str, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether the answer had the format of the view at all."""
        return bool(self.gauges or self.totals)


Reader = Callable[[], Reading | None]
"""Reads a view once; None if nothing is new since the last time. Raises OSError without an answer
in time, ValueError for another kind of answer."""


def growth(
    elapsed_s: float, before: Mapping[str, float], now: Mapping[str, float]
) -> dict[str, float]:
    """Growth of totals per second; empty if the server was restarted in between."""
    grown = {name: now[name] - before[name] for name in now if name in before}
    if elapsed_s <= 0 or not grown or min(grown.values()) < 0:
        return {}
    return {name: value / elapsed_s for name, value in grown.items()}
