"""What happened when at a level, in slots of some milliseconds: compressed CSV.

One file per level, `moments-003.csv.gz`. It has a line for each slot in which something happened,
in order; its columns are those of `COLUMNS`.
"""

import gzip
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from headcount.bundle.files import replace
from headcount.errors import InputError
from headcount.foreign.file import content, unpacked

COLUMNS = ("at_s", "completed", "slow", "failed", "kept", "missed", "opened")
MOST_PACKED, MOST_UNPACKED = 16 << 20, 64 << 20
"""Longest file: a slot takes some 30 bytes, and ten minutes have 60,000 slots of 10 ms."""
Row = tuple[float, int, int, int, int, int, int]
_NAME = re.compile(r"moments-(\d{3,9})\.csv\.gz")


def file_name(level: int) -> str:
    """The file of a level.

    >>> file_name(3)
    'moments-003.csv.gz'
    """
    return f"moments-{level:03d}.csv.gz"


def merged(rows: Iterable[Sequence[float]]) -> list[Row]:
    """Slots in order, each once: several reports may have figures for one slot."""
    found: dict[int, list[float]] = {}
    for at_s, *counts in rows:
        known = found.setdefault(round(at_s * 1e6), [0] * len(counts))
        for place, count in enumerate(counts):
            known[place] += count
    return [_row_of(at / 1e6, counts) for at, counts in sorted(found.items())]


def write(folder: Path, level: int, rows: Sequence[Row]) -> str:
    """Write a level's file; returns its name. Equal rows give identical files."""
    lines = [",".join(COLUMNS), *(f"{row[0]:.3f},{','.join(map(str, row[1:]))}" for row in rows)]
    name = file_name(level)
    replace(folder / name, gzip.compress("\n".join([*lines, ""]).encode(), mtime=0))
    return name


def read(folder: Path, level: int) -> list[Row] | None:
    """A level's rows; None without its file. Raises InputError if it is damaged."""
    path = folder / file_name(level)
    if not path.is_file():
        return None
    try:
        text = unpacked(content(path, MOST_PACKED, follow=False), MOST_UNPACKED).decode("ascii")
        return _rows(text)
    except ValueError as error:
        raise InputError(f"{path} is damaged: {error}") from error


def _rows(text: str) -> list[Row]:
    head, *lines = text.splitlines() or [""]
    if head != ",".join(COLUMNS):
        raise ValueError("it has other columns")
    return [_row(line) for line in lines]


def _row(line: str) -> Row:
    at_s, *counts = line.split(",")
    return _row_of(float(at_s), [int(one) for one in counts])


def _row_of(at_s: float, counts: Sequence[float]) -> Row:
    completed, slow, failed, kept, missed, opened = map(int, counts)
    return at_s, completed, slow, failed, kept, missed, opened


def files(folder: Path) -> list[Path]:
    """The files of moments of a bundle, by level."""
    return sorted(one for one in folder.glob("moments-*.csv.gz") if _NAME.fullmatch(one.name))
