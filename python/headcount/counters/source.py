"""The interface of every origin of counters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Sample:
    """The counters of one source at one moment.

    A figure the source cannot give is absent, never zero. Rates (per second, shares of time) cover
    the time since the source's previous sample, so a source's first sample has none.

    Attributes:
        at_s: When the sample was taken, in seconds of ``time.monotonic``.
        values: Counter name to value; :mod:`headcount.counters.catalogue` gives each name's unit
            and meaning.

    """

    at_s: float
    values: Mapping[str, float] = field(default_factory=dict)


class Source(Protocol):
    """An origin of counters, sampled once a second while a level runs.

    Attributes:
        name: Whose counters these are, unique in a run: ``"server"``, ``"generator"``, ...

    """

    name: str

    def sample(self) -> Sample:
        """Read the counters now. Never raises because a figure is missing."""
        ...

    def close(self) -> None:
        """Release what the source holds; it is not sampled afterwards."""
        ...
