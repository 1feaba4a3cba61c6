"""Each second of a run: lines while it runs, a Parquet table once it is closed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from headcount.bundle.files import disk_error, dump, read_lines

LINES = "series.ndjson"
TABLE = "series.parquet"
ABANDONED = "abandoned"
"""Phase of the seconds of a level that a killed run did not finish; their level is 0."""

RUN = ("think_s", "sessions_opened", "backlog", "backlog_s", "backlog_overdue", "p95_ms")
"""Figures of a whole second."""

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
    table = folder / f".{TABLE}.new"
    long = folder / ".series.long.ndjson"
    try:
        if _write_long(folder / LINES, long):
            _convert(long, table)
            table.replace(folder / TABLE)
    except (OSError, duckdb.IOException) as error:
        told = error if isinstance(error, OSError) else OSError(str(error))
        raise disk_error(folder / TABLE, told) from error
    finally:
        table.unlink(missing_ok=True)
        long.unlink(missing_ok=True)


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
            f"TO '{_quoted(table)}' (FORMAT parquet, COMPRESSION zstd)",
            [str(long)],
        )


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def abandon(folder: Path, finished: int) -> None:
    """Mark the seconds of levels after the `finished` ones, for those levels are run again.

    Without this a level would have the seconds of two attempts. The histogram log keeps both; its
    times tell them apart.
    """
    beside = folder / f".{LINES}.new"
    try:
        with beside.open("w", encoding="utf-8") as file:
            for second in read_lines(folder / LINES):
                if second["level"] > finished:
                    second |= {"level": 0, "phase": ABANDONED}
                file.write(dump(second) + "\n")
        beside.replace(folder / LINES)
    except OSError as error:
        raise disk_error(folder / LINES, error) from error
    finally:
        beside.unlink(missing_ok=True)


def read(folder: Path) -> list[dict[str, Any]]:
    """Every second of a run, in order."""
    return list(read_lines(folder / LINES))
