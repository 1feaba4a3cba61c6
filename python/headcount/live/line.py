"""A counter that was chosen to be shown."""

from dataclasses import dataclass

from headcount.counters.catalogue import label, lookup
from headcount.text import clean

RUN_UNITS = {"users": "{user}", "completed_per_s": "1/s", "p95_ms": "ms", "failed_per_s": "1/s"}
"""Figures of a run, which a bundle has in addition to counters."""
RUN_LABELS = {
    "users": "Users",
    "completed_per_s": "Scenarios completed",
    "p95_ms": "Response time, p95",
    "failed_per_s": "Scenarios failed",
}


@dataclass(frozen=True, slots=True)
class Line:
    """One counter of one source in the chart, the report and the plain lines.

    Attributes:
        source: The source's name.
        name: The counter's name.
        colour: Number of its colour.
        power: Power of ten it is multiplied by, None to fit it to what is shown.

    """

    source: str
    name: str
    colour: int = 0
    power: int | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What distinguishes it from all others."""
        return self.source, self.name


def unit(name: str) -> str | None:
    """A counter's UCUM code; None where the catalogue does not know it."""
    counter = lookup(name)
    return RUN_UNITS.get(name) if counter is None else counter.unit


def title(name: str) -> str:
    """What people call a counter."""
    return RUN_LABELS.get(name) or clean(label(name))
