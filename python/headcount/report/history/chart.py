"""A figure over the runs of a series, with its mean between changes."""

from collections.abc import Sequence

from headcount.analyse.compare.history import Change, Series
from headcount.analyse.compare.metrics import BY_ID
from headcount.analyse.compare.words import signed, value
from headcount.report.chart import axis
from headcount.report.chart.dots import Dot, dots, whiskers
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.line import through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, for_times, from_zero
from headcount.report.chart.tick import rate_tick, time_tick
from headcount.report.html import table
from headcount.report.markup import Html, element, joined
from headcount.text import count, plural

_OUTCOMES = {"passed": "passed", "failed": "failed"}


def section(series: Series, metric: str) -> Html:
    """Draw one figure of a series."""
    title = _title(series, metric)
    caption = (
        "Each mark is a run, in the order they were begun: \N{BLACK CIRCLE} passed, "
        "\N{WHITE CIRCLE} failed, \N{MULTIPLICATION SIGN} neither. Vertical bars: 95% intervals. "
        "Vertical lines: changes. Horizontal lines: means between changes."
    )
    return table.section(
        title, figure(lambda room: _drawing(series, metric, title, room), caption), style="chart"
    )


def _title(series: Series, metric: str) -> str:
    of_level = metric in ("throughput", "response.p95")
    return BY_ID[metric].label + (f" at {plural('user', series.users)}" if of_level else "")


def _drawing(series: Series, metric: str, title: str, room: Room) -> Html:
    right = room.width - 14.0
    top, bottom = 52.0, 300.0 if room.hover else 240.0
    known = [
        (place + 1, run.readings[metric])
        for place, run in enumerate(series.runs)
        if metric in run.readings
    ]
    ends = [reading.interval[1] if reading.interval else reading.value for _, reading in known]
    # A single wide interval must not flatten the curve of all runs.
    highest = min(max(ends), 2 * max(reading.value for _, reading in known))
    times = BY_ID[metric].unit == "ms"
    scale = for_times if times else from_zero
    y = scale([highest, *(reading.value for _, reading in known)], bottom, top)
    x = Linear(0.5, len(series.runs) + 0.5, room.left, right)
    panel = Panel(room.left, top, right, bottom, x, y)
    marked: list[Dot] = [
        (place, reading.value, _OUTCOMES.get(series.runs[place - 1].outcome, "invalid"))  # type: ignore[misc]
        for place, reading in known
    ]
    changes = [one for one in series.changes if one.metric == metric]
    return drawing(
        room,
        bottom + 46,
        title,
        _in_words(series, metric, changes),
        element("text", title, x=panel.left - 52, y=16, class_="title"),
        axis.upright(panel, time_tick if times else rate_tick),
        whiskers(panel, [(place, one.interval) for place, one in known], "throughput"),
        through_time(panel, [(float(place), one.value) for place, one in known], "users"),
        *(_change(panel, one, changes, number) for number, one in enumerate(changes)),
        dots(panel, marked, "throughput"),
        axis.lower(panel, count, min(room.x_ticks, len(series.runs)), "Run"),
        strips([panel], _hover_texts(series, metric)) if room.hover else None,
    )


def _change(panel: Panel, one: Change, changes: Sequence[Change], number: int) -> Html:
    """A line at a change, its size, and the means before (for the first change) and after it."""
    x = panel.x.at(one.run + 0.5)
    end = changes[number + 1].run + 0.5 if number + 1 < len(changes) else None
    right = panel.x.at(end) if end is not None else panel.right
    left = panel.x.at(changes[number - 1].run + 0.5) if number else panel.left
    means = f"M{left:.1f} {panel.y.at(one.before):.1f}H{x:.1f}"
    means += f"M{x:.1f} {panel.y.at(one.after):.1f}H{right:.1f}"
    side = x > (panel.left + panel.right) / 2
    look = "capacity" if one.finding == "better" else "limit"
    return joined(
        [
            element("path", d=means, class_="line mean"),
            element(
                "path", d=f"M{x:.1f} {panel.top - 4:.1f}V{panel.bottom:.1f}", class_=f"line {look}"
            ),
            element(
                "text",
                f"{one.finding}, {signed(one.ratio)}",
                x=x + (-6 if side else 6),
                y=panel.top - 10,
                class_=f"tag {look}" + (" end" if side else ""),
            ),
        ]
    )


def _hover_texts(series: Series, metric: str) -> list[tuple[float, str]]:
    parts = []
    for place, run in enumerate(series.runs, start=1):
        if metric in run.readings:
            figure_ = value(run.readings[metric].value, BY_ID[metric].unit)
            begun = run.started_at[:16].replace("T", " ")
            parts.append((float(place), f"{begun}: {figure_}\n{run.bundle}"))
    return parts


def _in_words(series: Series, metric: str, changes: Sequence[Change]) -> str:
    number = sum(metric in run.readings for run in series.runs)
    sentences = " ".join(one.sentence for one in changes) or "No change was found."
    return f"{plural('run', number)}. {sentences} All figures are in the table of runs."
