"""What is on the screen as CSV (RFC 4180): the chart's samples, the report, the alerts."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from headcount.live.line import title, unit
from headcount.live.monitor import Monitor
from headcount.live.view import View
from headcount.output.file import write_output
from headcount.report.export.csv import plain_cell


def chart(view: View) -> str:
    """The samples in the window: a row for each moment, a column for each line, in its own unit.

    A cell is empty where a source had no sample at that moment, or the sample lacked the counter.
    """
    shown = view.visible_lines()
    rows: dict[float, dict[tuple[str, str], float]] = {}
    for one in shown:
        for at_s, number in zip(one.trace.at_s, one.trace.values, strict=True):
            row = rows.setdefault(float(at_s), {})
            if np.isfinite(number):
                row[one.line.key] = float(number)
    head = ["time", *(f"{one.line.source}: {one.line.name}" for one in shown)]
    keys = [one.line.key for one in shown]
    return _csv_text(
        head,
        ([moment(at_s), *(_number(rows[at_s].get(key)) for key in keys)] for at_s in sorted(rows)),
    )


def report(monitor: Monitor) -> str:
    """The latest value of every counter: a row for each, a column for each source."""
    return _csv_text(
        ["counter", "label", "unit", *monitor.sources],
        (
            [
                name,
                title(name),
                unit(name) or "",
                *(_number(values.get(source)) for source in monitor.sources),
            ]
            for name, values in latest(monitor).items()
        ),
    )


def alerts(monitor: Monitor) -> str:
    """What went beyond a threshold or came back, in order of time."""
    return _csv_text(
        ["time", "state", "source", "counter", "value", "condition", "lasted_s"],
        (
            [
                moment(event.at_s),
                event.state,
                event.source,
                event.name,
                _number(event.value),
                event.condition.text,
                _number(event.lasted_s),
            ]
            for event in monitor.events
        ),
    )


def latest(monitor: Monitor) -> Mapping[str, Mapping[str, float]]:
    """The latest values by counter and source, of the sources that answer."""
    found: dict[str, dict[str, float]] = {}
    for source, state in monitor.sources.items():
        for name in state.history.names:
            row = found.setdefault(name, {})
            if state.lost is None and name in state.history.latest:
                row[source] = state.history.latest[name]
    return found


def moment(at_s: float) -> str:
    """A moment as spreadsheets and programs read it: UTC, to the millisecond."""
    return datetime.fromtimestamp(at_s, UTC).isoformat(timespec="milliseconds")


def save(path: Path, text: str) -> None:
    """Write a file that the user named; raises HeadcountError if that fails."""
    write_output(path, text)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.9g}"


def _csv_text(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow([plain_cell(name) for name in head])
    writer.writerows([_cell(text) for text in row] for row in rows)
    return file.getvalue()


def _cell(text: str) -> str:
    """A cell: names, which come from other machines, are made safe; figures stay, even negative."""
    try:
        float(text)
    except ValueError:
        return plain_cell(text)
    return text
