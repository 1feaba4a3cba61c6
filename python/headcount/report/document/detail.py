"""The level that stands for the answer in detail: scenarios, steps, tasks, requests, faults."""

from collections.abc import Iterator, Sequence

from headcount.analyse.time_text import Name, time_text
from headcount.bundle.level import LevelResult, ScenarioResult, StepResult, Times
from headcount.report.content import ReportContent
from headcount.report.document.blocks import Cell, Column, Row, Table, cells
from headcount.report.lines import FIGURES as LINES
from headcount.report.lines import NOTE as LINES_NOTE
from headcount.report.lines import TITLE as LINES_TITLE
from headcount.report.selection import shown
from headcount.report.tasks import NOTE as TASKS_NOTE
from headcount.report.tasks import WEIGHED, figures, missing_tasks
from headcount.text import count, duration, interval, megabytes_per_s, plural, share, significant

MOST_FAULTS = 20
"""Kinds of faults shown; a broken server has a few kinds, each with thousands of faults."""
EXAMPLE_CHARACTERS = 240
"""An example is cut after this many characters: a server may answer with a whole page."""


def tables(content: ReportContent) -> Iterator[Table]:
    """The tables of the level that stands for the answer; nothing without levels."""
    level = shown(content.verdict, content.levels)
    if level is None:
        return
    yield _scenarios(level)
    if level.steps:
        yield _steps(level)
    if level.tasks:
        yield _tasks(level)
    if level.lines:
        yield _lines(level)


def _at(level: LevelResult) -> str:
    return f"at {plural('user', level.users)} ({level.outcome})"


def _scenarios(level: LevelResult) -> Table:
    # With one scenario a total would repeat it.
    several_of_them = len(level.scenarios) != 1
    results = [*level.scenarios, level.total] if several_of_them else level.scenarios
    return Table(
        f"Scenarios {_at(level)}: response times",
        [
            Column("Scenario", text=True),
            *map(Column, ("Per second", "Completed", "Failed", "Overload")),
            *map(Column, ("Mean", "p50", "p95", "p99", "Longest")),
        ],
        [_scenario(one, total=one is level.total) for one in results],
        "From the moment each scenario was due to its end.",
        widths=[3, 1.2, 1.3, 1, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2],
    )


def _scenario(one: ScenarioResult, *, total: bool) -> Row:
    named = [
        "All together" if total else one.name,
        significant(one.rate_per_s),
        count(one.completed),
        count(one.failed),
        share(one.overload),
    ]
    longest = duration(one.response.max_ms if one.response else None)
    return Row(cells(*named, *_times(one.response), longest), total=total)


def _steps(level: LevelResult) -> Table:
    return Table(
        f"Steps {_at(level)}: service times",
        [
            Column("Step", text=True),
            *map(Column, ("Per second", "Completed", "Failed", "Read MB/s", "Written MB/s")),
            *map(Column, ("Mean", "p50", "p95", "p99")),
        ],
        [_step(step) for step in level.steps],
        "From the actual start of each step to its end.",
        widths=[3, 1.2, 1.3, 1, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2],
    )


def _step(step: StepResult) -> Row:
    moved = (step.read_bytes_per_s, step.written_bytes_per_s)
    return Row(
        cells(
            step.name,
            significant(step.rate_per_s),
            count(step.completed),
            count(step.failed),
            *(megabytes_per_s(each).removesuffix(" MB/s") for each in moved),
            *_times(step.service),
        )
    )


def _times(times: Times | None) -> list[str]:
    names: tuple[Name, ...] = ("mean_ms", "p50_ms", "p95_ms", "p99_ms")
    return [time_text(times, name) for name in names]


def _lines(level: LevelResult) -> Table:
    return Table(
        f"{LINES_TITLE} {_at(level)}",
        [Column("Line", text=True), *(Column(one.heading) for one in LINES)],
        [Row(cells(one.name, *(each.cell(one) for each in LINES))) for one in level.lines],
        LINES_NOTE,
        widths=[3, *(1.2 for _ in LINES)],
    )


def _tasks(level: LevelResult) -> Table:
    found = figures(level)
    rows = [
        Row(
            [
                Cell(task.name),
                *(
                    Cell(
                        one.cell(task),
                        interval(*task.p95_interval_ms, duration)
                        if one.heading == "p95" and task.p95_interval_ms
                        else "",
                    )
                    for one in found
                ),
            ]
        )
        for task in level.tasks
    ]
    note = TASKS_NOTE + (WEIGHED if level.score is not None else "")
    missing = missing_tasks(level)
    return Table(
        f"Tasks {_at(level)}",
        [Column("Task", text=True), *(Column(one.heading) for one in found)],
        rows,
        f"{missing} {note}" if missing else note,
    )


def faults(levels: Sequence[LevelResult]) -> Table | None:
    """What went wrong at all levels, the most frequent first; None if nothing did."""
    totals: dict[tuple[str, str], int] = {}
    users: dict[tuple[str, str], list[int]] = {}
    examples: dict[tuple[str, str], str] = {}
    for level in levels:
        for fault in level.faults:
            kind = (fault.step, fault.kind)
            totals[kind] = totals.get(kind, 0) + fault.count
            users.setdefault(kind, []).append(level.users)
            if fault.examples:
                examples.setdefault(kind, fault.examples[0])
    if not totals:
        return None
    ordered = sorted(totals, key=lambda kind: -totals[kind])
    over = len(ordered) - MOST_FAULTS
    rows = [
        Row(
            cells(
                step,
                kind,
                count(totals[step, kind]),
                _levels(users[step, kind]),
                _cut(examples.get((step, kind), "")),
            )
        )
        for step, kind in ordered[:MOST_FAULTS]
    ]
    return Table(
        "Faults at all levels",
        [
            Column("Step", text=True),
            Column("Kind", text=True),
            Column("How many"),
            Column("Users", text=True),
            Column("The first of them, as the server reported them", text=True),
        ],
        rows,
        f"{plural('more kind', over)} of faults are left out." if over > 0 else "",
        widths=[1.6, 1.4, 1.1, 1.4, 4],
    )


def _levels(users: Sequence[int]) -> str:
    numbers = sorted(set(users))
    if len(numbers) > 3:
        return f"{count(numbers[0])} to {count(numbers[-1])}"
    return ", ".join(map(count, numbers))


def _cut(text: str) -> str:
    return text[:EXAMPLE_CHARACTERS] + "\N{HORIZONTAL ELLIPSIS}" * (len(text) > EXAMPLE_CHARACTERS)
