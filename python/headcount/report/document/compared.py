"""Builds the report of a comparison."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from headcount.analyse.compare.comparison import Comparison
from headcount.bundle.reader import Bundle
from headcount.report.compare.cells import within_sentences, within_title
from headcount.report.document import charts, competitive, repeat
from headcount.report.document.blocks import (
    Block,
    Code,
    Document,
    KeyFigures,
    Note,
    Paragraph,
    Section,
    Table,
    prose,
)
from headcount.report.document.configuration import side_by_side
from headcount.report.document.prose import ended
from headcount.report.key_figures import KeyFigure
from headcount.text import interval, listed, plural

KIND = "Server comparison report"


def of_comparison(found: Comparison, runs: Sequence[Bundle]) -> Document:
    """The report of a comparison; `runs` is a run of each subject, in their order.

    Pure: the same comparison gives the same document.
    """
    drawn = charts.of_pair([one.name for one in found.subjects], runs)
    tables = [one.data for one in drawn if one.data is not None]
    behind = [repeat.behind(tables)] if tables else []
    names = [one.name for one in found.subjects]
    first = found.subjects[0]
    return Document(
        kind=KIND,
        title=" against ".join(reversed(names)),
        subject=listed([one.title for one in found.subjects]),
        outcome="passed",
        headline=None,
        answer=found.sentence,
        measured_at=max(moment for one in found.subjects for moment in one.started_at),
        facts=[
            ("Workload", listed(sorted({one.workload for one in found.subjects}))),
            *((one.name, one.title) for one in found.subjects),
        ],
        generator=_generator(runs),
        sections=[
            _overview(found),
            _configuration(found, runs),
            competitive.section(found, drawn, doubts=False),
            _repeat(found),
            repeat.words(),
            *behind,
        ],
        caution=(
            f"The others are compared with {first.name}."
            if not found.doubts
            else "There are doubts: see the executive overview."
        ),
    )


def _generator(runs: Sequence[Bundle]) -> str:
    versions = {run.environment.headcount for run in runs if run.environment is not None}
    return f"Headcount {listed(sorted(versions))}".rstrip()


def _overview(found: Comparison) -> Section:
    blocks: list[Block] = [Paragraph(prose(found.sentence), "lead")]
    figures = [
        KeyFigure(
            f"Capacity of {one.name}",
            plural("user", one.capacity.value),
            _interval(one.capacity.interval),
        )
        for one in found.subjects
        if one.capacity is not None
    ]
    if figures:
        blocks.append(KeyFigures(figures))
    if found.equalities:
        blocks.append(Note(within_title(found), [prose(one) for one in within_sentences(found)]))
    if found.doubts:
        doubts = [prose(ended(one)) for one in found.doubts]
        blocks.append(Note("Known doubts", doubts))
    return Section("Executive overview", blocks)


def _interval(bounds: tuple[float, float] | None) -> str:
    if bounds is None:
        return "without an interval"
    return f"95% interval {interval(*bounds)} users"


def _configuration(found: Comparison, runs: Sequence[Bundle]) -> Section:
    sides = [
        (subject.name, [side for side in run.environment.sides if side.role in ("sut", "both")])
        for subject, run in zip(found.subjects, runs, strict=True)
        if run.environment is not None
    ]
    table: list[Table] = side_by_side(
        "The servers", [(name, known[0]) for name, known in sides if known]
    )
    text = "The servers under test, as the first run of each recorded them."
    return Section("Configuration", [Paragraph(prose(text)), *table])


def _repeat(found: Comparison) -> Section:
    runs = [folder for one in found.subjects for folder in one.bundles]
    commands = "\n".join(
        shlex.join(["headcount", "run", str(Path(folder) / "plan.toml")]) for folder in runs
    )
    return Section(
        repeat.TITLE,
        [
            Paragraph(prose("Repeat each run with its plan, alternating between them:")),
            Code(commands),
        ],
    )
