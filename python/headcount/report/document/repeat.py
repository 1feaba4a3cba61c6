"""How to repeat the run, and how to read the report."""

from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Code,
    Facts,
    Heading,
    Paragraph,
    Section,
    Table,
    said,
)
from headcount.text import DASH

TITLE = "How to repeat it"
WORDS_TITLE = "How to read this report"
BEHIND_TITLE = "The figures behind the charts"
PLAN_LINES = 160
"""Lines of the plan at the most: a replayed program of thousands of lines is no reading matter."""

_WORDS = (
    ("User", "A simulated person with a connection and a think time of their own."),
    ("Scenario", "One thing a person does, made of steps; what response time is quoted for."),
    ("Level", "One load: a fixed number of users, with ramp-up, settling and a measured part."),
    (
        "Response time",
        "From the moment a scenario was due to its end, so a server that stalls cannot hide it.",
    ),
    ("Service time", "From the moment it was actually begun to its end."),
    ("p50, p95, p99", "Half, 95 and 99 in 100 scenarios took up to so long."),
    ("Overload", "The share of scenarios that failed, took longer than allowed or began late."),
    (
        "Capacity",
        "The number of users at a level that was run and that met every criterion.",
    ),
    (
        "95% confidence interval",
        "Made so that 95 of 100 intervals made in this way hold the true value.",
    ),
    ("Invalid", "A level in which the load generator or its machine, not the server, was tested."),
    (DASH, "A figure that no source gave. It is not zero."),
)


def section(content: ReportContent) -> Section:
    """The command and the plan."""
    lines = content.plan_toml.splitlines()
    over = len(lines) - PLAN_LINES
    blocks: list[Block] = [
        Paragraph(said("The same users do the same things in the same order again with:")),
        Code(content.repeat_command),
        Paragraph(
            said(
                "The run's folder (its bundle) holds every second of it: the plan, the disclosure, "
                "the histograms, the counters and this answer. Every figure of this report can be "
                "recomputed from it."
            )
        ),
        Heading("The plan, as resolved"),
        Code("\n".join(lines[:PLAN_LINES])),
    ]
    if over > 0:
        blocks.append(Paragraph(said(f"{over:,} more lines stand in plan.toml."), "note"))
    return Section(TITLE, blocks)


def words() -> Section:
    """Define the words."""
    return Section(WORDS_TITLE, [Facts([(name, said(text)) for name, text in _WORDS])])


def behind(tables: list[Table]) -> Section:
    """The numbers of charts that no other table has."""
    return Section(BEHIND_TITLE, [*tables])
