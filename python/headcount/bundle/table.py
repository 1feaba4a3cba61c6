"""The Parquet table of the seconds of a closed run.

Apart from the lines, for most commands need no table, and DuckDB takes a tenth of a second to load.
"""

import contextlib
import os
from collections.abc import Iterator
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from pydantic_core import from_json

from headcount.bundle.columns import COMMON, Block, Keys, Totals, blocks, totals
from headcount.bundle.files import disk_error, read_lines, stored_lines
from headcount.bundle.series import LINES, TABLE
from headcount.foreign.file import has_regular, opened
from headcount.output.folder import Folder

_BOUNDS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "512MB"}
"""A table of a few kilobytes may claim to unpack to gigabytes."""
_ORDERED: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1,
    "disabled_optimizers": "join_order,build_side_probe_side",
}
"""Rows stay in the order of the lines, whichever side of a join is the smaller."""
_PART = """
COPY (
  SELECT t_s, seconds, level, phase, users, side, of, name, value
  FROM figures JOIN seconds USING (second) JOIN keys USING (key)
)
TO '{target}' (FORMAT parquet, COMPRESSION zstd)
"""
_WHOLE = """
COPY (SELECT * FROM read_parquet([{parts}])) TO '{target}' (FORMAT parquet, COMPRESSION zstd)
"""


def close(folder: Path) -> None:
    """Write the Parquet table from the lines, which stay.

    Raises SystemLimitError when the disk is full.
    """
    try:
        with Folder(folder) as within, within.private() as own:
            within.ensure_free(TABLE)
            parts = _write_parts(folder / LINES, own)
            if parts:
                within.take(_joined(parts, own / TABLE), TABLE)
    except (OSError, duckdb.IOException) as error:
        raise disk_error(folder / TABLE, _system_error(error)) from error


def _system_error(error: OSError | duckdb.IOException) -> OSError:
    """The error of the system; DuckDB gives its text alone."""
    if isinstance(error, OSError):
        return error
    text = str(error)
    code = next((code for code in (ENOSPC, EDQUOT, EROFS, EFBIG) if os.strerror(code) in text), 0)
    return OSError(code, text)


def _write_parts(lines: Path, folder: Path) -> list[Path]:
    """Write the table in parts, each of some minutes: no more than that is held in memory."""
    keys = Keys()
    parts: list[Path] = []
    with duckdb.connect(config=_ORDERED) as connection:
        for block in blocks(_own_lines(lines), keys):
            parts.append(folder / f"{len(parts)}.parquet")
            for name, columns in _tables(block, keys).items():
                connection.register(name, columns)
            # COPY takes no parameter for its target, so the name is quoted.
            connection.execute(_PART.format(target=_quoted_path(parts[-1])))
    return parts


def _own_lines(lines: Path) -> Iterator[Any]:
    """The seconds that this process wrote, or checked when it went on with an older bundle."""
    for line in stored_lines(lines):
        with contextlib.suppress(ValueError):  # torn by a process that was killed
            yield from_json(line)


def _tables(block: Block, keys: Keys) -> dict[str, dict[str, npt.NDArray[Any]]]:
    """A block as tables: their columns. DuckDB looks texts up faster than it reads them."""
    texts: npt.DTypeLike = object  # those that are there, not copies of a fixed length
    types = (np.float64, np.float64, np.int32, texts, np.int32)
    seconds, names = {}, {}
    for name, kind, values in zip(COMMON, types, zip(*block.seconds, strict=True), strict=True):
        seconds[name] = np.array(values, dtype=kind)
    words = zip(*keys.numbers, strict=True)
    for name, column in zip(("side", "of", "name"), words, strict=True):
        names[name] = np.array(column, dtype=texts)
    return {
        "figures": {"second": block.second, "key": block.key, "value": block.value},
        "seconds": {"second": np.arange(len(block.seconds), dtype=np.int32), **seconds},
        "keys": {"key": np.arange(len(keys.numbers), dtype=np.int32), **names},
    }


def _joined(parts: list[Path], table: Path) -> Path:
    """One table of all parts."""
    if len(parts) == 1:
        return parts[0]
    names = ", ".join(f"'{_quoted_path(part)}'" for part in parts)
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.execute(_WHOLE.format(parts=names, target=_quoted_path(table)))
    return table


def _quoted_path(path: Path) -> str:
    return str(path).replace("'", "''")


def totals_of_lines(folder: Path) -> Totals:
    """What the table must have, from the lines; lines that are no seconds are left out."""
    return totals(read_lines(folder / LINES))


def totals_of_table(folder: Path) -> Totals | str | None:
    """What the table has; why it cannot be read, or None where there is none."""
    path = folder / TABLE
    if not has_regular(path):
        return None
    query = "SELECT side, of, name, count(*), sum(value) FROM read_parquet(?) GROUP BY ALL"
    try:
        # By its handle, so that it is the file that was looked at, and its name no pattern.
        with opened(path, follow=False) as file, duckdb.connect(config=_BOUNDS) as connection:
            name = f"/proc/self/fd/{file.fileno()}"
            found = connection.execute(query, [name]).fetchall()
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except (duckdb.Error, RuntimeError, ValueError) as error:  # names may be no UTF-8
        return f"it cannot be read: {(str(error).splitlines() or ['no reason given'])[0]}"
    return {(side, of, name): (number, total) for side, of, name, number, total in found}
