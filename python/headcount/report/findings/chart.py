"""The chart of a finding: its counters over time, the threshold, and when it holds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from headcount.analyse.rules.condition import Reading, threshold
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.explain import subject
from headcount.analyse.rules.finding import Finding
from headcount.analyse.rules.series import Series
from headcount.analyse.rules.units import limit
from headcount.analyse.rules.windows import GAP, interval_s
from headcount.report.chart import axis
from headcount.report.chart.clock import Clock
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.line import Value, through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import from_zero
from headcount.report.findings import log_sentences
from headcount.report.markup import Html, element, joined, number
from headcount.text import span

POINT_PX = 2.6
"""Least distance between points of a line; more would not be visible."""
MOST_PANELS = 3
_ROW_PX, _GAP_PX = 110.0, 40.0
_NARROW_TICKS = 4


@dataclass(frozen=True, slots=True)
class _Row:
    """One panel: what is drawn, and the threshold in the figure's unit."""

    title: str
    unit: str
    series: Series
    threshold: float | None


def chart(one: Finding, found: LogDiagnosis) -> Html | None:
    """Draw a finding; None if it has no counter that can be drawn."""
    rows = _rows(one, found)
    if not rows:
        return None
    caption = "Tinted: when the rule holds. Dashed: its threshold. Times in UTC."
    interval = interval_s(found.examination.frame.at_s)
    points = len(found.examination.frame.at_s)
    if points * POINT_PX > 800:
        caption += f" Each point is the mean of several samples, which are {span(interval)} apart."
    return figure(lambda room: _drawing(one, found, rows, room), caption)


def _rows(one: Finding, found: LogDiagnosis) -> list[_Row]:
    rows: dict[str, _Row] = {}
    for part in one.readings:
        series = _series(part, found)
        if series is None:
            continue
        title = subject(part.leaf) + (f" ({part.instance})" if part.instance else "")
        rows.setdefault(
            title, _Row(title, part.unit, series, threshold(part.leaf, found.examination.facts))
        )
    return list(rows.values())[:MOST_PANELS]


def _series(part: Reading, found: LogDiagnosis) -> Series | None:
    leaf = part.leaf
    if leaf.counter is None:
        return None
    frame = found.examination.frame
    view = frame.only(part.instance) if part.instance else frame
    return view.of(leaf.counter, leaf.plus, leaf.over)


def downsample(series: Series, most: int, gap_s: float) -> list[Value]:
    """Join neighbours by their mean until there are ``most`` points or fewer; gaps stay gaps."""
    values = np.where(np.isfinite(series.values()), series.values(), np.nan)
    size = max(-(-len(values) // most), 1)
    points: list[Value] = []
    before_s = None
    for first in range(0, len(values), size):
        part = values[first : first + size]
        at_s = float(series.at_s[first])
        if before_s is not None and at_s - before_s > gap_s:
            points.append((at_s, None))
        known = part[~np.isnan(part)]
        points.append((at_s, float(known.mean()) if len(known) else None))
        before_s = float(series.at_s[min(first + size, len(values)) - 1])
    return points


def _drawing(one: Finding, found: LogDiagnosis, rows: Sequence[_Row], room: Room) -> Html:
    seen = found.examination
    right = room.width - 20
    clock = Clock(seen.span[0], max(seen.span[1], seen.span[0] + 1), room.left, right)
    gap_s = GAP * max(interval_s(seen.frame.at_s), 1e-9)
    top = 34.0
    parts: list[Html | None] = []
    panels: list[Panel] = []
    for row in rows:
        bottom = top + _ROW_PX
        points = downsample(row.series, int((right - room.left) / POINT_PX), gap_s)
        size, written = _ticks(row, points)
        points = [(at_s, None if value is None else value / size) for at_s, value in points]
        at = None if row.threshold is None else row.threshold / size
        scale = from_zero([*(value for _, value in points), at and at * 1.1], bottom, top)
        panel = Panel(room.left, top, right, bottom, clock, scale)
        panels.append(panel)
        parts += [
            _spans(panel, one),
            axis.upright(panel, written, 3),
            through_time(panel, points, "p95"),
            _threshold(panel, row, at),
            element("text", row.title, x=room.left - 52, y=top - 12, class_="title"),
        ]
        top = bottom + _GAP_PX
    return drawing(
        room,
        panels[-1].bottom + 40,
        one.rule.title,
        f"{log_sentences.finding(one)}. It holds {log_sentences.when(one)}.",
        joined(parts),
        axis.lower(panels[-1], clock.written, room.x_ticks if room.hover else _NARROW_TICKS),
    )


def _ticks(row: _Row, points: Sequence[Value]) -> tuple[float, Callable[[float], str]]:
    """The divisor of values that gives round ticks, and the format of ticks."""
    unit = row.unit
    if unit != "By":
        return 1.0, lambda value: limit(value, unit)
    highest = max([row.threshold or 0.0, *(value for _, value in points if value is not None)])
    power = max((one for one in (0, 1, 2, 3, 4) if highest >= 1024**one), default=0)
    name = ("B", "KiB", "MiB", "GiB", "TiB")[power]
    return 1024.0**power, lambda value: f"{value:g} {name}"


def _spans(panel: Panel, one: Finding) -> Html:
    rects = []
    for start_s, end_s in one.spans:
        left, right = panel.x.at(start_s), panel.x.at(end_s)
        rects.append(
            element(
                "rect",
                x=left,
                y=panel.top,
                width=max(right - left, 2.0),
                height=panel.bottom - panel.top,
                class_="measured",
            )
        )
    return joined(rects)


def _threshold(panel: Panel, row: _Row, at: float | None) -> Html | None:
    if row.threshold is None or at is None:
        return None
    y = panel.y.at(at)
    line = f"M{number(panel.left)} {number(y)}H{number(panel.right)}"
    above = y - panel.top > 16
    return joined(
        [
            element("path", d=line, class_="line limit"),
            element(
                "text",
                f"threshold {limit(row.threshold, row.unit)}",
                x=panel.right,
                y=y - 5 if above else y + 15,
                class_="tag limit end",
            ),
        ]
    )
