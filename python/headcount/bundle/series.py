"""Each second of a run: lines while it runs, a Parquet table once it is closed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from headcount.bundle.files import dump, read_lines, replace

LINES = "series.ndjson"
TABLE = "series.parquet"


def rows(second: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One second as rows of the table: a name and a value for each figure."""
    common = {key: second[key] for key in ("t_s", "seconds", "level", "phase", "users")}
    for kind in ("scenarios", "steps"):
        for of, figures in second[kind].items():
            for name, value in figures.items():
                if value is not None:
                    yield {**common, "side": kind, "of": of, "name": name, "value": float(value)}
    for side, figures in second["counters"].items():
        for name, value in figures.items():
            yield {**common, "side": side, "of": "", "name": name, "value": float(value)}


def close(folder: Path) -> None:
    """Write the Parquet table from the lines; the lines stay until the table is whole."""
    source = folder / LINES
    table = folder / f".{TABLE}.new"
    long = folder / ".series.long.ndjson"
    lines = [dump(row) for second in read_lines(source) for row in rows(second)]
    if not lines:
        return
    replace(long, "\n".join(lines) + "\n")
    columns = (
        "{t_s:'DOUBLE',seconds:'DOUBLE',level:'INTEGER',phase:'VARCHAR',users:'INTEGER',"
        "side:'VARCHAR',of:'VARCHAR',name:'VARCHAR',value:'DOUBLE'}"
    )
    with duckdb.connect() as connection:
        connection.execute(
            # COPY takes no parameter for its target, so the name is quoted.
            f"COPY (SELECT * FROM read_json(?, format='newline_delimited', columns={columns})) "  # noqa: S608
            f"TO '{_quoted(table)}' (FORMAT parquet, COMPRESSION zstd)",
            [str(long)],
        )
    table.replace(folder / TABLE)
    long.unlink()


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")


def read(folder: Path) -> list[dict[str, Any]]:
    """Every second of a run, in order."""
    return [second for second in read_lines(folder / LINES) if isinstance(second, dict)]
