"""What sources of counters report to viewers: samples, silence, and that they are back."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reading:
    """One sample.

    Attributes:
        at_s: In seconds since 1970 (UTC).
        values: By name, without those that the source could not give.
        cost_ms: CPU time that it cost Headcount; None for samples that somebody else took.

    """

    source: str
    at_s: float
    values: Mapping[str, float] = field(default_factory=dict)
    cost_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Lost:
    """A source gives no more samples, for now."""

    source: str
    at_s: float
    reason: str


@dataclass(frozen=True, slots=True)
class Back:
    """A source that was lost answers again."""

    source: str
    at_s: float


@dataclass(frozen=True, slots=True)
class Remark:
    """A bookmark from a log."""

    at_s: float
    text: str


News = Reading | Lost | Back | Remark
