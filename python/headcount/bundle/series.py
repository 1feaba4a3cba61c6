"""Each second of a run: lines while it runs, a Parquet table once it is closed."""

import os
from collections.abc import Iterator
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path
from typing import Any

import duckdb

from headcount.bundle.files import disk_error, dump, read_lines, records
from headcount.foreign.file import has_regular, opened
from headcount.output.folder import Folder

LINES = "series.ndjson"
TABLE = "series.parquet"
ABANDONED = "abandoned"
"""Phase of the seconds of a level that a killed run did not finish; their level is 0."""

SECOND = ("t_s", "seconds", "level", "phase", "users", "scenarios", "counters")
"""What every second has; the rest depends on the version that wrote it."""

RUN = ("think_s", "sessions_opened", "backlog", "backlog_s", "backlog_overdue", "p95_ms")
"""Figures of a whole second."""

_BOUNDS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "512MB"}
"""A table of a few kilobytes may claim to unpack to gigabytes."""
_COLUMNS = (
    "{t_s:'DOUBLE',seconds:'DOUBLE',level:'INTEGER',phase:'VARCHAR',users:'INTEGER',"
    "side:'VARCHAR',of:'VARCHAR',name:'VARCHAR',value:'DOUBLE'}"
)


def rows(second: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One second as rows of the table: a name and a value for each figure."""
    common = {key: second[key] for key in ("t_s", "seconds", "level", "phase", "users")}
    run = {key: second[key] for key in RUN} | {"worker_cpu_s": sum(second["worker_cpu_s"])}
    sides = [("run", {"": run})]
    # Runs that an older Headcount began have no tasks in their first seconds.
    sides += [(kind, second.get(kind, {})) for kind in ("scenarios", "steps", "tasks")]
    sides += [(side, {"": figures}) for side, figures in second["counters"].items()]
    sides += [("faults", {step or "": {kind: n}}) for step, kind, n in second["faults"]]
    for side, things in sides:
        for of, figures in things.items():
            for name, value in figures.items():
                if value is not None:
                    yield {**common, "side": side, "of": of, "name": name, "value": float(value)}


def close(folder: Path) -> None:
    """Write the Parquet table from the lines, which stay.

    Raises SystemLimitError when the disk is full.
    """
    try:
        with Folder(folder) as opened, opened.private() as own:
            opened.ensure_free(TABLE)
            if _write_long(folder / LINES, own / LINES):
                _convert(own / LINES, own / TABLE)
                opened.take(own / TABLE, TABLE)
    except (OSError, duckdb.IOException) as error:
        raise disk_error(folder / TABLE, _system_error(error)) from error


def _system_error(error: OSError | duckdb.IOException) -> OSError:
    """The error of the system; DuckDB gives its text alone."""
    if isinstance(error, OSError):
        return error
    text = str(error)
    code = next((code for code in (ENOSPC, EDQUOT, EROFS, EFBIG) if os.strerror(code) in text), 0)
    return OSError(code, text)


def _write_long(source: Path, long: Path) -> bool:
    """Write the rows of all seconds, one a line; whether there are any."""
    with long.open("w", encoding="utf-8") as file:
        for second in read_lines(source):
            file.writelines(dump(row) + "\n" for row in rows(second))
        return file.tell() > 0


def _convert(long: Path, table: Path) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            # COPY takes no parameter for its target, so the name is quoted.
            f"COPY (SELECT * FROM read_json(?, format='newline_delimited', columns={_COLUMNS})) "  # noqa: S608
            f"TO '{_quoted_path(table)}' (FORMAT parquet, COMPRESSION zstd)",
            [str(long)],
        )


def _quoted_path(path: Path) -> str:
    return str(path).replace("'", "''")


def abandon(folder: Path, finished: int) -> None:
    """Mark the seconds of levels after the `finished` ones, for those levels are run again.

    Without this a level would have the seconds of two attempts. The histogram log keeps both; its
    times tell them apart.
    """
    try:
        with Folder(folder) as opened, opened.replacing(LINES) as file:
            for second in read_lines(folder / LINES):
                if second["level"] > finished:
                    second |= {"level": 0, "phase": ABANDONED}
                file.write(f"{dump(second)}\n".encode())
    except OSError as error:
        raise disk_error(folder / LINES, error) from error


def read(folder: Path) -> list[dict[str, Any]]:
    """Every second of a run, in order; raises InputError where a line is something else."""
    return records(folder / LINES, SECOND, "a second of a run")


Totals = dict[tuple[str, str, str], tuple[int, float]]
"""How many rows the table has of a figure, and the sum of their values; by side, `of` and name."""


def totals_of_lines(folder: Path) -> Totals:
    """What the table must have, from the lines; lines that are no seconds are left out."""
    found: Totals = {}
    for second in read_lines(folder / LINES):
        try:
            of_second = list(rows(second))
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError):
            continue
        for row in of_second:
            key = (row["side"], row["of"], row["name"])
            number, total = found.get(key, (0, 0.0))
            found[key] = (number + 1, total + row["value"])
    return found


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
