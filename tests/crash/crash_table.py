"""A stand-in for DuckDB, which takes as long as a hundred crashes: one file, written at once.

One story in `REAL_EACH` has the real table.
"""

import hashlib
from pathlib import Path
from random import Random
from typing import Any

from headcount.bundle import table
from headcount.bundle.series import LINES, TABLE
from headcount.bundle.table import Totals

REAL_EACH = 500
_MARK = b"stand-in "


def stand_ins(random: Random) -> list[tuple[Any, str, Any]]:
    """What is replaced in a story: nothing in the few that have the real table."""
    if random.randrange(REAL_EACH) == 0:
        return []
    return [
        (table, "_write", _write),
        (table, "totals_of_table", _of_table),
        (table, "totals_of_lines", _of_lines),
    ]


def _write(source: Path, folder: Path) -> Path | None:
    lines = source.read_bytes()
    made = folder / TABLE
    made.write_bytes(_MARK + _digest(lines).encode())
    return made if lines else None


def _of_lines(folder: Path) -> Totals:
    return _totals(_digest((folder / LINES).read_bytes()))


def _of_table(folder: Path) -> Totals | str | None:
    path = folder / TABLE
    if not path.exists():
        return None
    content = path.read_bytes()
    if not content.startswith(_MARK):
        return "it is not a table"
    return _totals(content.removeprefix(_MARK).decode("ascii", "replace"))


def _totals(digest: str) -> Totals:
    """Equal for equal lines."""
    return {("lines", "", digest): (1, 1.0)}


def _digest(lines: bytes) -> str:
    return hashlib.sha256(lines).hexdigest()
