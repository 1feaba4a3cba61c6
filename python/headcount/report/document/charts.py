"""The charts of a run, in the order of reading."""

from dataclasses import dataclass, field

from headcount.report.content import ReportContent
from headcount.report.document.blocks import Figure


@dataclass(frozen=True, slots=True)
class Charts:
    """The charts: of the results, and of what the server used."""

    results: list[Figure] = field(default_factory=list)
    analysis: list[Figure] = field(default_factory=list)


def of_run(content: ReportContent) -> Charts:
    """Draw the charts of a run."""
    del content
    return Charts()
