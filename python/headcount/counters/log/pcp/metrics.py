"""The metrics of a PCP archive with their units, and their values at all times.

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

from headcount.counters.columns import Builder, Column
from headcount.counters.log.pcp import volume
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
"""Factors that convert a unit to bytes or seconds; counts and shares stay."""
_DESCRIBED = re.compile(
    r"(?P<name>\S+) PMID: (?P<pmid>[\d.]+)\s+"
    r"Data Type: (?P<type>.+?)  InDom: (?P<indom>\S+).*\s+"
    r"Semantics: (?P<semantics>\w+)  Units: (?P<units>.*)"
)
"""The description of a metric by pminfo."""
_INSTANCE = re.compile(r'\s+(?P<number>-?\d+) or "(?P<name>.*)"')
_PLAIN = re.compile(r"[ !#-+\--~]+")
"""A name that pmrep prints as it is: ASCII without quotation marks and commas."""
_ALIKE = 0.25
"""pmlogger writes metrics of one tick in several records, each with its own time. Records closer
than this share of the shortest interval are one sample."""

Key = tuple[str, str | None]
"""A metric and its instance, None where it has none."""


@dataclass(frozen=True, slots=True)
class Metric:
    """How a metric is to be read.

    Attributes:
        running: Whether it is a running count, of which the growth per second is used.
        factor: Factor that converts its values to bytes or seconds.
        number: Its number in records.
        kind: Its type, as pminfo calls it.
        discrete: Whether a value holds until the next one.
        domain: The domain of its instances, None without instances.

    """

    running: bool
    factor: float
    number: int
    kind: str
    discrete: bool
    domain: str | None


@dataclass(frozen=True, slots=True)
class Values:
    """The values of an archive; for running counts the growth per second.

    Attributes:
        times_s: Of each sample, in seconds since 1970 (UTC).
        columns: A column for each metric and instance, in bytes, seconds, counts; NaN is absent.

    """

    times_s: Column
    columns: dict[Key, Column]


def names(archive: str, log: Path) -> list[str]:
    """The metrics of an archive, without event.*, which every archive seems to have."""
    text = output(["pminfo", "-a", archive], log=log, package=PACKAGE)
    found = text.decode("utf-8", "replace").split()
    return [name for name in found if not name.startswith("event.")]


def describe(archive: str, log: Path, metrics: Sequence[str]) -> dict[str, Metric]:
    """Units and kinds of metrics, without those that are text."""
    text = output(["pminfo", "-a", archive, "-m", "-d", *metrics], log=log, package=PACKAGE)
    found: dict[str, Metric] = {}
    for block in re.split(r"\n\s*\n", text.decode("utf-8", "replace").strip()):
        described = _DESCRIBED.match(block.strip())
        if described is None or described["type"] == "string":
            continue
        unit = described["units"].split("/")[0].strip()
        domain, cluster, item = map(int, described["pmid"].split("."))
        found[described["name"]] = Metric(
            running=described["semantics"] == "counter",
            factor=_UNITS.get(unit, 1.0),
            number=domain << 22 | cluster << 10 | item,
            kind=described["type"],
            discrete=described["semantics"] == "discrete",
            domain=None if described["indom"] == "PM_INDOM_NULL" else described["indom"],
        )
    return found


def host(archive: Path, log: Path) -> str | None:
    """The machine that an archive is about."""
    text = output(["pmdumplog", "-L", str(archive)], log=log, package=PACKAGE)
    name = re.search(r"Performance metrics from host ([^\n]+)", text.decode("utf-8", "replace"))
    return None if name is None else name[1].strip()


def values(archive: str, log: Path, metrics: dict[str, Metric]) -> Values:
    """All logged values of these metrics.

    pmrep reads unusual volumes (compressed, damaged, several archives).

    Raises:
        InputError: pmrep wrote something other than a table.

    """
    try:
        times_s, raw = logged(archive, log, metrics)
    except volume.OddError:
        times_s, raw = printed(archive, log, metrics)
    columns = {}
    for name, instance in list(raw):
        column = raw.pop((name, instance))
        metric = metrics.get(name)
        if metric is not None:
            column *= metric.factor
            columns[name, instance] = _growth(column, times_s) if metric.running else column
    return _merged_values(Values(times_s, columns))


def logged(archive: str, log: Path, metrics: dict[str, Metric]) -> tuple[Column, dict[Key, Column]]:
    """The table that pmrep would print, from the volumes themselves; OddError as of `volume`."""
    base = Path(archive)
    if not base.parent.is_dir():
        raise volume.OddError("several archives")
    parts = [part for part in base.parent.iterdir() if part.name.startswith(f"{base.name}.")]
    volumes = sorted((part for part in parts if part.suffix[1:].isdigit()), key=_volume_number)
    files = {*volumes, *(base.with_name(f"{base.name}.{end}") for end in ("meta", "index"))}
    if not volumes or not files.issuperset(parts) or _volume_number(volumes[0]) != 0:
        raise volume.OddError("other files than volumes")
    domains = _instances(archive, log)
    wanted = {
        one.number: volume.Wanted(
            name,
            one.kind,
            one.discrete,
            None if one.domain is None else domains.get(one.domain, {}),
        )
        for name, one in metrics.items()
    }
    return volume.read(volumes, wanted)


def _volume_number(part: Path) -> int:
    return int(part.suffix[1:])


def _instances(archive: str, log: Path) -> dict[str, dict[int, str]]:
    """The names of instances by domain and number; raises OddError if one has two names."""
    text = output(["pmdumplog", "-i", archive], log=log, package=PACKAGE)
    found: dict[str, dict[int, str]] = {}
    names: dict[int, str] = {}
    for line in text.decode("utf-8", "replace").splitlines():
        if line.startswith("InDom: "):
            names = found.setdefault(line.split()[1], {})
        elif one := _INSTANCE.fullmatch(line):
            name = names.setdefault(int(one["number"]), one["name"])
            if name != one["name"] or not _PLAIN.fullmatch(name):
                raise volume.OddError("an instance with two names, or one that pmrep changes")
    return found


def printed(archive: str, log: Path, metrics: Iterable[str]) -> tuple[Column, dict[Key, Column]]:
    """The table that pmrep prints; takes 80 µs a row."""
    command = ["pmrep", "-a", archive, "-u", "-r", "-1", "-Z", "UTC", "-f", "%s.%f", "-o", "csv"]
    text = output([*command, *metrics], log=log, package=PACKAGE)
    with io.TextIOWrapper(io.BytesIO(text), "utf-8", "replace", newline="") as lines:
        return _table(csv.reader(lines), log)


def _table(rows: Iterable[list[str]], log: Path) -> tuple[Column, dict[Key, Column]]:
    """The table that pmrep wrote; it repeats the header whenever an instance appears or goes."""
    header: tuple[str, ...] = ()
    made = Builder()
    for row in rows:
        if not row:
            continue
        if row[0] == _TIME:
            header = tuple(row[1:])
            continue
        try:
            cells = [float(cell) if cell else None for cell in row[1 : len(header) + 1]]
            made.add(float(row[0]), header[: len(cells)], cells)
        except (ValueError, OverflowError) as error:
            raise InputError(f"{log}: pmrep wrote {row[0]!r} as a sample: {error}") from error
    times_s, columns = made.unordered()
    known = {_key(cell): column for cell, column in columns.items() if not np.isnan(column).all()}
    return times_s, known


def _key(cell: str) -> Key:
    """Splits a column's name: metrics have no hyphen, so the instance follows the first one."""
    name, hyphen, instance = cell.partition("-")
    return name, instance if hyphen else None


def _growth(column: Column, times_s: Column) -> Column:
    """Growth per second since the previous value, at the times that have one."""
    result = np.full(len(column), np.nan)
    there = np.flatnonzero(~np.isnan(column))
    with np.errstate(invalid="ignore", divide="ignore"):
        rates = np.diff(column[there]) / np.diff(times_s[there])
    # A count that went backwards was reset, or is one of 32 bits that overflowed.
    rates[~np.isfinite(rates) | (rates < 0)] = np.nan
    result[there[1:]] = rates
    return result


def _merged_values(found: Values) -> Values:
    """The same values, with the records of one tick merged into one sample."""
    times_s = found.times_s
    interval_s = _interval(found)
    if interval_s is None or (np.diff(times_s) > _ALIKE * interval_s).all():
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
        # From the last to the first, so that the first of several values of one tick stays.
        there = np.flatnonzero(~np.isnan(column))[::-1]
        columns[key] = np.full(len(starts), np.nan)
        columns[key][tick_of[there]] = column[there]
    return Values(times_s[starts], columns)


def _interval(found: Values) -> float | None:
    """The shortest interval at which a metric was logged; None with a single record.

    pmrep repeats a value that was logged once in every row, so columns that have a value in all
    rows count only if there are no others.
    """
    gaps = [
        float(np.median(np.diff(logged_s)))
        for column in found.columns.values()
        if 1 < len(logged_s := found.times_s[~np.isnan(column)]) < len(found.times_s)
    ]
    if not gaps and len(found.times_s) > 1:
        gaps = [float(np.median(np.diff(found.times_s)))]
    return min(gaps, default=None)
