"""A log of counters that somebody kept: what every reader of logs hands over."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.counters.source import Sample


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A moment with a note by the user.

    Attributes:
        at_s: When, in seconds since 1970 (UTC).
        text: What they wrote.

    """

    at_s: float
    text: str


@dataclass(frozen=True, slots=True)
class Recording:
    """The counters of one machine over some time, read from a log.

    Attributes:
        source: The file or address it was read from.
        format: What kind of log that is, for people: `Perfmon CSV`, `sysstat`, `PCP archive`, ...
        host: The machine's name, None where the log does not say it.
        system: `windows` or `linux`, as far as the log shows: thresholds depend on it.
        samples: In order of time. Other than of live sources, their ``at_s`` is in seconds since
            1970 (UTC). What the log lacks is absent, never zero.
        bookmarks: In order of time.
        notes: What a reader must know, in sentences: time zones assumed, clocks corrected, rows
            that could not be read.
        unknown: Counters of the log that have no name in the catalogue, as the log calls them.

    """

    source: str
    format: str
    host: str | None
    system: str | None
    samples: Sequence[Sample]
    bookmarks: tuple[Bookmark, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
