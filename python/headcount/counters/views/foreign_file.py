"""Files that a server, or whoever configured it, names: read as if they were meant to harm.

Headcount often runs as root and reads them through `/proc/PID/root`. A pipe would keep it waiting
for ever, a device would never end, and a link may lead anywhere.
"""

import os
import stat
from pathlib import Path

MOST_BYTES = 1_000_000
"""Configurations and performance data are a few kilobytes."""


def foreign_bytes(path: Path, *, is_shared: bool = False) -> bytes:
    """The first `MOST_BYTES` of a regular file.

    `is_shared` is for a folder in which anybody may put a link, such as `/tmp`: none is followed.
    Raises OSError where it cannot be read, or is anything but a regular file.
    """
    links = os.O_NOFOLLOW if is_shared else 0
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | links)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(f"{path} is no regular file")
        return file.read(MOST_BYTES)


def foreign_text(path: Path) -> str:
    """The same as text; what is no UTF-8 is replaced. Raises OSError."""
    return foreign_bytes(path).decode("utf-8", errors="replace")
