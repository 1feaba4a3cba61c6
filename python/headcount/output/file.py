"""A file that the user names: whether it can be written, and writing it whole or not at all."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from headcount.output.error import existing, write_error

PAGE_BYTES = 4096
"""What a check writes: enough for a full disk to refuse it."""


def write_whole(path: Path, contents: str | bytes) -> None:
    """Write a whole file atomically: beside it first, then renamed over it; text is UTF-8.

    Raises OSError; the old file is then as it was.
    """
    beside = path.with_name(f".{path.name}.new")
    try:
        with beside.open("wb") as file:
            file.write(_bytes(contents))
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        with contextlib.suppress(OSError):  # it is there only if the writing failed
            beside.unlink()


def write_output(path: Path, contents: str | bytes, option: str = "") -> None:
    """Write a file that the user named: through links, and into pipes and devices.

    `option` is the one that named it; empty for an argument. Raises InputError for a wrong path and
    SystemLimitError where the machine does not allow it.
    """
    with raising(path, option):
        if is_stream(path):
            path.write_bytes(_bytes(contents))
        else:
            write_whole(_followed(path), contents)


def ensure_writable(path: Path, option: str = "") -> None:
    """Refuse a file that cannot be written, before the work that it is for.

    Raises what `write_output` would. A page is written beside the file: that alone finds a full
    disk, and a file system that is mounted read-only for root, too.
    """
    if is_stream(path):
        return
    with raising(path, option):
        real = _followed(path)
        if real.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        write_page(real.parent)


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
    trial = folder / f".headcount-{os.getpid()}.new"
    try:
        trial.write_bytes(bytes(PAGE_BYTES))
    finally:
        with contextlib.suppress(OSError):
            trial.unlink()


def _followed(path: Path) -> Path:
    """Where a path leads; raises OSError for a circle of links and for a name that is too long."""
    with contextlib.suppress(FileNotFoundError):
        path.stat()
    return Path(os.path.realpath(path))


def _bytes(contents: str | bytes) -> bytes:
    return contents.encode("utf-8") if isinstance(contents, str) else contents
