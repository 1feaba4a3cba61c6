"""Response times against users, with the limit that decides."""

from headcount.report.content import ReportContent
from headcount.report.figures.response import figure
from headcount.report.html.drawn import section as of_figure
from headcount.report.markup import Html


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn where nothing was ever completed."""
    return of_figure(figure(content))
