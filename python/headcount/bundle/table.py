"""The Parquet table of the seconds of a closed run.

Separate from the lines, because most commands need no table, and DuckDB takes 0.1 s to load.
"""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
from pydantic_core import from_json

from headcount.bundle.columns import COMMON, Block, Keys, SecondHead, Totals, blocks, totals
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
"""Rows stay in the order of the lines, whichever side of a join is smaller."""
_KIND = 'CREATE TYPE {name}_kind AS ENUM (SELECT DISTINCT "{name}" FROM {table})'
_TEXTS = {"phase": "seconds", "side": "keys", "of": "keys", "name": "keys"}
"""Columns of text, and the tables they are in. A few texts recur in millions of rows: as enums
they are written in half the time."""
_SMALL = """
CREATE TABLE own_seconds AS
  SELECT second, t_s, seconds, level, phase::phase_kind AS phase, users FROM seconds;
CREATE TABLE own_keys AS
  SELECT key, side::side_kind AS side, "of"::of_kind AS "of", name::name_kind AS name FROM keys;
"""
_WHOLE = """
COPY (
  SELECT t_s, seconds, level, phase, users, side, "of", name, value
  FROM figures JOIN own_seconds USING (second) JOIN own_keys USING (key)
)
TO '{target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 245760)
"""
_COLUMNS: dict[str, npt.DTypeLike] = {"second": np.int32, "key": np.int32, "value": np.float64}
"""Columns of the figures, which do not fit into memory: each is a file until the table is made."""


def close(folder: Path) -> None:
    """Write the Parquet table from the lines, which stay.

    Raises SystemLimitError if the disk is full.
    """
    try:
        with Folder(folder) as within, within.private() as own:
            within.ensure_free(TABLE)
            table = _write(folder / LINES, own)
            if table is not None:
                within.take(table, TABLE)
    except (OSError, duckdb.IOException) as error:
        raise disk_error(folder / TABLE, _system_error(error)) from error


def _system_error(error: OSError | duckdb.IOException) -> OSError:
    """The system's error; DuckDB gives only its text."""
    if isinstance(error, OSError):
        return error
    text = str(error)
    code = next((code for code in (ENOSPC, EDQUOT, EROFS, EFBIG) if os.strerror(code) in text), 0)
    return OSError(code, text)


def _write(lines: Path, folder: Path) -> Path | None:
    """Write the table of these lines into an empty folder; None if there are none."""
    keys = Keys()
    heads = _spool(blocks(_own_lines(lines), keys), folder)
    if not heads:
        return None
    figures = {
        name: np.asarray(np.memmap(folder / name, kind, "r")) for name, kind in _COLUMNS.items()
    }
    with duckdb.connect(config=_ORDERED) as connection:
        for name, columns in {"figures": figures, **_small_tables(heads, keys)}.items():
            connection.register(name, columns)
        for name, table in _TEXTS.items():
            connection.execute(_KIND.format(name=name, table=table))
        connection.execute(_SMALL)
        # COPY takes no parameter for its target, so the name is quoted.
        connection.execute(_WHOLE.format(target=_quoted_path(folder / TABLE)))
    return folder / TABLE


def _spool(found: Iterable[Block], folder: Path) -> list[SecondHead]:
    """Write the figures by column into files; returns what every row has of its second."""
    heads: list[SecondHead] = []
    with ExitStack() as stack:
        files = {name: stack.enter_context((folder / name).open("xb")) for name in _COLUMNS}
        for block in found:
            second = block.second + np.int32(len(heads))
            for name, column in {"second": second, "key": block.key, "value": block.value}.items():
                files[name].write(column.data)
            heads += block.seconds
    return heads


def _own_lines(lines: Path) -> Iterator[Any]:
    """The seconds that this process wrote, or checked when it resumed an older bundle."""
    for line in stored_lines(lines):
        with contextlib.suppress(ValueError):  # torn by a process that was killed
            yield from_json(line)


def _small_tables(
    heads: Sequence[SecondHead], keys: Keys
) -> dict[str, dict[str, npt.NDArray[Any]]]:
    """Lookup tables, as columns, for the texts that the figures refer to."""
    texts: npt.DTypeLike = object  # references, not copies of a fixed length
    types = (np.float64, np.float64, np.int32, texts, np.int32)
    seconds, names = {}, {}
    for name, kind, values in zip(COMMON, types, zip(*heads, strict=True), strict=True):
        seconds[name] = np.array(values, dtype=kind)
    words = zip(*keys.numbers, strict=True)
    for name, column in zip(("side", "of", "name"), words, strict=True):
        names[name] = np.array(column, dtype=texts)
    return {
        "seconds": {"second": np.arange(len(heads), dtype=np.int32), **seconds},
        "keys": {"key": np.arange(len(keys.numbers), dtype=np.int32), **names},
    }


def _quoted_path(path: Path) -> str:
    return str(path).replace("'", "''")


def totals_of_lines(folder: Path) -> Totals:
    """The totals that the table must have, from the lines; others than seconds are skipped."""
    return totals(read_lines(folder / LINES))


def totals_of_table(folder: Path) -> Totals | str | None:
    """The table's totals; why it cannot be read, or None if it is missing."""
    path = folder / TABLE
    if not has_regular(path):
        return None
    query = "SELECT side, of, name, count(*), sum(value) FROM read_parquet(?) GROUP BY ALL"
    try:
        # By its handle, so that it is the file that was checked, and its name is not a pattern.
        with opened(path, follow=False) as file, duckdb.connect(config=_BOUNDS) as connection:
            name = f"/proc/self/fd/{file.fileno()}"
            found = connection.execute(query, [name]).fetchall()
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    except (duckdb.Error, RuntimeError, ValueError) as error:  # names may not be UTF-8
        return f"it cannot be read: {(str(error).splitlines() or ['no reason given'])[0]}"
    return {(side, of, name): (number, total) for side, of, name, number, total in found}
