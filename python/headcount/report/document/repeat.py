"""How to repeat the run, and how to read the report."""

from collections.abc import Sequence

from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Code,
    Facts,
    Heading,
    Paragraph,
    Section,
    Table,
    prose,
)
from headcount.text import DASH, plural

TITLE = "How to repeat it"
WORDS_TITLE = "How to read this report"
BEHIND_TITLE = "The figures behind the charts"
PLAN_LINES = 160
"""Most lines of the plan to print: nobody reads a replayed program of thousands of lines."""

_WORDS = (
    ("User", "One simulated person with its own connection and think time."),
    ("Scenario", "One thing a user does, made of steps; response times are quoted for it."),
    ("Level", "One load: a fixed number of users, with ramp-up, settling and a measured part."),
    (
        "Response time",
        "From the moment a scenario was due to its end, so a server that stalls cannot hide it.",
    ),
    ("Service time", "From its actual start to its end."),
    ("p50, p95, p99", "Half, 95% and 99% of scenarios took at most this long."),
    ("Overload", "The share of scenarios that failed, were slow or started late."),
    (
        "Capacity",
        "The number of users at a level that was run and that met every criterion.",
    ),
    (
        "95% confidence interval",
        "Contains the true value in 95 of 100 repetitions.",
    ),
    ("Invalid", "A level in which the load generator or its machine, not the server, was tested."),
    (DASH, "A figure without a source. It is not zero."),
)


def section(content: ReportContent) -> Section:
    """The command and the plan."""
    lines = content.plan_toml.splitlines()
    over = len(lines) - PLAN_LINES
    blocks: list[Block] = [
        Paragraph(
            prose("To repeat the run with the same users doing the same things in the same order:")
        ),
        Code(content.repeat_command),
        Paragraph(
            prose(
                "The run's bundle has every second of it: the plan, the disclosure, the "
                "histograms, the counters and this answer. Every figure in this report can be "
                "recomputed from it."
            )
        ),
        Heading("The plan, as resolved"),
        Code("\n".join(lines[:PLAN_LINES])),
    ]
    if over > 0:
        are = "is" if over == 1 else "are"
        blocks.append(Paragraph(prose(f"{plural('more line', over)} {are} in plan.toml."), "note"))
    return Section(TITLE, blocks)


def words(defined: Sequence[tuple[str, str]] = _WORDS) -> Section:
    """Define the words."""
    return Section(WORDS_TITLE, [Facts([(name, prose(text)) for name, text in defined])])


def behind(tables: list[Table]) -> Section:
    """The numbers of charts that no other table has."""
    return Section(BEHIND_TITLE, [*tables])
