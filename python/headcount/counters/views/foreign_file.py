"""Files that a server or its configuration names.

Headcount often runs as root and reads them through `/proc/PID/root`.
"""

from pathlib import Path

from headcount.foreign.file import opened

MOST_BYTES = 1_000_000
"""Configurations and performance data are a few kilobytes."""


def foreign_bytes(path: Path, *, is_shared: bool = False) -> bytes:
    """The first `MOST_BYTES` of a regular file.

    `is_shared` is for a folder in which anybody may put a link, such as `/tmp`: none is followed.
    Raises OSError where it cannot be read, or is anything but a regular file.
    """
    with opened(path, follow=not is_shared) as file:
        return file.read(MOST_BYTES)


def foreign_text(path: Path) -> str:
    """The same as text, with invalid UTF-8 replaced. Raises OSError."""
    return foreign_bytes(path).decode("utf-8", errors="replace")
