"""Resources as charts: the use of each against throughput, and the bytes that went to and fro."""

from headcount.report.content import ReportContent
from headcount.report.figures import transfer, utilisation
from headcount.report.html.drawn import folded as of_figure
from headcount.report.markup import Html


def used(content: ReportContent) -> Html | None:
    """Draw what is used of each resource; nothing where fewer than two levels show it."""
    return of_figure(utilisation.figure(content))


def moved(content: ReportContent) -> Html | None:
    """Draw bytes sent and received; nothing of a workload that moves no data to speak of."""
    return of_figure(transfer.figure(content))
