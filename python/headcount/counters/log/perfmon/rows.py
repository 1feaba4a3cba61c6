"""The rows of a Windows log as an array; streamed, so that large logs take time, not memory."""

import csv
import math
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter
from pathlib import Path

import numpy as np

from headcount.counters.columns import Column, check_cells
from headcount.counters.log.perfmon import clock
from headcount.counters.log.perfmon.header import MARK, Header
from headcount.counters.log.reader import MOST_BYTES, MOST_LINE_BYTES
from headcount.errors import InputError
from headcount.foreign.file import text_lines

_BAD = -1.0
"""What relog writes for a failed sample. No Windows counter is negative."""
_ROWS_TO_LOOK_AT = 50


@dataclass(frozen=True, slots=True)
class Grid:
    """The values of the requested columns.

    Attributes:
        times_s: Of each row, in seconds since 1970 (UTC).
        values: A row for each time, a column for each requested one; NaN is absent.
        notes: What could not be read.

    """

    times_s: Column
    values: Column
    notes: tuple[str, ...]


@dataclass(slots=True)
class _Oddities:
    """Irregularities, counted."""

    short: int = 0
    others: int = 0
    after: int | None = None
    torn: bool = False

    def notes(self) -> tuple[str, ...]:
        found = []
        if self.short:
            rows = _count_text(self.short, "row")
            found.append(f"{rows} had fewer cells than the header; the missing ones are absent.")
        if self.others:
            lines = _count_text(self.others, "line")
            found.append(f"Skipped {lines} between the samples.")
        if self.after is not None:
            found.append(
                f"Line {self.after} is a second header, where another log begins. It was not read: "
                "put it into its own file."
            )
        if self.torn:
            found.append("The last line is incomplete and was left out.")
        return tuple(found)


def _count_text(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number > 1 else ''}"


def read_rows(path: Path, header: Header, wanted: Sequence[int]) -> Grid:
    """Read the columns with these indexes (0 is the first after the times) of all rows.

    Raises:
        InputError: There is no row, or rows cannot belong to this header.

    """
    comma = _decimal_comma(path, header)
    oddities = _Oddities()
    stamps = clock.Stamps()
    buffer = array("d")
    pick = _picker(wanted)
    passed = given = 0
    width = len(header.columns) + 1
    for number, line, whole in _lines(path, header):
        cells = _cells(line, header.delimiter, width)
        stamp = clock.fields(cells[0]) if cells else None
        if stamp is None:
            if MARK.search(line[:200]):
                oddities.after = number
                break
            passed += 1
            continue
        if not whole and (len(cells) < width or not _closed(line)):
            oddities.torn = True
            break
        if len(cells) > width and any(cell.strip() for cell in cells[width:]):
            raise InputError(_too_wide(path, number, len(cells), width, header))
        if len(cells) < width:
            oddities.short += 1
            given += len(cells)
            check_cells(oddities.short, width, given)
            cells += ["nan"] * (width - len(cells))
        # typeperf prints messages after the last sample when it ends.
        oddities.others += passed
        passed = 0
        stamps.add(stamp)
        _append(buffer, pick(cells), comma=comma)
    if not stamps:
        raise InputError(f"{path}: the log has a header but no samples")
    values = np.frombuffer(buffer, dtype=np.float64).reshape(len(stamps), len(wanted))
    values[values <= _BAD] = np.nan
    try:
        times_s = stamps.times(header.bias_min or 0)
    except (ValueError, OverflowError) as error:
        raise InputError(f"{path}: cannot read its times: {error}") from error
    return Grid(times_s, values, oddities.notes())


def _lines(path: Path, header: Header) -> Iterator[tuple[int, str, bool]]:
    """The lines after the header: number, text, and whether its end was written."""
    behind = False
    written = text_lines(path, header.encoding, MOST_BYTES, MOST_LINE_BYTES)
    for number, line in enumerate(written, 1):
        text = line.rstrip("\n")
        if not text.strip():
            continue
        if behind:
            yield number, text, line.endswith("\n")
        behind = True


def _cells(line: str, delimiter: str, width: int) -> list[str]:
    """The cells of a row. PDH quotes all of them, and none has a quotation mark in it."""
    if line.startswith('"') and line.endswith('"'):
        cells = line[1:-1].split(f'"{delimiter}"')  # four times as fast
        if len(cells) == width:
            return cells
    try:
        return next(csv.reader((line,), delimiter=delimiter), [])
    except csv.Error:  # a cell over 128 KiB, so not a number
        return []


def _closed(line: str) -> bool:
    """Whether a line without its end has its last cell whole: an unquoted number may be cut."""
    return line.endswith('"') and line.count('"') % 2 == 0


def _picker(wanted: Sequence[int]) -> Callable[[Sequence[str]], Sequence[str]]:
    """A function that takes the columns out of a row."""
    places = [place + 1 for place in wanted]
    if len(places) > 1:
        return itemgetter(*places)  # five times as fast as a loop; with one index it gives no tuple
    return lambda cells: [cells[place] for place in places]


def _append(buffer: "array[float]", cells: Sequence[str], *, comma: bool) -> None:
    """Add a row's values; the fast path is for rows with only numbers, as almost all are."""
    before = len(buffer)
    if not comma:
        try:
            buffer.extend(map(float, cells))
        except ValueError:
            del buffer[before:]
        else:
            return
    buffer.extend(map(_number, cells))


def _number(cell: str) -> float:
    """A cell's value; NaN if it is empty, or has what some Windows versions write for no number."""
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return math.nan


def _decimal_comma(path: Path, header: Header) -> bool:
    """Whether the log has decimal commas: 12,5 for twelve and a half."""
    for _, line, _ in islice(_lines(path, header), _ROWS_TO_LOOK_AT):
        cells = _cells(line, header.delimiter, len(header.columns) + 1)[1:]
        if any("," in cell for cell in cells):
            return True
    return False


def _too_wide(path: Path, line: int, cells: int, width: int, header: Header) -> str:
    what = f"{path}: line {line} has {cells} cells, the header {width}"
    if header.delimiter == ",":
        what += "; numbers with decimal commas must be quoted"
    return f"{what}. Convert the log again with relog."
