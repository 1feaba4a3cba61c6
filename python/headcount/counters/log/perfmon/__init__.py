r"""Logs of Windows' Performance Monitor as text: PDH CSV and TSV, of relog, logman and typeperf.

The grammar: https://learn.microsoft.com/windows-server/administration/windows-commands/relog and
samples of logs. A first line with the paths of the counters, `\\HOST\Object(Instance)\Counter`,
then a line for each sample: its local time, and a value, a blank or -1 for each counter.
"""

from pathlib import Path

import numpy as np

from headcount.counters.columns import Column
from headcount.counters.log.derive import derive
from headcount.counters.log.perfmon.figures import Instances, figures
from headcount.counters.log.perfmon.header import Header, read_header, sniff
from headcount.counters.log.perfmon.rows import Grid, read_rows
from headcount.counters.log.table import samples
from headcount.counters.recording import Recording

FORMAT = "Perfmon CSV or TSV (relog, logman or typeperf with -f csv)"


def recognises(path: Path, head: bytes) -> bool:
    """Whether the file has the mark of PDH's text logs in its first cell."""
    return path.is_file() and sniff(head)


def read(path: Path) -> list[Recording]:
    """Read the log: a recording for each machine in it.

    Times are converted to UTC by the bias in the header; without one, they are taken as UTC, and a
    note says so. Bad samples (blank, -1) are absent.

    Raises:
        InputError: The header or the rows cannot be read; the text says where and why.

    """
    header = read_header(path)
    places = [place for place, meaning in enumerate(header.meanings) if meaning is not None]
    grid = read_rows(path, header, places)
    hosts = dict.fromkeys(_host(column.host) for column in header.columns if column is not None)
    return [_recording(path, header, grid, places, host) for host in hosts] or [
        _recording(path, header, grid, places, None)
    ]


def _recording(
    path: Path, header: Header, grid: Grid, places: list[int], host: str | None
) -> Recording:
    found = figures(_counters(header, grid, places, host), grid.times_s)
    derive(found.columns)
    notes = [*_about_time(header, grid), *grid.notes, *dict.fromkeys(found.notes)]
    unknown = dict.fromkeys(
        f"{column.object}\\{column.counter}"
        for column, meaning in zip(header.columns, header.meanings, strict=True)
        if column is not None and meaning is None and _host(column.host) == host
    )
    if not found.columns:
        notes.append(
            "Headcount knows none of the log's counters. It knows names in English, German, French "
            "and Spanish, and the main ones in Italian and Portuguese."
        )
    return Recording(
        source=str(path),
        format=f"Perfmon {header.kind}",
        host=host,
        # VMware's esxtop writes the same format about its hosts.
        system="windows" if found.columns else None,
        samples=samples(grid.times_s, found.columns),
        notes=tuple(notes),
        unknown=tuple(unknown),
    )


def _counters(
    header: Header, grid: Grid, places: list[int], host: str | None
) -> dict[tuple[str, str], Instances]:
    """The columns of one machine by object, counter and instance.

    If the log has a column twice, one fills the gaps of the other.
    """
    counters: dict[tuple[str, str], dict[str | None, Column]] = {}
    for place, values in zip(places, grid.values.T, strict=True):
        column, meaning = header.columns[place], header.meanings[place]
        if column is None or meaning is None or _host(column.host) != host:
            continue
        if np.isnan(values).all():
            continue  # so that an equivalent counter can stand in
        instances = counters.setdefault(meaning, {})
        before = instances.get(column.instance)
        instances[column.instance] = (
            values if before is None else np.where(np.isnan(before), values, before)
        )
    return dict(counters)


def _about_time(header: Header, grid: Grid) -> list[str]:
    notes = []
    if header.bias_min is None:
        notes.append("The log does not state its time zone: its times are read as UTC.")
    back = int(np.count_nonzero(np.diff(grid.times_s) < 0))
    if back:
        notes.append(
            f"The log's clock went back {back} time{'s' if back > 1 else ''}; its samples are "
            "sorted by time."
        )
    return notes


def _host(name: str | None) -> str | None:
    """A machine's name; programs write it in either case."""
    return None if name is None else name.upper()
