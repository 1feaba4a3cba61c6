"""The Parquet table of the seconds of a closed run.

Apart from the lines, for most commands need no table, and DuckDB takes a tenth of a second to load.
"""

import os
from errno import EDQUOT, EFBIG, ENOSPC, EROFS
from pathlib import Path

import duckdb

from headcount.bundle.files import disk_error, dump, read_lines
from headcount.bundle.series import LINES, TABLE, Totals, rows
from headcount.foreign.file import has_regular, opened
from headcount.output.folder import Folder

_BOUNDS: dict[str, str | bool | int | float | list[str]] = {"memory_limit": "512MB"}
"""A table of a few kilobytes may claim to unpack to gigabytes."""
_COLUMNS = (
    "{t_s:'DOUBLE',seconds:'DOUBLE',level:'INTEGER',phase:'VARCHAR',users:'INTEGER',"
    "side:'VARCHAR',of:'VARCHAR',name:'VARCHAR',value:'DOUBLE'}"
)


def close(folder: Path) -> None:
    """Write the Parquet table from the lines, which stay.

    Raises SystemLimitError when the disk is full.
    """
    try:
        with Folder(folder) as within, within.private() as own:
            within.ensure_free(TABLE)
            if _write_long(folder / LINES, own / LINES):
                _convert(own / LINES, own / TABLE)
                within.take(own / TABLE, TABLE)
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
