"""Writing so that a crash at any moment leaves either the old file or the new one."""

import contextlib
import fcntl
import json
import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from headcount.errors import HeadcountError, InputError
from headcount.foreign.file import PACKED, blocks, has_regular, lines, place_of
from headcount.foreign.json_text import json_value
from headcount.output.error import explained, write_error
from headcount.output.file import PLAN, write_whole
from headcount.output.folder import Folder
from headcount.secret_text import redacted_json

MOST_BYTES = 4 << 30
"""Longest file of lines: the seconds of a week, each with thousands of counters."""
MOST_LINE_BYTES = 16 << 20
"""Longest line: a second with thousands of counters takes a hundredth of it."""


def replace(path: Path, contents: str | bytes) -> None:
    """Write a file of a bundle whole, or leave the old one; text is UTF-8, JSON without secrets.

    A plan is written as it is: it must stay playable, and holds no secret that `Plan` can see.
    """
    if isinstance(contents, str) and path.suffix == ".json":
        contents = redacted_json(contents)
    try:
        write_whole(path, contents)
    except OSError as error:
        raise disk_error(path, error) from error


def disk_error(path: Path, error: OSError) -> HeadcountError:
    """The error for a file of a bundle that cannot be written."""
    folder = path.parent
    if path.name == PLAN or not (folder / PLAN).is_file():
        return write_error(path, error, "--runs")
    found = explained(path, error, "start again with another --runs")
    shell = shlex.quote(str(folder))
    return type(found)(
        f"{found}. What was measured is kept (headcount show {shell}; headcount resume {shell})"
    )


def dump(value: Any) -> str:
    """One line of JSON; NaN and infinite values become null."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Lines:
    """A file of lines, each written through to the system as it comes.

    A process killed in the middle leaves at most one torn line at the end, which readers skip. A
    write that fails leaves none.

    Attributes:
        length: Length of its whole lines, in bytes.

    """

    def __init__(self, path: Path) -> None:
        """Open for appending; cuts off a torn last line of an earlier process."""
        self._path = path
        self._is_torn = False
        self._failure: OSError | None = None
        try:
            with Folder(path.parent) as folder:
                self._file = folder.growing(path.name)
            try:
                self.length = _cut_torn_line(self._file.fileno())
            except OSError:
                self._file.close()
                raise
        except OSError as error:
            raise disk_error(path, error) from error

    def append(self, line: str) -> None:
        """Write one or several lines through to the system; JSON without secrets.

        Raises HeadcountError if that fails; nothing of it is then in the file.
        """
        if line.startswith("{"):
            line = redacted_json(line)
        data = line.encode() + b"\n"
        if self._is_torn:
            self.cut(self.length)
        self._is_torn = True  # until it is whole: a signal may arrive between two writes
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) or 0 :]
        except BaseException as error:
            with contextlib.suppress(HeadcountError):  # retried before the next line
                self.cut(self.length)
            if isinstance(error, OSError):
                raise disk_error(self._path, error) from error
            raise
        self.length += len(data)
        self._is_torn = False

    def cut(self, length: int) -> None:
        """Cut the file to `length` bytes of whole lines; raises HeadcountError."""
        self.length, self._is_torn = length, True
        try:
            os.ftruncate(self._file.fileno(), length)
        except OSError as error:
            raise disk_error(self._path, error) from error
        self._is_torn = False

    def sync(self) -> None:
        """Flush all lines to the disk; raises HeadcountError, and does so forever after a failure.

        After a failed fsync the system may report pages as clean that it could not write.
        """
        if self._is_torn:
            self.cut(self.length)
        try:
            if self._failure is not None:
                raise self._failure
            os.fsync(self._file.fileno())
        except OSError as error:
            self._failure = error
            raise disk_error(self._path, error) from error

    def close(self) -> None:
        """Close the file; every line is in it already."""
        self._file.close()


def _cut_torn_line(handle: int) -> int:
    """Cut a file to its whole lines; returns its new length in bytes."""
    end = length = os.fstat(handle).st_size
    while end > 0:
        start = max(end - 65_536, 0)
        newline = os.pread(handle, end - start, start).rfind(b"\n")
        if newline >= 0:
            end = start + newline + 1
            break
        end = start
    if end < length:
        os.ftruncate(handle, end)
    return end


def read_lines(path: Path) -> Iterator[Any]:
    """Every whole line of JSON in a file; torn ones are skipped. Empty without the file.

    Raises InputError if the file cannot be read, or has a line that no Headcount writes.
    """
    for _, _, value in numbered_lines(path):
        if value is not None:
            yield value


def records(path: Path, keys: Sequence[str], what: str) -> Iterator[dict[str, Any]]:
    """Every whole line of a file of JSON objects that have these keys; torn lines are skipped.

    Raises InputError naming the first line that is something else.
    """
    for number, _, value in numbered_lines(path):
        if value is None:
            continue
        if not isinstance(value, dict) or not all(key in value for key in keys):
            raise InputError(
                f"{path} is damaged: line {number} is not {what} "
                f"(headcount audit {shlex.quote(str(path.parent))} lists all damage)"
            )
        yield value


def numbered_lines(path: Path) -> Iterator[tuple[int, bool, Any]]:
    """Every line of a file with its number from 1, whether it is the last, and its JSON.

    None stands for a line that is not JSON, or has values that cannot be computed with. Empty
    without the file. Raises InputError if it cannot be read, or has a line no Headcount writes.
    """
    number, waiting = 0, None
    for line in stored_lines(path):
        if waiting is not None:
            yield number, False, json_line(waiting)
        number, waiting = number + 1, line
    if waiting is not None:
        yield number, True, json_line(waiting)


def json_line(line: bytes) -> Any:
    """The JSON of a line; None if it is not JSON."""
    try:
        return json_value(line)
    except ValueError:  # not JSON, or not UTF-8
        return None


def stored_lines(path: Path) -> Iterator[bytes]:
    """Every line of a file of a bundle as stored; empty without the file.

    Raises InputError if the file cannot be read, is a link, or if it or a line is too long.
    """
    path = place_of(path)
    if has_regular(path):
        yield from file_lines(path, MOST_BYTES, MOST_LINE_BYTES)


def file_lines(path: Path, most_bytes: int, most_line_bytes: int) -> Iterator[bytes]:
    """The lines of a stored file; raises InputError as `foreign.file.lines` does."""
    packed = path.suffix == PACKED
    return lines(path, most_bytes, most_line_bytes, follow=False, packed=packed)


def file_blocks(path: Path, most_bytes: int, most_line_bytes: int) -> Iterator[bytes]:
    """The same file in blocks of whole lines."""
    packed = path.suffix == PACKED
    return blocks(path, most_bytes, most_line_bytes, follow=False, packed=packed)


def lock_folder(folder: Path) -> int:
    """Lock a folder for this process; closing the returned handle ends the lock.

    Raises InputError if another process holds it, so that no two write one bundle, and OSError
    if there is no such folder.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(handle)
        raise InputError(
            f"another process is writing {folder}; wait until it ends (headcount runs shows it)"
        ) from error
    except OSError:
        pass  # a file system without locks
    return handle
