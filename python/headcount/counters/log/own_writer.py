"""Writes Headcount's own log of counters, line by line."""

import fcntl
import os
from collections.abc import Mapping
from pathlib import Path

from headcount.counters.catalogue import lookup
from headcount.counters.log import own, own_record
from headcount.counters.log.own_record import Columns, Header, Line, Taken
from headcount.errors import InputError
from headcount.output.error import write_error
from headcount.secret_text import redacted_json

_HEAD_BYTES = 4096
_DIGITS = 9
"""Significant digits of a figure: a byte of a gigabyte, at half the length of all digits."""


class LogWriter:
    """A log that grows by whole lines, each written to the system at once.

    After a full disk, writing resumes with a new header, so that a torn line loses only itself.
    """

    def __init__(self, path: Path, header: Header) -> None:
        """Create a log, or open one to append to.

        Raises InputError if the file is something else, or another process is writing it, whose
        columns would be taken for this one's; and SystemLimitError if it cannot be written.
        """
        self.path = path
        self.samples = 0
        """Samples written since it was opened."""
        self.bytes = 0
        """Bytes written since it was opened."""
        self._header = header
        self._columns: dict[str, list[str]] = {}
        self._began = False
        try:
            if path.is_file() and path.stat().st_size:
                with path.open("rb") as file:
                    head = file.read(_HEAD_BYTES)
                if not own.recognises(path, head):
                    raise InputError(
                        f"{path} exists and is not a log of headcount watch; name another file"
                    )
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise write_error(path, error, "--log") from error
        self._lock()

    def sample(self, source: str, at_s: float, values: Mapping[str, float]) -> None:
        """Write a sample, preceded by the names of the counters if some are new.

        A source that the header lacks is preceded by another header. Like all writing methods,
        raises SystemLimitError if the disk is full; the next call tries again.
        """
        header = self._header.with_source(source)
        self._began = self._began and header is self._header
        self._header = header
        self._begin()
        columns = self._columns.get(source, [])
        new = [name for name in values if name not in set(columns)]
        if new or source not in self._columns:
            columns = [*columns, *new]
            self._write(columns_of(source, at_s, columns))
            self._columns[source] = columns
        figures = [rounded_value(values.get(name)) for name in columns]
        self._write(Taken(at_s=at_s, source=source, values=figures))
        self.samples += 1

    def record(self, line: Line) -> None:
        """Write any other line: a bookmark, an alert, the loss of a source."""
        self._begin()
        self._write(line)

    def close(self) -> None:
        """Close the file; all lines are written already."""
        os.close(self._file)

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self.close()
            raise InputError(
                f"another headcount watch is writing {self.path}; name another file"
            ) from error
        except OSError:
            pass  # a file system without locks

    def _begin(self) -> None:
        if self._began:
            return
        self._columns.clear()
        self._end_torn_line()
        self._write(self._header)
        self._began = True

    def _end_torn_line(self) -> None:
        """Truncate the file after its last whole line."""
        length = end = os.fstat(self._file).st_size
        while end > 0:
            start = max(end - 65_536, 0)
            newline = os.pread(self._file, end - start, start).rfind(b"\n")
            if newline >= 0:
                end = start + newline + 1
                break
            end = start
        if end < length:
            os.ftruncate(self._file, end)

    def _write(self, line: Line) -> None:
        rest = memoryview(redacted_json(own_record.line(line)).encode() + b"\n")
        try:
            while rest:
                written = os.write(self._file, rest)
                self.bytes += written
                rest = rest[written:]
        except OSError as error:
            self._began = False
            raise write_error(self.path, error, "--log") from error


def columns_of(source: str, at_s: float, names: list[str]) -> Columns:
    """The line that names a source's counters, with their units."""
    known = [lookup(name) for name in names]
    units = [counter.unit if counter else None for counter in known]
    return Columns(at_s=at_s, source=source, names=names, units=units)


def rounded_value(value: float | None) -> float | None:
    """A figure rounded for the log."""
    return None if value is None else float(f"{value:.{_DIGITS}g}")
