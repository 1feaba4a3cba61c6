"""Where a bundle differs from its manifest."""

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from headcount.bundle.json_path import path_at
from headcount.bundle.manifest import (
    DIGITS,
    MOST_PIECES,
    Entry,
    Manifest,
    checksum,
    listed,
    members,
)
from headcount.errors import InputError
from headcount.foreign.file import content as content_of
from headcount.foreign.file import opened

MOST_BYTES, MOST_LINES = 256 << 20, 1_000_000
"""Most bytes of a file that is searched for differences, and most lines of JSON with named fields.
"""
_MOST_PIECES = 4 * MOST_PIECES
"""Limit for files longer than their entry: a manifest may claim any length of the pieces."""


@dataclass(frozen=True, slots=True)
class Altered:
    """A file that does not match its manifest.

    Attributes:
        name: The file.
        what: `missing`, `altered`, or `added` since the bundle was closed.
        start: First byte that may be altered, from 0; None if it is the whole file.
        end: The byte after the last that may be altered.
        first_line: The line of the first, from 1; None if the file has no lines.
        last_line: The line of the last.
        fields: In JSON: the fields on those two lines.

    """

    name: str
    what: str
    start: int | None = None
    end: int | None = None
    first_line: int | None = None
    last_line: int | None = None
    fields: tuple[str, str] | None = None


def differences(folder: Path, manifest: Manifest) -> list[Altered]:
    """Every file that differs, with the place; empty if all are as they were written."""
    there = {path.name for path in members(folder)}
    names = {path.name for path in listed(folder)}
    found = []
    for name, entry in manifest.files.items():
        if name not in there:
            found.append(Altered(name, "missing"))
        else:
            found.extend(_differences(folder / name, entry))
    found.extend(Altered(name, "added") for name in sorted(names - set(manifest.files)))
    return found


def _differences(path: Path, entry: Entry) -> Iterator[Altered]:
    try:
        if _is_as_written(path, entry):
            return
        content = content_of(path, MOST_BYTES, follow=False)
    except (InputError, OSError):  # a link, or far too long
        yield Altered(path.name, "altered")
        return
    if len(content) > entry.piece_bytes * _MOST_PIECES:
        yield Altered(path.name, "altered")
        return
    start, end = _span(content, entry)
    if b"\0" in content:  # not text: Parquet
        yield Altered(path.name, "altered", start, end)
        return
    first = content.count(b"\n", 0, start) + 1
    last = content.count(b"\n", 0, end - 1) + 1
    fields = None
    if path.suffix == ".json" and last <= MOST_LINES:
        text = content.decode("utf-8", errors="replace")
        fields = (path_at(text, first), path_at(text, last))
    yield Altered(path.name, "altered", start, end, first, last, fields)


def _is_as_written(path: Path, entry: Entry) -> bool:
    with opened(path, follow=False) as file:
        same_size = os.fstat(file.fileno()).st_size == entry.bytes
        return same_size and hashlib.file_digest(file, "sha256").hexdigest() == entry.sha256


def _span(content: bytes, entry: Entry) -> tuple[int, int]:
    """From the first piece that differs to the end of the last, compared from both ends."""
    piece = entry.piece_bytes
    parts = [entry.pieces[i : i + DIGITS] for i in range(0, len(entry.pieces), DIGITS)]
    now = [checksum(content[i : i + piece]) for i in range(0, len(content), piece)]
    differ = [i for i, pair in enumerate(zip(parts, now, strict=False)) if pair[0] != pair[1]]
    if len(content) != entry.bytes:  # everything after the first difference has moved
        first = differ[0] if differ else min(len(parts), len(now))
        return min(first * piece, len(content)), max(len(content), first * piece + 1)
    if not differ:
        return 0, len(content)
    return differ[0] * piece, min((differ[-1] + 1) * piece, len(content))
