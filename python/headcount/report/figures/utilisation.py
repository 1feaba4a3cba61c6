"""The use of each resource against throughput, and the ceiling that each alone would set."""

from collections.abc import Sequence

from headcount.analyse.utilisation import Use, uses
from headcount.bundle.diagnosis import Limit
from headcount.counters.catalogue import label
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear
from headcount.report.chart.tick import percent_tick, rate_tick
from headcount.report.diagnosis import CHARTED
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.lines import Frame, Line, chart
from headcount.report.figures.plot import Axis, Plot, Rule, Series
from headcount.report.markup import Html, element, joined, number
from headcount.text import DASH, plural, share, significant

TITLE = "Use of each resource against throughput"
BELOW = "Scenarios per second"
FARTHEST = 2.0
"""Times the throughput reached that the axis goes at most: what lies beyond is too far to tell."""
STYLES: dict[Limit, str] = {
    "cpu": "two",
    "disk": "three",
    "network": "one",
    "memory": "four",
    "pool": "five",
    "thread": "six",
}


def figure(run: Run) -> Figure | None:
    """Draw it; None if fewer than two levels measured a resource."""
    drawn = [use for use in uses(run.levels) if use.limit in STYLES]
    if not drawn or len({spot.per_s for use in drawn for spot in use.spots}) < 2:
        return None
    alt = _in_words(drawn)
    return Figure(
        name="utilisation",
        title=TITLE,
        alt=alt,
        caption=(
            "Each mark is a level. Dashed: extrapolated with the utilisation law, which assumes "
            "that a scenario keeps needing the same amount. Where a line meets 100%, this "
            "resource alone would cap throughput. The table names the counters."
        ),
        svg=_drawing(drawn, WIDE, alt),
        narrow=_drawing(drawn, NARROW, alt),
        table=_table(drawn),
        plot=_plot(drawn),
    )


def reached(drawn: Sequence[Use]) -> float:
    """The greatest throughput measured."""
    return max(spot.per_s for use in drawn for spot in use.spots)


def ends(drawn: Sequence[Use]) -> float:
    """The end of the throughput axis: beyond the nearest ceiling, but not too far."""
    ceilings = [use.law.ceiling_per_s for use in drawn if use.law is not None]
    nearest = min(ceilings, default=reached(drawn))
    return min(max(nearest * 1.15, reached(drawn) * 1.1), reached(drawn) * FARTHEST)


def name_of(use: Use) -> str:
    """The resource, with its ceiling if the law gives one."""
    ceiling = use.law.ceiling_per_s if use.law is not None else None
    text = f", full at {significant(ceiling)}/s" if ceiling is not None else ""
    return f"{CHARTED[use.limit]}{text}"


def _law_line(use: Use, until: float) -> list[tuple[float, float]]:
    """The line of the law, from no load to the ceiling or the end of the axis."""
    law = use.law
    if law is None:
        return []
    end = min(law.ceiling_per_s, until)
    return [(0.0, max(law.background, 0.0)), (end, min(law.background + law.demand * end, 1.0))]


def _drawing(drawn: Sequence[Use], room: Room, alt: str) -> Html:
    until = ends(drawn)
    frame = Frame(
        heading="Share used",
        below=BELOW,
        x=lambda start, end: Linear(0, until, start, end),
        y=lambda start, end: Linear(0, 1.05, start, end),
        x_written=rate_tick,
        y_written=percent_tick,
    )
    lines = []
    for index, use in enumerate(reversed(drawn)):
        marked = [(spot.per_s, spot.share, "passed") for spot in use.spots]
        through = _law_line(use, until)
        # Without a law only the marks are drawn: the line has one point.
        points = through or [(spot.per_s, spot.share) for spot in use.spots][-1:]
        style = f"{STYLES[use.limit]} dashed"
        lines.append(Line(name_of(use), style, points, marked, square=index % 2 == 1))  # type: ignore[arg-type]
    return chart(
        room, frame, lines, TITLE, alt, behind=[_full], before=[lambda p: _ceilings(p, drawn)]
    )


def _full(panel: Panel) -> Html:
    y = panel.y.at(1.0)
    return element(
        "path", d=f"M{number(panel.left)} {number(y)}H{number(panel.right)}", class_="full"
    )


def _ceilings(panel: Panel, drawn: Sequence[Use]) -> Html:
    """A ring where a line meets 100%."""
    found = [
        (panel.x.at(use.law.ceiling_per_s), STYLES[use.limit])
        for use in drawn
        if use.law is not None and use.law.ceiling_per_s <= ends(drawn)
    ]
    y = number(panel.y.at(1.0))
    return joined(
        joined(
            [
                element("path", d=f"M{number(x)} {y}h0", class_=f"dot {style} ceiling"),
                element("path", d=f"M{number(x)} {y}h0", class_="hole ceiling"),
            ]
        )
        for x, style in found
    )


def _in_words(drawn: Sequence[Use]) -> str:
    fullest = drawn[0]
    most = max(fullest.spots, key=lambda spot: spot.share)
    law = [use for use in drawn if use.law is not None]
    nearest = min(law, key=lambda use: use.law.ceiling_per_s if use.law else 0.0, default=None)
    text = (
        f" By the utilisation law {CHARTED[nearest.limit]} would be full at "
        f"{significant(nearest.law.ceiling_per_s)} scenarios per second."
        if nearest is not None and nearest.law is not None
        else ""
    )
    return (
        f"{CHARTED[fullest.limit]} is used most: {share(most.share)} at "
        f"{significant(most.per_s)} scenarios per second and {plural('user', most.users)}.{text}"
    )


def _table(drawn: Sequence[Use]) -> Table:
    rows = []
    for use in drawn:
        law = use.law
        most = max(use.spots, key=lambda spot: spot.share)
        rows.append(
            [
                CHARTED[use.limit],
                label(use.counter),
                share(most.share),
                significant(most.per_s),
                share(law.background) if law else DASH,
                share(law.demand) if law else DASH,
                significant(law.ceiling_per_s) if law else DASH,
            ]
        )
    columns = (
        "Resource",
        "Counter",
        "Most used",
        "at scenarios/s",
        "Without load",
        "Share for 1 scenario/s",
        "Full at, scenarios/s",
    )
    return Table(columns, rows)


def _plot(drawn: Sequence[Use]) -> Plot:
    series = []
    for index, use in enumerate(drawn):
        style = STYLES[use.limit]
        through = _law_line(use, ends(drawn))
        if through:
            series.append(Series(f"{name_of(use)} (line)", style, through, dash=True))
        spots = [(spot.per_s, spot.share) for spot in use.spots]
        series.append(
            Series(name_of(use), style, spots, draw="marks", square=(len(drawn) - index) % 2 == 0)
        )
    return Plot(
        x=Axis(BELOW, "rate"),
        left=Axis("Share used", "share", most=1.0),
        series=series,
        rules=[Rule("full", "users", 1.0)],
    )
