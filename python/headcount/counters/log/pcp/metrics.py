"""What an archive of PCP's has: its metrics with their units, and their values at all times.

PCP's own programs read it: `pminfo` lists the metrics, `pmrep` prints the values that were logged,
neither interpolated nor made into rates. See https://pcp.readthedocs.io.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.program import output
from headcount.errors import InputError

PACKAGE = "pcp"
_TIME = "Time"
_UNITS = {
    "byte": 1.0,
    "Kbyte": 1024.0,
    "Mbyte": 1024.0**2,
    "Gbyte": 1024.0**3,
    "nanosec": 1e-9,
    "microsec": 1e-6,
    "millisec": 1e-3,
    "sec": 1.0,
}
"""What a value is multiplied with to be in bytes or seconds; counts and shares stay."""
_ALIKE = 0.25
"""pmlogger writes metrics of one tick in several records, each with its own time. Records closer
than this part of the shortest interval are one sample."""

Key = tuple[str, str | None]
"""A metric and its instance, None where it has none."""


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is to be read.

    Attributes:
        running: Whether it is a running count, of which the growth per second says something.
        factor: What its values are multiplied with to be in bytes or seconds.

    """

    running: bool
    factor: float


@dataclass(frozen=True, slots=True)
class Values:
    """The values of an archive: of running counts the growth per second.

    Attributes:
        times_s: Of each sample, in seconds since 1970 (UTC).
        columns: A column for each metric and instance, in bytes, seconds, counts; NaN is absent.

    """

    times_s: Column
    columns: dict[Key, Column]


def names(archive: str, log: Path) -> list[str]:
    """The metrics an archive has, without those that every archive seems to have (event.*)."""
    text = output(["pminfo", "-a", archive], log=log, package=PACKAGE)
    found = text.decode("utf-8", "replace").split()
    return [name for name in found if not name.startswith("event.")]


def describe(archive: str, log: Path, metrics: Sequence[str]) -> dict[str, Metric]:
    """Units and kinds of metrics. Those that are text are not among them."""
    text = output(["pminfo", "-a", archive, "-d", *metrics], log=log, package=PACKAGE)
    found: dict[str, Metric] = {}
    for block in re.split(r"\n\s*\n", text.decode("utf-8", "replace").strip()):
        name, _, rest = block.strip().partition("\n")
        units = re.search(r"Units: ([^\n]*)", rest)
        if units is None or "Data Type: string" in rest:
            continue
        unit = units[1].split("/")[0].strip()
        found[name.strip()] = Metric("Semantics: counter" in rest, _UNITS.get(unit, 1.0))
    return found


def host(archive: Path, log: Path) -> str | None:
    """The machine an archive is of."""
    text = output(["pmdumplog", "-L", str(archive)], log=log, package=PACKAGE)
    name = re.search(r"Performance metrics from host ([^\n]+)", text.decode("utf-8", "replace"))
    return None if name is None else name[1].strip()


def values(archive: str, log: Path, metrics: dict[str, Metric]) -> Values:
    """All values of these metrics, as they were logged.

    Raises:
        InputError: pmrep wrote something else than a table.

    """
    command = ["pmrep", "-a", archive, "-u", "-r", "-1", "-Z", "UTC", "-f", "%s.%f", "-o", "csv"]
    text = output([*command, *metrics], log=log, package=PACKAGE).decode("utf-8", "replace")
    times_s, raw = _table(csv.reader(io.StringIO(text)), log)
    columns = {}
    for (name, instance), column in raw.items():
        metric = metrics.get(name)
        if metric is not None:
            scaled = column * metric.factor
            columns[name, instance] = _growth(scaled, times_s) if metric.running else scaled
    return _merged_values(Values(times_s, columns))


def _table(rows: Iterable[list[str]], log: Path) -> tuple[Column, dict[Key, Column]]:
    """The table that pmrep wrote; its header comes anew where an instance appears or goes."""
    keys: list[Key] = []
    times: list[float] = []
    cells: dict[Key, dict[int, float]] = {}
    for row in rows:
        if not row:
            continue
        if row[0] == _TIME:
            keys = [_key(cell) for cell in row[1:]]
            continue
        try:
            times.append(float(row[0]))
            for key, cell in zip(keys, row[1:], strict=False):
                if cell:
                    cells.setdefault(key, {})[len(times) - 1] = float(cell)
        except ValueError as error:
            raise InputError(f"{log}: pmrep wrote {row[0]!r} as a sample: {error}") from error
    columns = {}
    for key, found in cells.items():
        columns[key] = np.full(len(times), np.nan)
        columns[key][list(found)] = list(found.values())
    return np.asarray(times), columns


def _key(cell: str) -> Key:
    """Names of metrics have no hyphen: what is behind the first one is the instance."""
    name, hyphen, instance = cell.partition("-")
    return name, instance if hyphen else None


def _growth(column: Column, times_s: Column) -> Column:
    """Growth per second since the value before, at the times that have one."""
    result = np.full(len(column), np.nan)
    there = np.flatnonzero(~np.isnan(column))
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.diff(column[there]) / np.diff(times_s[there])
    # A count that went backwards was begun anew, or is one of 32 bits that is full.
    rates[~np.isfinite(rates) | (rates < 0)] = np.nan
    result[there[1:]] = rates
    return result


def _merged_values(found: Values) -> Values:
    """The same values, one sample for the records of one tick."""
    times_s = found.times_s
    interval_s = _interval(found)
    if interval_s is None:
        return found
    starts: list[int] = []
    ticks: list[int] = []
    for place, at_s in enumerate(times_s):
        if not starts or at_s - times_s[starts[-1]] > _ALIKE * interval_s:
            starts.append(place)
        ticks.append(len(starts) - 1)
    tick_of = np.asarray(ticks)
    columns = {}
    for key, column in found.columns.items():
        # From the last to the first, so that of several values of one tick the first stays.
        there = np.flatnonzero(~np.isnan(column))[::-1]
        columns[key] = np.full(len(starts), np.nan)
        columns[key][tick_of[there]] = column[there]
    return Values(times_s[starts], columns)


def _interval(found: Values) -> float | None:
    """The shortest interval at which a metric was logged; None of a single record.

    What is logged once, pmrep repeats in every row. Such a column has a row wherever another has.
    """
    gaps = [
        float(np.median(np.diff(there)))
        for column in found.columns.values()
        if 1 < len(there := found.times_s[~np.isnan(column)]) < len(found.times_s)
    ]
    if not gaps and len(found.times_s) > 1:
        gaps = [float(np.median(np.diff(found.times_s)))]
    return min(gaps, default=None)
