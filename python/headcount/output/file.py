"""A file that the user names: whether it can be written, and writing it whole or not at all."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from headcount.output.error import existing, write_error
from headcount.output.folder import Folder

PLAN = "plan.toml"
"""What every bundle has; a folder without it has nothing to keep yet."""
PAGE_BYTES = 4096
"""What a check writes: enough for a full disk to refuse it."""


def write_whole(path: Path, contents: str | bytes) -> None:
    """Write a whole file atomically: beside it first, then renamed over it; text is UTF-8.

    Raises OSError, and InputError where something else has that name, such as a link; the old file
    is then as it was.
    """
    with Folder(path.parent) as folder:
        folder.replace(path.name, _bytes(contents))


def write_output(path: Path, contents: str | bytes, option: str = "") -> None:
    """Write a file that the user named: through links, and into pipes and devices.

    `option` is the one that named it; empty for an argument. Raises InputError for a wrong path and
    SystemLimitError where the machine does not allow it.
    """
    with raising(path, option):
        if _is_stream_of_user(path):
            path.write_bytes(_bytes(contents))
        else:
            write_whole(_real_file(path), contents)


def ensure_writable(path: Path, option: str = "") -> None:
    """Refuse a file that cannot be written, before the work that it is for.

    Raises what `write_output` would. A page is written beside the file: that alone finds a full
    disk, and a file system that is mounted read-only for root, too.
    """
    with raising(path, option):
        if not _is_stream_of_user(path):
            write_page(_real_file(path).parent)


def ensure_folder(folder: Path, option: str = "") -> None:
    """Refuse a folder in which nothing can be written; it need not exist yet."""
    with raising(folder, option):
        write_page(existing(_followed(folder)))


@contextlib.contextmanager
def raising(path: Path, option: str = "") -> Iterator[None]:
    """Raise what the system says about a path as an error that explains it."""
    try:
        yield
    except OSError as error:
        raise write_error(path, error, option) from error


HANDLES = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd")
"""Names of open files, which must be written through them even where they are regular files."""


def is_stream(path: Path) -> bool:
    """Whether a path is a pipe, a device or an open file, which no file must replace."""
    if any(path.is_relative_to(name) for name in HANDLES):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_page(folder: Path) -> None:
    """Write a page in a folder, and remove it."""
    with Folder(folder) as opened:
        opened.ensure_room(bytes(PAGE_BYTES))


def _is_stream_of_user(path: Path) -> bool:
    """Whether a path is to be written through, which nothing inside a bundle is.

    Raises InputError where a bundle has a link or a pipe under that name: the one who made the
    bundle put it there, not the user.
    """
    if os.path.lexists(path.parent / PLAN):
        with Folder(path.parent) as folder:
            folder.ensure_free(path.name)
    return is_stream(path)


def _real_file(path: Path) -> Path:
    """Where a file really is, or will be; raises OSError for a folder."""
    real = _followed(path)
    if real.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return real


def _followed(path: Path) -> Path:
    """Where a path leads; raises OSError for a circle of links and for a name that is too long."""
    with contextlib.suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _bytes(contents: str | bytes) -> bytes:
    return contents.encode("utf-8") if isinstance(contents, str) else contents
