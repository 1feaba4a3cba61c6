"""A log of counters: what every reader of logs returns."""

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
        format: The format of the log, for people: `Perfmon CSV`, `sysstat`, `PCP archive`, ...
        host: The machine's name, None if the log does not have it.
        system: `windows` or `linux`, as far as the log shows: thresholds depend on it.
        samples: In order of time. Other than of live sources, their ``at_s`` is in seconds since
            1970 (UTC). What the log lacks is absent, never zero.
        bookmarks: In order of time.
        notes: What a reader must know, in sentences: assumed time zones, corrected clocks,
            unreadable rows.
        unknown: Counters without a name in the catalogue, by their name in the log.

    """

    source: str
    format: str
    host: str | None
    system: str | None
    samples: Sequence[Sample]
    bookmarks: tuple[Bookmark, ...] = ()
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
