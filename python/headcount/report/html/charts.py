"""The charts of the page, a table row for each: its figures, and whether they are open."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.figures import (
    agents,
    cost,
    flames,
    gains,
    heat,
    outage,
    response,
    spectrum,
    throughput,
    timeline,
    transfer,
    utilisation,
)
from headcount.report.figures.collection import beside_published
from headcount.report.figures.figure_types import Figure
from headcount.report.html.drawn import folded, section
from headcount.report.markup import Html, joined
from headcount.report.selection import timeline_level

Drawn = Callable[[ReportContent], Iterable[Figure | None]]


@dataclass(frozen=True)
class Chart:
    """Figures in one section.

    Attributes:
        figures: Draws them; None for a figure without data.
        is_open: Whether they are shown at once, or folded.

    """

    figures: Drawn
    is_open: bool = False


CHARTS: Mapping[str, Chart] = {
    "throughput": Chart(lambda content: [throughput.figure(content)], is_open=True),
    "gains": Chart(
        lambda content: [gains.figure(content.tuning)] if content.tuning is not None else [],
        is_open=True,
    ),
    "outage": Chart(
        lambda content: (
            [outage.figure(content.failover, content.outage_rows)]
            if content.failover is not None
            else []
        ),
        is_open=True,
    ),
    "response": Chart(lambda content: [response.figure(content)], is_open=True),
    "flames": Chart(lambda content: [flames.figure(one) for one in content.flames]),
    "utilisation": Chart(lambda content: [utilisation.figure(content)]),
    "cost": Chart(lambda content: [cost.of_run(content)]),
    "agents": Chart(lambda content: [agents.figure(content, content.agents)]),
    "transfer": Chart(lambda content: [transfer.figure(content)]),
    "spectrum": Chart(lambda content: [spectrum.figure(content.spectra, content)]),
    "heat": Chart(lambda content: [heat.figure(content.heat, content.narrow_heat)]),
    "timeline": Chart(lambda content: [timeline.figure(content.timeline, _level(content))]),
    "published": Chart(lambda content: beside_published(content, content.published)),
}


def chart(name: str, content: ReportContent) -> Html | None:
    """Show a chart; nothing if the run has no data for it."""
    row = CHARTS[name]
    show = section if row.is_open else folded
    parts = [shown for figure in row.figures(content) if (shown := show(figure)) is not None]
    return joined(parts) if parts else None


def _level(content: ReportContent) -> LevelResult | None:
    """The level whose seconds are drawn."""
    if content.timeline_level is None:
        return timeline_level(content.levels)
    return next((level for level in content.levels if level.index == content.timeline_level), None)
