"""One level second by second: whether it was steady, seen at a glance."""

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.figures.timeline import figure
from headcount.report.html.drawn import folded as of_figure
from headcount.report.markup import Html
from headcount.report.selection import timeline_level


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn where the series was not kept."""
    return of_figure(figure(content.timeline, _level(content)))


def _level(content: ReportContent) -> LevelResult | None:
    if content.timeline_level is None:
        return timeline_level(content.levels)
    return next((level for level in content.levels if level.index == content.timeline_level), None)
