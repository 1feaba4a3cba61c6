"""What a closed bundle consists of: size and checksum of every file (`manifest.json`).

The SHA-256 of a file shows whether it is as it was written. Beside it are short checksums of its
pieces. They show where a file was altered: one altered byte changes only its own piece.
"""

import hashlib
import os
import stat
import zlib
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Literal

from pydantic import Field

from headcount import __version__
from headcount.bundle.files import disk_error, replace
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.errors import InputError
from headcount.foreign import file as foreign
from headcount.foreign.json_text import check_depth
from headcount.output.folder import Folder

NAME = "manifest.json"
SIGNATURE = "manifest.json.sig"
LEAST_PIECE = 512
"""Bytes of the smallest piece: some lines of JSON."""
MOST_PIECES = 4096
"""Most pieces of a file: longer files have longer pieces, to keep their list below 40 KB."""
MOST_BYTES = 16 << 20
"""Longest manifest: a run of hundreds of levels has as many files of stacks."""
DIGITS = 8
"""Hexadecimal digits of a piece's CRC-32, which finds every error within 32 bits (Peterson and
Brown, Cyclic Codes for Error Detection, Proc. IRE 49, 1961). It shows where, SHA-256 is proof."""


class Entry(Record):
    """One file."""

    bytes: int = Field(description="Its size")
    sha256: str = Field(description="SHA-256 of the whole file")
    piece_bytes: int = Field(ge=1, description="Length of a piece; the last may be shorter")
    pieces: str = Field(description="CRC-32 of each piece, 8 hexadecimal digits, in order")


class Manifest(Record):
    """The file `manifest.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    headcount: str = Field(description="Version of Headcount that wrote it")
    files: dict[str, Entry] = Field(description="By name, in alphabetical order")
    digest: str = Field(description="SHA-256 of this file with an empty `digest`")


def manifest_text(files: dict[str, Entry], version: str = __version__) -> str:
    """The canonical text of a manifest of these files."""
    ordered = dict(sorted(files.items()))
    open_ = Manifest(headcount=version, files=ordered, digest="")
    digest = hashlib.sha256(_text(open_).encode()).hexdigest()
    return _text(open_.model_copy(update={"digest": digest}))


def _text(manifest: Manifest) -> str:
    return manifest.model_dump_json(indent=1)


def manifest_entry(content: bytes) -> Entry:
    """The entry of a file with this content."""
    return _entry(BytesIO(content), len(content))


def entry_of(path: Path) -> Entry:
    """The entry of a file of a bundle, read in parts; raises OSError."""
    with foreign.opened(path, follow=False) as file:
        return _entry(file, os.fstat(file.fileno()).st_size)


def _entry(file: BinaryIO, size: int) -> Entry:
    piece = LEAST_PIECE
    while size > piece * MOST_PIECES:
        piece *= 2
    length, whole, pieces = 0, hashlib.sha256(), []
    while part := file.read(piece):
        length += len(part)
        whole.update(part)
        pieces.append(checksum(part))
    return Entry(bytes=length, sha256=whole.hexdigest(), piece_bytes=piece, pieces="".join(pieces))


def checksum(piece: bytes) -> str:
    """The short checksum of a piece."""
    return f"{zlib.crc32(piece):0{DIGITS}x}"


def members(folder: Path) -> list[Path]:
    """The files of a bundle that its manifest lists: all but hidden ones and its own two."""
    return [path for path in listed(folder) if stat.S_ISREG(path.lstat().st_mode)]


def listed(folder: Path) -> list[Path]:
    """The members, and everything else in the folder but hidden files, folders and its own two."""
    own = (NAME, SIGNATURE)
    found = (path for path in folder.iterdir() if path.name not in own)
    names = (path for path in found if not path.name.startswith("."))
    return sorted(path for path in names if not stat.S_ISDIR(path.lstat().st_mode))


def write(folder: Path) -> Path:
    """List every file of a bundle as it is now; entries of an older manifest are dropped.

    Raises SystemLimitError if the disk is full.
    """
    try:
        files = {path.name: entry_of(path) for path in members(folder)}
    except OSError as error:
        raise disk_error(folder / NAME, error) from error
    drop(folder)
    replace(folder / NAME, manifest_text(files))
    return folder / NAME


def drop(folder: Path) -> None:
    """Delete manifest and signature: the bundle is being written again."""
    try:
        with Folder(folder) as opened:
            opened.ensure_free(SIGNATURE, NAME)
            opened.remove(SIGNATURE)
            opened.remove(NAME)
    except OSError as error:
        raise disk_error(folder / NAME, error) from error


def read(folder: Path) -> Manifest | None:
    """The manifest of a bundle; None for an older bundle, or one not closed.

    Raises InputError if it is not as it was written.
    """
    path = folder / NAME
    if not foreign.has_regular(path):
        return None
    raw = foreign.content(path, MOST_BYTES, follow=False)
    try:
        check_depth(raw)
        found = Manifest.model_validate_json(raw)
        content = raw.decode()
    except ValueError as error:
        raise InputError(f"{path} is damaged: it is not a manifest") from error
    if content != manifest_text(found.files, found.headcount):
        raise InputError(f"{path} has been altered: it does not match its own digest")
    return found


def is_signed(folder: Path) -> bool:
    """Whether a bundle is signed."""
    return foreign.has_regular(folder / SIGNATURE)


def ensure_open(folder: Path) -> None:
    """Raise InputError if a bundle is signed: writing into it would break the signature.

    Also if its list of files is not a regular file.
    """
    foreign.has_regular(folder / NAME)
    if is_signed(folder):
        raise InputError(
            f"{folder} is signed, so Headcount does not write into it; write elsewhere (--output)"
        )


def forget(folder: Path, name: str) -> None:
    """Remove a file from the list before it is written again; every other entry stays.

    Otherwise a process killed between the file and its entry would leave one that looks altered.
    """
    ensure_open(folder)
    try:
        found = read(folder)
    except InputError:
        return  # `headcount audit` reports it
    if found is not None and name in found.files:
        rest = {key: entry for key, entry in found.files.items() if key != name}
        replace(folder / NAME, manifest_text(rest, found.headcount))


def note(folder: Path, *names: str) -> None:
    """List files that were written into a closed bundle, and only those.

    Every other entry stays, so that what was altered meanwhile is still found. Does nothing without
    a manifest, or with one that is not as it was written.
    """
    ensure_open(folder)
    try:
        found = read(folder)
    except InputError:
        return  # `headcount audit` reports it
    if found is not None:
        new = {name: entry_of(folder / name) for name in names}
        replace(folder / NAME, manifest_text({**found.files, **new}, found.headcount))
