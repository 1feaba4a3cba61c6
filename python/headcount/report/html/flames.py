"""The flame graphs of the server's threads, folded."""

from headcount.report.content import ReportContent
from headcount.report.figures.flames import figure
from headcount.report.html.drawn import folded
from headcount.report.markup import Html, joined


def section(content: ReportContent) -> Html | None:
    """Show both; nothing without stacks."""
    parts = [folded(figure(one)) for one in content.flames]
    return joined(parts) if parts else None
