"""Writing so that a crash at any moment leaves either the old file or the new one."""

import json
import os
from pathlib import Path
from typing import Any

from headcount.errors import SystemLimitError


def replace(path: Path, text: str) -> None:
    """Write a whole file atomically: beside it first, then renamed over it."""
    beside = path.with_name(f".{path.name}.new")
    try:
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise disk_error(path, error) from error


def disk_error(path: Path, error: OSError) -> SystemLimitError:
    """The error for a bundle that cannot be written."""
    return SystemLimitError(
        f"cannot write {path}: {error.strerror or error}; free some space or choose another folder "
        "with --runs. What was written before is intact (headcount show, headcount resume)"
    )


def dump(value: Any) -> str:
    """One line of JSON; what is not a number becomes null, never NaN."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class Lines:
    """A file of lines, appended and flushed as they come.

    A process killed in the middle leaves at most one torn line at the end, which readers skip.
    """

    def __init__(self, path: Path) -> None:
        """Open for appending; a torn last line of an earlier process is closed off."""
        self._path = path
        try:
            self._file = path.open("a+b")
            if self._file.seek(0, os.SEEK_END) > 0:
                self._file.seek(-1, os.SEEK_END)
                if self._file.read(1) != b"\n":
                    self._file.write(b"\n")
        except OSError as error:
            raise disk_error(path, error) from error

    def append(self, line: str) -> None:
        """Write one line through to the system."""
        try:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise disk_error(self._path, error) from error

    def close(self) -> None:
        """Close the file; a full disk was already reported by `append`."""
        self._file.close()


def read_lines(path: Path) -> list[Any]:
    """Every whole line of JSON in a file; torn ones are skipped. Empty without the file."""
    if not path.exists():
        return []
    values = []
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            values.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return values
