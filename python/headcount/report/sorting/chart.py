"""The chart of the paper: time against sort size, a line for each limit of memory."""

from collections.abc import Sequence

from headcount.report.chart import axis
from headcount.report.chart.dots import Dot, dots, whiskers
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.label import Name, names
from headcount.report.chart.line import through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Log, from_zero
from headcount.report.chart.tick import time_tick
from headcount.report.html import table
from headcount.report.markup import Html, element, joined
from headcount.report.sorting.figures import seconds, size
from headcount.sort.experiment import Subject
from headcount.sort.setting_figures import Figures
from headcount.text import plural, storage

_TITLE = "Time to the last write"
_STYLES = ("throughput", "cpu", "overload", "users", "p50")
"""Classes of the lines, the smallest limit first; more limits repeat them."""
_BEYOND = 1.15
"""The axis of sizes extends by this factor at both ends."""


def section(subject: Subject, found: Sequence[Figures]) -> Html:
    """Draw it."""
    caption = (
        "Filled: everything fits in memory. Hollow: runs are written to disk. Bars: 95% "
        "intervals. The vertical line: the memory this sort needs to write nothing temporary."
    )
    return table.section(
        "Time against sort size",
        figure(lambda room: _drawing(subject, found, room), caption),
        style="chart",
    )


def _drawing(subject: Subject, found: Sequence[Figures], room: Room) -> Html:
    right = room.width - room.right - (60 if room.hover else 0)
    top, bottom = 48.0, 320.0 if room.hover else 260.0
    need_bytes = subject.layout.need_bytes(subject.records, subject.threads)
    places = [one.setting.sortsize_bytes for one in found] + [need_bytes]
    x = Log(min(places) / _BEYOND, max(places) * _BEYOND, room.left, right)
    highest = [one.exit_s.high or one.exit_s.value for one in found]
    middles = [one.exit_s.value for one in found]
    # The interval of two sorts can be immense; the line must stay readable.
    y = from_zero([min(max(highest), 2 * max(middles))], bottom, top)
    panel = Panel(room.left, top, right, bottom, x, y)
    limits = list(dict.fromkeys(one.setting.memory_bytes for one in found))
    drawn = []
    ends = []
    for number, limit in enumerate(limits):
        mine = [one for one in found if one.setting.memory_bytes == limit]
        style = _STYLES[number % len(_STYLES)]
        drawn.append(_line(panel, mine, style))
        end = panel.y.at(mine[-1].exit_s.value)
        ends.append(Name("all memory" if limit is None else size(limit), end, style))
    return drawing(
        room,
        bottom + 46,
        _TITLE,
        _in_words(found),
        element("text", _TITLE, x=panel.left - 52, y=16, class_="title"),
        axis.upright(panel, lambda value_s: time_tick(value_s * 1000)),
        _need(panel, need_bytes),
        *drawn,
        names(right + 6, ends, top, bottom) if len(limits) > 1 else None,
        axis.lower(panel, _size_tick, room.x_ticks, "Sort size"),
    )


def _line(panel: Panel, mine: Sequence[Figures], style: str) -> Html:
    values = [(one.setting.sortsize_bytes, one.exit_s.value) for one in mine]
    known = [
        (float(one.setting.sortsize_bytes), (one.exit_s.low, one.exit_s.high))
        for one in mine
        if one.exit_s.low is not None and one.exit_s.high is not None
    ]
    marked: list[Dot] = [
        (one.setting.sortsize_bytes, one.exit_s.value, "passed" if one.fits else "failed")
        for one in mine
    ]
    return joined(
        [
            whiskers(panel, known, style),
            through_time(panel, [(float(x), y) for x, y in values], style),
            dots(panel, marked, style),
        ]
    )


def _need(panel: Panel, need_bytes: int) -> Html:
    x = panel.x.at(need_bytes)
    rule = f"M{x:.1f} {panel.top - 4:.1f}V{panel.bottom:.1f}"
    return joined(
        [
            element("path", d=rule, class_="line capacity"),
            element(
                "text",
                f"fits from {size(need_bytes)}",
                x=x - 6,
                y=panel.top - 10,
                class_="tag capacity end",
            ),
        ]
    )


def _size_tick(value_bytes: float) -> str:
    """A size without the trailing zeros of measured figures: 2 MB."""
    number, unit = storage(value_bytes).split(" ")
    return f"{float(number.replace(',', '')):g} {unit}"


def _in_words(found: Sequence[Figures]) -> str:
    slowest = max(found, key=lambda one: one.exit_s.value)
    fastest = min(found, key=lambda one: one.exit_s.value)
    return (
        f"{plural('setting', len(found))}, from {seconds(fastest.exit_s.value)} with "
        f"{size(fastest.setting.sortsize_bytes)} to {seconds(slowest.exit_s.value)} with "
        f"{size(slowest.setting.sortsize_bytes)}. All figures are in the table below."
    )
