"""The results: the answer in figures, charts, and every level."""

from collections.abc import Iterator, Sequence

from headcount.analyse.amounts import amount_text
from headcount.analyse.time_text import time_text
from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.document import detail, levels
from headcount.report.document.blocks import (
    Block,
    Cell,
    Column,
    Figure,
    Heading,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    prose,
)
from headcount.report.groups import NOTE as GROUPS_NOTE
from headcount.report.groups import figures as group_figures
from headcount.report.groups import stress_point
from headcount.report.selection import by_users, published, shown
from headcount.report.tasks import has_figures
from headcount.text import DASH, count, duration, interval, plural, significant

TITLE = "Results"


def section(content: ReportContent, figures: Sequence[Figure]) -> Section:
    """Show what was measured; `figures` are the charts of the run."""
    if not content.levels:
        return Section(TITLE, [Paragraph(prose("No level finished: there are no results."))])
    return Section(
        TITLE,
        [
            Paragraph(prose(*_summary(content))),
            *_criteria(content),
            *figures,
            *_score(content),
            *_groups(content),
            Heading("Every level"),
            levels.played(content),
            levels.used(content),
            Heading(_shown(content)),
            *detail.tables(content),
        ],
    )


def _shown(content: ReportContent) -> str:
    if published(content.verdict, content.levels) is not None:
        return "The level at the answer"
    return "One level in detail"


def _summary(content: ReportContent) -> Iterator[str]:
    outcomes = [level.outcome for level in content.levels]
    parts = [
        f"{count(number)} {name}"
        for name in ("passed", "failed", "invalid")
        if (number := outcomes.count(name))
    ]
    yield f"Of {plural('level', len(outcomes))}, {', '.join(parts)}. "
    level = shown(content.verdict, content.levels)
    if level is not None:
        yield _of(level)


def _of(level: LevelResult) -> str:
    times = level.total.response
    at = f"At {plural('user', level.users)} the server completed"
    rate = f"{at} {significant(level.achieved_per_s)} scenarios per second"
    if times is None:
        return f"{rate}."
    return (
        f"{rate}; the median response time was {time_text(times, 'p50_ms')}, p95 "
        f"{time_text(times, 'p95_ms')} and p99 {time_text(times, 'p99_ms')}."
    )


def _criteria(content: ReportContent) -> Iterator[Block]:
    """The figure of each criterion at the level that stands for the answer."""
    level = shown(content.verdict, content.levels)
    if level is None or not level.criteria:
        return
    yield Table(
        f"Criteria at {plural('user', level.users)}",
        [
            Column("Criterion", text=True),
            Column("Measured"),
            Column("Limit"),
            Column("Held", text=True),
            Column("In words", text=True),
        ],
        [
            Row(
                [
                    Cell(one.criterion),
                    Cell(amount_text(one.value, one.unit)),
                    Cell(amount_text(one.limit, one.unit)),
                    Cell("yes" if one.passed else "no", mark="passed" if one.passed else "failed"),
                    Cell(one.sentence),
                ]
            )
            for one in level.criteria
        ],
        widths=[2, 1.2, 1.2, 0.9, 5],
    )


def _score(content: ReportContent) -> Iterator[Block]:
    if not has_figures(content.levels):
        return
    rows = [
        Row([Cell(count(level.users)), Cell(level.outcome, mark=level.outcome), *_scored(level)])
        for level in by_users(content.levels)
    ]
    yield Table(
        "Score and marks of every level",
        [
            Column("Users"),
            Column("Outcome", text=True),
            Column("Score"),
            Column("Marks a minute"),
        ],
        rows,
        "Score: the weighted mean of a percentile of the tasks' times; it is Headcount's own, not "
        "a score of the original benchmark. Below score and marks: their 95% confidence intervals.",
    )


def _scored(level: LevelResult) -> list[Cell]:
    score, marks = level.score, level.marks
    found = [Cell(DASH), Cell(DASH)]
    if score is not None:
        spread = interval(*score.interval, duration) if score.interval else ""
        found[0] = Cell(duration(score.value), spread)
    if marks is not None:
        bounds = marks.interval_per_minute
        spread = interval(*bounds, significant) if bounds else ""
        found[1] = Cell(significant(marks.per_minute), spread)
    return found


def _groups(content: ReportContent) -> Iterator[Block]:
    found = group_figures(content.levels)
    if not found:
        return
    message = stress_point(content.verdict)
    if message:
        yield Paragraph(prose(message))
    yield Table(
        "Throughput and mean response times",
        [
            Column("Users"),
            Column("Outcome", text=True),
            *(Column(each.heading) for each in found),
        ],
        [
            Row(
                [
                    Cell(count(level.users)),
                    Cell(level.outcome, mark=level.outcome),
                    *cells(*(each.cell(level) for each in found)),
                ]
            )
            for level in by_users(content.levels)
        ],
        GROUPS_NOTE,
    )
