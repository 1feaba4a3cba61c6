"""Where the counters of another machine come from, for the disclosure of a run."""

from dataclasses import dataclass
from typing import Protocol

from headcount.counters.clock import ClockOffset
from headcount.counters.source import Source


@dataclass(frozen=True, slots=True)
class Origin:
    """What is known of where counters come from.

    Attributes:
        address: As it was given: `http://host:port/metrics`, `ssh://host`.
        program: What gives them there.
        host: The machine's own name, None where it does not say it.
        system: `linux` or `windows`.
        clock: How far its clock is ahead of ours; None where it does not give its time.
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

    ``sample`` raises TargetError when the machine cannot be read; the next call tries anew.
    """

    @property
    def origin(self) -> Origin:
        """Where its counters come from, as far as is known now."""
        ...
