"""Opens and reads files that a stranger made, or may have replaced.

A pipe would block its reader forever, a device would never end, a sparse file of terabytes costs
its maker nothing, and a link in a folder may lead anywhere.
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
"""The ending of the names of compressed files."""
_BLOCK_BYTES = 1 << 16
_MOST_RATIO, _LEAST_UNPACKED_BYTES = 100, 64 << 20
"""Compressed seconds of a run unpack to 7 times their size, to 40 times if nothing happens in it. A
file that unpacks to more than 100 times its size was made to fill the disk or the memory."""
_REMEDY = "; put the file itself there, or ask for the bundle again"


def other_kind(mode: int) -> str | None:
    """What a file of this mode is, in words; None for a regular one."""
    return next((name for is_kind, name in _KINDS if is_kind(mode)), None)


def has_regular(path: Path) -> bool:
    """Whether a bundle has a regular file of this name; False if nothing has the name.

    Raises InputError if something else has it, even a link to a regular file, and OSError if the
    name cannot be looked up.
    """
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return False
    if (found := other_kind(mode)) is not None:
        raise InputError(f"{path} cannot be read: it is {found}, not a file{_REMEDY}")
    return True


def place_of(path: Path) -> Path:
    """The path of a file of a bundle: as given, or of its compressed form if only that exists."""
    packed = path.with_name(path.name + PACKED)
    return packed if not os.path.lexists(path) and os.path.lexists(packed) else path


def opened(path: Path, *, follow: bool = True) -> BufferedReader:
    """Open a regular file for reading; never blocks.

    `follow`: whether the path may be a symbolic link. A path that the user named may be one, a name
    in a bundle may not. Raises OSError with a `strerror` for people.
    """
    # Checked before opening, because opening a device can have side effects.
    try:
        mode = path.stat(follow_symlinks=follow).st_mode
    except ValueError as error:  # a null character in it
        raise OSError(errno.EINVAL, "no file can have this name", str(path)) from error
    _check_kind(path, mode, follow=follow)
    links = 0 if follow else os.O_NOFOLLOW
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | links)
    try:
        # Checked again on the open file, as the name may have been replaced in between.
        _check_kind(path, os.fstat(handle).st_mode, follow=follow)
    except OSError:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def content(path: Path, most_bytes: int, *, follow: bool = True, what: str | None = None) -> bytes:
    """The contents of a file; `what` names it in errors, by default its path.

    Raises InputError if it cannot be read, is not a regular file, or is longer than `most_bytes`.
    """
    what = what or str(path)
    with _explained(what, path, follow=follow) as file:
        _check_size(file, most_bytes, what)
        try:
            found = file.read(most_bytes + 1)
        except OSError as error:
            raise _unreadable(what, error) from error
    if len(found) > most_bytes:  # it grew, or is a virtual file, whose size is 0
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
    r"""The lines of a file, each with its `\n`; the last one may lack it.

    `packed`: whether it is compressed with gzip. Raises InputError if it cannot be read, is not a
    regular file, or if the file or one of its lines is too long.
    """
    for block in blocks(path, most_bytes, most_line_bytes, follow=follow, packed=packed):
        yield from BytesIO(block)


def text_lines(path: Path, encoding: str, most_bytes: int, most_line_bytes: int) -> Iterator[str]:
    r"""The lines of a text that the user named, each with its `\n`; replaces undecodable bytes.

    Lines may end in `\r\n` or `\r`, too. Raises InputError as `lines` does.
    """
    if encoding.startswith("utf-16"):  # a byte \n may be half of a character
        yield from _wide_lines(path, encoding, most_line_bytes)
        return
    for block in blocks(path, most_bytes, most_line_bytes, follow=True):
        yield from StringIO(block.decode(encoding, "replace"), newline=None)


def blocks(
    path: Path, most_bytes: int, most_line_bytes: int, *, follow: bool, packed: bool = False
) -> Iterator[bytes]:
    """A file in blocks of whole lines. Reading line by line takes a third longer for logs.

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
    """The uncompressed bytes of gzip data; raises ValueError if it is damaged or too long."""
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
