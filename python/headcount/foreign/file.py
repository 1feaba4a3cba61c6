"""Opening and reading a file that somebody else made, or may have put there.

A pipe would keep a reader waiting for ever, a device would never end, a sparse file of terabytes
costs its maker nothing, and a link in a folder may lead anywhere.
"""

import errno
import gzip
import os
import stat
import zlib
from collections.abc import Iterator
from io import BufferedReader, BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import BinaryIO

from headcount.errors import InputError

_KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
PACKED = ".gz"
"""What the name of a file ends in that is kept compressed."""
_BLOCK_BYTES = 1 << 16
_MOST_RATIO, _LEAST_UNPACKED_BYTES = 100, 64 << 20
"""Compressed seconds of a run unpack to seven times their size, of a run in which nothing happens
to forty: what unpacks to more than a hundred times was made to fill a disk or the memory."""
_REMEDY = "; put the file itself there, or ask for the bundle again"


def other_kind(mode: int) -> str | None:
    """What a file of this mode is, in words; None for a regular one."""
    return next((name for is_kind, name in _KINDS if is_kind(mode)), None)


def has_regular(path: Path) -> bool:
    """Whether a regular file has this name, which stands in a bundle; False where nothing has it.

    Raises InputError where something else has it, also a link to a regular file, and OSError where
    that cannot be seen.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if (found := other_kind(mode)) is not None:
        raise InputError(f"{path} cannot be read: it is {found}, not a file{_REMEDY}")
    return True


def place_of(path: Path) -> Path:
    """Where a file of a bundle is: under its name, or else compressed, if it is there so."""
    packed = path.with_name(path.name + PACKED)
    return packed if not os.path.lexists(path) and os.path.lexists(packed) else path


def opened(path: Path, *, follow: bool = True) -> BufferedReader:
    """Open a regular file to be read, from its beginning; never waits.

    `follow`: whether the path may be a symbolic link, as one that the user named may be; a name in
    a bundle may not. Raises OSError, whose `strerror` is for people.
    """
    # Before it is opened: to open a device may do something.
    _check_kind(path, path.stat(follow_symlinks=follow).st_mode, follow=follow)
    links = 0 if follow else os.O_NOFOLLOW
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | links)
    try:
        # Of what was opened, whatever had the name before.
        _check_kind(path, os.fstat(handle).st_mode, follow=follow)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def content(path: Path, most_bytes: int, *, follow: bool = True, what: str | None = None) -> bytes:
    """All of a file; `what` names it in errors, by default its path does.

    Raises InputError where it cannot be read, is anything but a regular file, or is longer.
    """
    what = what or str(path)
    with _explained(what, path, follow=follow) as file:
        _check_size(file, most_bytes, what)
        try:
            found = file.read(most_bytes + 1)
        except OSError as error:
            raise _unreadable(what, error) from error
    if len(found) > most_bytes:  # it grew, or is one of the kernel's, which say that they are empty
        raise _too_long(what, len(found), most_bytes)
    return found


def lines(
    path: Path,
    most_bytes: int,
    most_line_bytes: int,
    *,
    follow: bool = True,
    packed: bool = False,
) -> Iterator[bytes]:
    r"""Every line of a file, with its `\n`; what stands behind the last one is a line, too.

    `packed`: whether gzip has compressed it. Raises InputError where it cannot be read, is anything
    but a regular file, or where the file or a line of it is longer.
    """
    for block in blocks(path, most_bytes, most_line_bytes, follow=follow, packed=packed):
        yield from BytesIO(block)


def text_lines(path: Path, encoding: str, most_bytes: int, most_line_bytes: int) -> Iterator[str]:
    r"""Every line of a text, which a user named, with its `\n`; what cannot be decoded is replaced.

    Lines may end in `\r\n` or `\r`, too. Raises InputError as `lines` does.
    """
    if encoding.startswith("utf-16"):  # a byte that looks like an end may be half of a character
        yield from _wide_lines(path, encoding, most_line_bytes)
        return
    for block in blocks(path, most_bytes, most_line_bytes, follow=True):
        yield from StringIO(block.decode(encoding, "replace"), newline=None)


def blocks(
    path: Path, most_bytes: int, most_line_bytes: int, *, follow: bool, packed: bool = False
) -> Iterator[bytes]:
    """A file in blocks of whole lines: to ask for each line alone takes logs a third longer.

    Raises InputError as `lines` does.
    """
    with _explained(str(path), path, follow=follow) as stored:
        _check_size(stored, most_bytes, str(path))
        file: BinaryIO = stored
        if packed:
            size = os.fstat(stored.fileno()).st_size
            most_bytes = min(most_bytes, max(_MOST_RATIO * size, _LEAST_UNPACKED_BYTES))
            file = gzip.GzipFile(fileobj=stored)  # type: ignore[assignment]
        number = length = 0
        while block := _next_block(path, file, most_line_bytes):
            length += len(block)
            if packed and length > most_bytes:
                raise InputError(f"{path} unpacks to more than {most_bytes:,} bytes")
            if len(block) > most_line_bytes:
                for place, line in enumerate(BytesIO(block), number + 1):
                    if len(line) > most_line_bytes:
                        raise InputError(
                            f"{path} is damaged: line {place} has more than "
                            f"{most_line_bytes:,} bytes"
                        )
            number += block.count(b"\n")
            yield block


def _next_block(path: Path, file: BinaryIO, most_line_bytes: int) -> bytes:
    """The next whole lines of an open file, empty at its end; raises InputError."""
    try:
        block = file.read(_BLOCK_BYTES)
        if block and not block.endswith(b"\n"):
            block += file.readline(most_line_bytes + 1)
    except (EOFError, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}") from error
    except OSError as error:
        raise _unreadable(str(path), error) from error
    return block


def _wide_lines(path: Path, encoding: str, most_characters: int) -> Iterator[str]:
    with (
        _explained(str(path), path, follow=True) as raw,
        TextIOWrapper(raw, encoding, errors="replace") as file,
    ):
        number = 0
        try:
            while line := file.readline(most_characters + 1):
                number += 1
                if len(line) > most_characters:
                    raise InputError(
                        f"{path} is damaged: line {number} has more than {most_characters:,} "
                        "characters"
                    )
                yield line
        except OSError as error:
            raise _unreadable(str(path), error) from error


def unpacked(packed: bytes, most_bytes: int) -> bytes:
    """What gzip has packed; raises ValueError where it is damaged, or unpacks to more."""
    try:
        with gzip.GzipFile(fileobj=BytesIO(packed)) as file:
            found = file.read(most_bytes + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise ValueError(str(error)) from error
    if len(found) > most_bytes:
        raise ValueError(f"it unpacks to more than {most_bytes:,} bytes")
    return found


def _check_kind(path: Path, mode: int, *, follow: bool) -> None:
    if (found := other_kind(mode)) is not None:
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(number, f"it is {found}, not a file{'' if follow else _REMEDY}", str(path))


def _explained(what: str, path: Path, *, follow: bool) -> BufferedReader:
    try:
        return opened(path, follow=follow)
    except OSError as error:
        raise _unreadable(what, error) from error


def _check_size(file: BufferedReader, most_bytes: int, what: str) -> None:
    size = os.fstat(file.fileno()).st_size
    if size > most_bytes:
        raise _too_long(what, size, most_bytes)


def _too_long(what: str, size: int, most_bytes: int) -> InputError:
    return InputError(f"{what} has {size:,} bytes, more than {most_bytes:,}; is it the right file?")


def _unreadable(what: str, error: OSError) -> InputError:
    return InputError(f"{what} cannot be read: {error.strerror or error}")
