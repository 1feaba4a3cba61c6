"""The chart of every capacity report: throughput, CPU and overload against users."""

from headcount.report.content import ReportContent
from headcount.report.figures.throughput import figure
from headcount.report.html.drawn import section as of_figure
from headcount.report.markup import Html


def section(content: ReportContent) -> Html | None:
    """Draw it; nothing is drawn of a run without levels."""
    return of_figure(figure(content))
