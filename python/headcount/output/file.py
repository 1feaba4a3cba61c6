"""Checks files that the user names, and writes them whole or not at all."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from headcount.output.error import existing, write_error
from headcount.output.folder import Folder

PLAN = "plan.toml"
"""The file that every bundle has."""
PAGE_BYTES = 4096
"""Bytes that a check writes: enough to notice a full disk."""


def write_whole(path: Path, contents: str | bytes) -> None:
    """Write a whole file atomically: beside it first, then renamed over it; text is UTF-8.

    Raises OSError, and InputError if something else has that name, such as a link. The old file
    then stays as it was.
    """
    with Folder(path.parent) as folder:
        folder.replace(path.name, _bytes(contents))


def write_output(path: Path, contents: str | bytes, option: str = "") -> None:
    """Write a file that the user named: through links, and into pipes and devices.

    `option` is the one that named it; empty for an argument. Raises InputError for a wrong path and
    SystemLimitError if the machine does not allow it.
    """
    with raising(path, option):
        if _is_stream_of_user(path):
            path.write_bytes(_bytes(contents))
        else:
            write_whole(_real_file(path), contents)


def ensure_writable(path: Path, option: str = "") -> None:
    """Refuse a file that cannot be written, before the work that it is for.

    Raises what `write_output` would. It writes a page beside the file: only that finds a full disk,
    or for root a file system that is mounted read-only.
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
    """Turn an OSError about a path into an error that explains it."""
    try:
        yield
    except OSError as error:
        raise write_error(path, error, option) from error


HANDLES = ("/dev/stdout", "/dev/stderr", "/dev/fd", "/proc/self/fd")
"""Names of open files. They must be written to directly, even if they are regular files."""


def is_stream(path: Path) -> bool:
    """Whether a path is a pipe, a device or an open file, which must not be replaced."""
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
    """Whether a path must be written to directly, which never holds inside a bundle.

    Raises InputError if a bundle has a link or a pipe under that name: the maker of the
    bundle put it there, not the user.
    """
    if os.path.lexists(path.parent / PLAN):
        with Folder(path.parent) as folder:
            folder.ensure_free(path.name)
    return is_stream(path)


def _real_file(path: Path) -> Path:
    """The path of a file with links resolved; raises OSError for a folder."""
    real = _followed(path)
    if real.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return real


def _followed(path: Path) -> Path:
    """A path with links resolved; raises OSError for circular links and a name that is too long."""
    with contextlib.suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _bytes(contents: str | bytes) -> bytes:
    return contents.encode("utf-8") if isinstance(contents, str) else contents
