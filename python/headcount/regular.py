"""Files that a stranger may have put there, opened only where they are what they seem to be.

In a bundle that somebody sent, a name may be a link to a file of the reader's, a pipe that keeps
the reader waiting for ever, or a device that never ends.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from headcount.errors import InputError

KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def other_kind(mode: int) -> str | None:
    """What a file of this mode is, in words; None for a regular one."""
    return next((name for is_kind, name in KINDS if is_kind(mode)), None)


def has_regular(path: Path) -> bool:
    """Whether a regular file has this name; False where nothing has it.

    Raises InputError where something else has it, also a link to a regular file, and OSError where
    that cannot be seen.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    _ensure_regular(path, mode)
    return True


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading, through no link.

    Raises InputError where something else has its name, and OSError, such as FileNotFoundError.
    """
    if not has_regular(path):  # before it is opened: to open a device may do something
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    file = os.fdopen(handle, "rb")
    try:
        _ensure_regular(path, os.fstat(handle).st_mode)
    except InputError:
        file.close()
        raise
    return file


def read_regular(path: Path) -> bytes:
    """All of a regular file; raises what `open_regular` does."""
    with open_regular(path) as file:
        return file.read()


def _ensure_regular(path: Path, mode: int) -> None:
    if (found := other_kind(mode)) is not None:
        raise InputError(
            f"{path} cannot be read: it is {found}, not a file; put the file itself there, or ask "
            "for the bundle again"
        )
