"""Keeps virtual files open between repeated reads: opening costs the most."""

import os
from collections.abc import Callable
from typing import Protocol, TypeVar

from headcount.counters.proc.files import read_text

_CHUNK_BYTES = 65_536
_KEPT_MAX = 256
"""Descriptors that one reader keeps. Our choice: enough for a server of 20 processes with some
threads each. Other files are opened each time, as users need descriptors, too."""
_LONGEST_LINE_BYTES = 2048
"""The kernel ends a read where the next line does not fit into its page of 4 KiB: a read shorter
than a page less the longest line is complete, and needs no second read to find the end."""
_Read = TypeVar("_Read")


class Files(Protocol):
    """Reads virtual files."""

    def text(self, path: str) -> str | None:
        """A whole file, or None where it is missing, denied or its process has gone."""
        ...

    def entries(self, path: str) -> int | None:
        """The number of entries of a folder, or None if it may not be listed."""
        ...

    def turn(self) -> None:
        """Close what was not read since the last call."""
        ...

    def close(self) -> None:
        """Close everything."""
        ...


class PlainFiles:
    """Opens each file whenever it is read."""

    def text(self, path: str) -> str | None:
        """A whole file."""
        return read_text(path)

    def entries(self, path: str) -> int | None:
        """How many entries a folder has."""
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY)
        except OSError:
            return None
        try:
            return _entries(descriptor)
        except OSError:
            return None
        finally:
            os.close(descriptor)

    def turn(self) -> None:
        """Nothing is held."""

    def close(self) -> None:
        """Nothing is held."""


class KeptFiles:
    """Keeps what it reads open until the next reading.

    Only for files of procfs and control groups, whose reads fail once their process or group has
    gone; then the path is opened again. Not for a process's maps, which belong to the program that
    it ran when they were opened.
    """

    def __init__(self) -> None:
        """Open nothing yet."""
        self._now: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._buffer = bytearray(_CHUNK_BYTES)
        self._view = memoryview(self._buffer)

    def text(self, path: str) -> str | None:
        """A whole file."""
        return self._asked(path, self._whole)

    def entries(self, path: str) -> int | None:
        """How many entries a folder has."""
        return self._asked(path, _entries)

    def turn(self) -> None:
        """Close what was not read since the last call."""
        for descriptor in self._before.values():
            os.close(descriptor)
        self._before, self._now = self._now, {}

    def close(self) -> None:
        """Close everything."""
        self.turn()
        self.turn()

    def _asked(self, path: str, read: Callable[[int], _Read]) -> _Read | None:
        descriptor = self._now.get(path)
        if descriptor is None and (descriptor := self._before.pop(path, None)) is not None:
            self._now[path] = descriptor
        if descriptor is not None:
            try:
                return read(descriptor)
            except OSError:
                os.close(self._now.pop(path))
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        is_kept = False
        try:
            found = read(descriptor)
            is_kept = len(self._now) + len(self._before) < _KEPT_MAX
        except OSError:
            return None
        finally:
            if is_kept:
                self._now[path] = descriptor
            else:
                os.close(descriptor)
        return found

    def _whole(self, descriptor: int) -> str:
        length = os.preadv(descriptor, (self._buffer,), 0)
        if length < _LONGEST_LINE_BYTES:
            return str(self._view[:length], "utf-8", "replace")
        whole = bytes(self._view[:length])
        while more := os.pread(descriptor, _CHUNK_BYTES, len(whole)):
            whole += more
        return whole.decode("utf-8", "replace")


def files_of(proc: str) -> Files:
    """A reader that keeps files open, if they are of the real procfs: others never go stale."""
    return KeptFiles() if proc == "/proc" else PlainFiles()


def _entries(descriptor: int) -> int:
    """How many entries an open folder has."""
    # Since Linux 6.2 the size of /proc/PID/fd is that number; before, it is zero.
    if size := os.fstat(descriptor).st_size:
        return size
    with os.scandir(descriptor) as listed:
        return sum(1 for _ in listed)
