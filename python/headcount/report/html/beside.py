"""What stands beside the run: what more users would cost, and published results where asked for."""

from headcount.report.content import ReportContent
from headcount.report.figures import cost
from headcount.report.figures.collection import beside_published
from headcount.report.html.drawn import folded as of_figure
from headcount.report.markup import Html, joined


def costs(content: ReportContent) -> Html | None:
    """Draw what so many users cost; nothing without a price and a capacity."""
    return of_figure(cost.of_run(content))


def published(content: ReportContent) -> Html:
    """Draw the run beside published results, always labelled as different hardware."""
    return joined(of_figure(one) for one in beside_published(content, content.published))
