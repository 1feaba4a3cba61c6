"""One figure of all subjects against users: lines with their names, intervals, and limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.analyse.compare.comparison import Comparison, Point, Reference
from headcount.analyse.compare.words import value
from headcount.report.chart import axis
from headcount.report.chart.dots import Dot, dots, whiskers
from headcount.report.chart.figure import Room, drawing, figure
from headcount.report.chart.hover import strips
from headcount.report.chart.label import Name, names
from headcount.report.chart.line import through_levels
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Scale, for_times, from_zero
from headcount.report.chart.tick import rate_tick, time_tick
from headcount.report.compare.look import style
from headcount.report.html import table
from headcount.report.markup import Html, element, joined
from headcount.text import count, plural

Sides = Sequence[tuple[str, Sequence[Point]]]
"""Names of the subjects and their levels."""


@dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn.

    Attributes:
        title: Of the section.
        metric: Whose readings.
        unit: Of them.
        heading: Above the upright axis, with the unit.
        scale: Of the upright axis.
        tick: How its ticks are written.

    """

    title: str
    metric: str
    unit: str
    heading: str
    scale: Callable[[Sequence[float], float, float], Scale]
    tick: Callable[[float], str]


THROUGHPUT = Chart(
    "Throughput against users",
    "throughput",
    "1/s",
    "Scenarios per second",
    from_zero,
    rate_tick,
)
RESPONSE = Chart(
    "Response time against users",
    "response.p95",
    "ms",
    "p95 response time",
    for_times,
    time_tick,
)


def section(found: Comparison, chart: Chart) -> Html | None:
    """Draw the chart; nothing if no level has the figure."""
    sides = [(one.name, one.points) for one in found.subjects]
    if not any(chart.metric in point.readings for _, points in sides for point in points):
        return None
    references = [one for one in found.references if one.metric == chart.metric]
    caption = "Each mark is a level: \N{BLACK CIRCLE} passed, \N{WHITE CIRCLE} failed, "
    caption += "\N{MULTIPLICATION SIGN} invalid, not in the line. Vertical bars are 95% confidence "
    caption += "intervals of single levels."
    for label, source, remark in dict.fromkeys((x.label, x.source, x.remark) for x in references):
        caption += f" Dashed, {label}: {source}; {remark}."
    return table.section(
        chart.title,
        figure(lambda room: _drawing(found, chart, sides, references, room), caption),
        style="chart",
    )


def _drawing(
    found: Comparison, chart: Chart, sides: Sides, references: Sequence[Reference], room: Room
) -> Html:
    right = room.width - room.right - (30 if room.hover else 0)
    top, bottom = 48.0, 330.0 if room.hover else 260.0
    limits = _limits(found, chart.metric)
    values = [_value(point, chart.metric) for _, points in sides for point in points]
    known = [one for one in values if one is not None]
    known += [limit for _, limit in limits] + [one.value for one in references]
    users = [point.users for _, points in sides for point in points]
    users += [one.users for one in references if one.users is not None]
    x = Linear(0, max(users) * (1.04 if len(set(users)) > 1 else 1.5), room.left, right)
    panel = Panel(room.left, top, right, bottom, x, chart.scale(known, bottom, top))
    ends = [_end(panel, chart.metric, place, side) for place, side in enumerate(sides)]
    return drawing(
        room,
        bottom + 46,
        chart.title,
        _in_words(chart, sides),
        element("text", chart.heading, x=panel.left - 52, y=16, class_="title"),
        axis.upright(panel, chart.tick),
        *(_rule(panel, f"limit {text}", limit, "limit") for text, limit in limits),
        *_published(panel, references, short=not room.hover),
        *(_side(panel, chart.metric, place, points) for place, (_, points) in enumerate(sides)),
        names(_beside(panel, sides), [one for one in ends if one is not None], top, bottom),
        axis.lower(panel, count, room.x_ticks, "Users"),
        strips([panel], _hover_texts(chart, sides)) if room.hover else None,
    )


def _side(panel: Panel, metric: str, place: int, points: Sequence[Point]) -> Html:
    look = style(place)
    spread = [
        (point.users, point.readings[metric].interval)
        for point in points
        if metric in point.readings and point.outcome != "invalid"
    ]
    marked: list[Dot] = [(one.users, _value(one, metric), one.outcome) for one in points]
    line = [(one.users, _value(one, metric)) for one in points if one.outcome != "invalid"]
    return joined(
        [
            whiskers(panel, spread, look),
            through_levels(panel, line, look),
            dots(panel, marked, look),
        ]
    )


def _beside(panel: Panel, sides: Sides) -> float:
    """Where names start: beside the last level, since published points may lie far beyond it."""
    last = max(point.users for _, points in sides for point in points)
    return min(panel.x.at(last * 1.04), panel.right) + 8


def _end(panel: Panel, metric: str, place: int, side: tuple[str, Sequence[Point]]) -> Name | None:
    name, points = side
    valid = [one for one in points if one.outcome != "invalid" and metric in one.readings]
    if not valid:
        return None
    last = max(valid, key=lambda one: one.users)
    return Name(name, panel.y.at(last.readings[metric].value), style(place))


def _value(point: Point, metric: str) -> float | None:
    reading = point.readings.get(metric)
    return None if reading is None else reading.value


def _limits(found: Comparison, metric: str) -> list[tuple[str, float]]:
    """The criteria on this figure; one if all subjects have the same."""
    texts = {
        one.text: one.limit_ms
        for subject in found.subjects
        for one in subject.criteria
        if one.metric == metric
    }
    return list(texts.items())


def _rule(panel: Panel, text: str, at: float, look: str) -> Html:
    y = panel.y.at(at)
    return joined(
        [
            element(
                "path", d=f"M{panel.left:.1f} {y:.1f}H{panel.right:.1f}", class_=f"line {look}"
            ),
            element(
                "text",
                text,
                x=panel.left + 8,
                y=y - 7 if y > panel.top + 20 else y + 16,
                class_=f"tag {look}",
            ),
        ]
    )


def _published(panel: Panel, references: Sequence[Reference], *, short: bool) -> list[Html | None]:
    """Published points, dashed and hollow; a rule if no users were published.

    `short`: only the caption names them, as there is no room for names.
    """
    drawn: list[Html | None] = []
    for label in dict.fromkeys(one.label for one in references):
        mine = [one for one in references if one.label == label]
        sentence = "published" if short else label
        drawn += [_rule(panel, sentence, one.value, "offered") for one in mine if one.users is None]
        line = [(float(one.users), one.value) for one in mine if one.users is not None]
        if line:
            x, y = max(line)
            drawn.append(through_levels(panel, line, "offered"))
            drawn.append(dots(panel, [(at, figure_, "failed") for at, figure_ in line], "users"))
            place = {"x": panel.x.at(x) - 6, "y": panel.y.at(y) - 8}
            drawn.append(element("text", sentence, class_="tag users end", **place))
    return drawn


def _hover_texts(chart: Chart, sides: Sides) -> list[tuple[float, str]]:
    parts: list[tuple[float, str]] = []
    for name, points in sides:
        for point in points:
            reading = point.readings.get(chart.metric)
            if reading is not None:
                figure_ = value(reading.value, chart.unit)
                parts.append((point.users, f"{name}, {plural('user', point.users)}: {figure_}"))
    return parts


def _in_words(chart: Chart, sides: Sides) -> str:
    parts = []
    for name, points in sides:
        known = [one for one in points if chart.metric in one.readings]
        if known:
            last = max(known, key=lambda one: one.users)
            figure_ = value(last.readings[chart.metric].value, chart.unit)
            parts.append(f"{name}: {figure_} at {plural('user', last.users)}")
    return f"{chart.heading}. {'; '.join(parts)}. Figures are in the tables below."
