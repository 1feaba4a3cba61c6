"""Headcount's own log of counters, as `headcount watch --log` writes it, read back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from headcount.counters.catalogue import lookup
from headcount.counters.columns import Builder
from headcount.counters.log import own_record as record
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.counters.recording import Bookmark, Recording
from headcount.errors import InputError
from headcount.foreign import file as foreign
from headcount.text import clean

FORMAT = "Headcount's log (headcount watch --log)"
_STARTS = b'"format":"headcount watch"'


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is such a log, from its first bytes."""
    del path
    return _STARTS in head.partition(b"\n")[0].replace(b": ", b":")


def read(path: Path) -> list[Recording]:
    """Read a log: a recording for each source it has samples of, in the order of its header.

    Alerts are bookmarks whose text begins with `alert`. A torn last line, which a power failure
    may leave, is skipped; the notes count other damaged lines.

    Raises InputError if the file cannot be read, is not such a log, or is of a later version.
    """
    reading = _Reading()
    for raw in foreign.lines(path, MOST_BYTES, MOST_LINE_BYTES):
        reading.take(path, raw)
    if not reading.watched:
        raise InputError(f"{path} is not a log of headcount watch: its header is missing")
    return [
        reading.recording(path, watched)
        for watched in reading.watched.values()
        if watched.name in reading.rows
    ]


@dataclass
class _Reading:
    """What the lines so far contain."""

    watched: dict[str, record.Watched] = field(default_factory=dict)
    columns: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rows: dict[str, Builder] = field(default_factory=dict)
    bookmarks: list[tuple[str | None, Bookmark]] = field(default_factory=list)
    notes: list[tuple[str | None, str]] = field(default_factory=list)
    lost_s: dict[str, float] = field(default_factory=dict)
    damaged: int = 0

    def take(self, path: Path, raw: bytes) -> None:
        """Take in a line; one without a line end was torn, even if the rest can be read."""
        if not raw.endswith(b"\n"):
            return
        try:
            line = record.RECORD.validate_json(raw)
        except ValidationError:
            if not self.watched and _STARTS in raw.replace(b": ", b":"):
                raise InputError(
                    f"{path} is from a newer Headcount, or its first line is damaged"
                ) from None
            self.damaged += bool(raw.strip())
            return
        match line:
            case record.Header():
                self.watched |= {one.name: one for one in line.sources}
                self.columns.clear()
            case record.Columns():
                self.columns[line.source] = tuple(line.names)
            case record.Taken():
                self._sample(line)
            case record.Marked():
                self.bookmarks.append((None, Bookmark(line.at_s, line.text)))
            case record.Alerted():
                text = f"alert {line.state}: {line.alert} ({line.counter} was {line.value:.6g})"
                self.bookmarks.append((line.source, Bookmark(line.at_s, text)))
            case record.Interrupted():
                self._interrupted(line)

    def _sample(self, line: record.Taken) -> None:
        values: Sequence[float | None]
        if isinstance(line.values, dict):
            names, values = tuple(line.values), tuple(line.values.values())
        else:
            names, values = self.columns.get(line.source, ()), line.values
        if len(names) != len(values) or line.source not in self.watched:
            self.damaged += 1
            return
        self.rows.setdefault(line.source, Builder()).add(line.at_s, names, values)

    def _interrupted(self, line: record.Interrupted) -> None:
        if line.state == "lost":
            self.lost_s[line.source] = line.at_s
            return
        since_s = self.lost_s.pop(line.source, None)
        if since_s is not None:
            away_s = line.at_s - since_s
            self.notes.append((line.source, f"{line.source} did not answer for {away_s:.0f} s."))

    def recording(self, path: Path, watched: record.Watched) -> Recording:
        """The recording of one source."""
        mine = (None, watched.name)
        samples = self.rows[watched.name].columns()
        marks = [mark for whose, mark in self.bookmarks if whose in mine]
        notes = [note for whose, note in self.notes if whose in mine]
        if watched.name in self.lost_s:
            notes.append(f"{watched.name} was not answering at the end of the log.")
        if self.damaged:
            lines = "line was" if self.damaged == 1 else "lines were"
            notes.append(f"{self.damaged} damaged {lines} skipped.")
        return Recording(
            source=str(path),
            format=FORMAT,
            host=watched.host or watched.name,
            system=watched.system,
            samples=samples,
            bookmarks=tuple(sorted(marks, key=lambda mark: mark.at_s)),
            notes=tuple(clean(note) for note in notes),
            unknown=tuple(name for name in samples.values if lookup(name) is None),
        )
