"""Where the counters of another machine come from, for the disclosure of a run."""

from dataclasses import dataclass
from typing import Protocol

from headcount.counters.clock import ClockOffset
from headcount.counters.source import Source

OLD_S = 5.0
"""No rates since an older answer: in a run, which asks each second, they would be averages over a
gap."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of counters, as far as known.

    Attributes:
        address: As it was given: `http://host:port/metrics`, `ssh://host`.
        program: The program that provides them.
        host: The machine's own name, None if unknown.
        system: `linux` or `windows`.
        clock: How far its clock is ahead of ours; None if it does not report its time.
        clock_steps: How often its clock was set while it was read.

    """

    address: str
    program: str
    host: str | None
    system: str
    clock: ClockOffset | None
    clock_steps: int = 0


class FarSource(Source, Protocol):
    """A source on another machine: sampling waits for an answer, and may fail altogether.

    ``sample`` raises TargetError if the machine cannot be read; the next call tries again.
    """

    @property
    def origin(self) -> Origin:
        """The origin of its counters, as far as known now."""
        ...
