"""Headcount's own log of counters, as `headcount watch --log` writes it, read back."""

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from headcount.counters.catalogue import lookup
from headcount.counters.log import own_record as record
from headcount.counters.recording import Bookmark, Recording
from headcount.counters.source import Sample
from headcount.errors import InputError
from headcount.text import clean

FORMAT = "Headcount's log (headcount watch --log)"
_STARTS = b'"format":"headcount watch"'


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is such a log, from its first bytes."""
    del path
    return _STARTS in head.partition(b"\n")[0].replace(b": ", b":")


def read(path: Path) -> list[Recording]:
    """Read a log: a recording for each source it has samples of, in the order of its header.

    Alerts are bookmarks whose text begins with `alert`. A torn last line, as a power failure
    leaves it, is passed over; other lines that are none are counted in the notes.

    Raises InputError where the file cannot be read, is no such log, or is of a later version.
    """
    reading = _Reading()
    try:
        with path.open("rb") as file:
            for raw in file:
                reading.take(path, raw)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from error
    if not reading.watched:
        raise InputError(f"{path} is no log of headcount watch: it does not begin with its header")
    return [
        reading.recording(path, watched)
        for watched in reading.watched.values()
        if reading.samples.get(watched.name)
    ]


@dataclass
class _Reading:
    """What the lines so far have said."""

    watched: dict[str, record.Watched] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    samples: dict[str, list[Sample]] = field(default_factory=dict)
    bookmarks: list[tuple[str | None, Bookmark]] = field(default_factory=list)
    notes: list[tuple[str | None, str]] = field(default_factory=list)
    lost_s: dict[str, float] = field(default_factory=dict)
    damaged: int = 0

    def take(self, path: Path, raw: bytes) -> None:
        """Take one line; one that lacks its end was torn, even where what is there can be read."""
        if not raw.endswith(b"\n"):
            return
        try:
            told = record.RECORD.validate_json(raw)
        except ValidationError:
            if not self.watched and _STARTS in raw.replace(b": ", b":"):
                raise InputError(
                    f"{path} was written by a later Headcount, or is damaged in its first line"
                ) from None
            self.damaged += bool(raw.strip())
            return
        match told:
            case record.Header():
                self.watched |= {one.name: one for one in told.sources}
                self.columns.clear()
            case record.Columns():
                self.columns[told.source] = told.names
            case record.Taken():
                self._sample(told)
            case record.Marked():
                self.bookmarks.append((None, Bookmark(told.at_s, told.text)))
            case record.Alerted():
                text = f"alert {told.state}: {told.alert} ({told.counter} was {told.value:.6g})"
                self.bookmarks.append((told.source, Bookmark(told.at_s, text)))
            case record.Interrupted():
                self._interrupted(told)

    def _sample(self, told: record.Taken) -> None:
        if isinstance(told.values, dict):
            values = told.values
        else:
            names = self.columns.get(told.source, [])
            if len(names) != len(told.values):
                self.damaged += 1
                return
            pairs = zip(names, told.values, strict=True)
            values = {name: value for name, value in pairs if value is not None}
        if told.source not in self.watched:
            self.damaged += 1
            return
        self.samples.setdefault(told.source, []).append(Sample(told.at_s, values))

    def _interrupted(self, told: record.Interrupted) -> None:
        if told.state == "lost":
            self.lost_s[told.source] = told.at_s
            return
        since_s = self.lost_s.pop(told.source, None)
        if since_s is not None:
            away_s = told.at_s - since_s
            self.notes.append((told.source, f"{told.source} did not answer for {away_s:.0f} s."))

    def recording(self, path: Path, watched: record.Watched) -> Recording:
        """All of one source."""
        mine = (None, watched.name)
        samples = sorted(self.samples[watched.name], key=lambda sample: sample.at_s)
        marks = [mark for whose, mark in self.bookmarks if whose in mine]
        notes = [note for whose, note in self.notes if whose in mine]
        if watched.name in self.lost_s:
            notes.append(f"{watched.name} had stopped answering when the log ends.")
        if self.damaged:
            notes.append(f"{self.damaged} damaged lines of the log were passed over.")
        names = dict.fromkeys(name for sample in samples for name in sample.values)
        return Recording(
            source=str(path),
            format=FORMAT,
            host=watched.host or watched.name,
            system=watched.system,
            samples=tuple(samples),
            bookmarks=tuple(sorted(marks, key=lambda mark: mark.at_s)),
            notes=tuple(clean(note) for note in notes),
            unknown=tuple(name for name in names if lookup(name) is None),
        )
