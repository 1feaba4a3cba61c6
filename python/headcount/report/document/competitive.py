"""Competitive results: servers, or one before and after a change, against each other."""

from collections.abc import Iterator, Sequence

from headcount.analyse.compare.comparison import Comparison, Reference, Subject
from headcount.analyse.compare.words import value
from headcount.report.compare.cells import Group, groups
from headcount.report.document.blocks import (
    Block,
    Bullets,
    Cell,
    Column,
    Figure,
    Heading,
    Mark,
    Note,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    prose,
)
from headcount.report.document.prose import ended
from headcount.text import DASH, count, interval, plural

TITLE = "Competitive results"
MOST_LEVELS = 4
"""Numbers of users whose figures are printed: the largest, where servers differ."""
MARKS: dict[str, Mark] = {"better": "passed", "worse": "failed"}


def section(found: Comparison, figures: Sequence[Figure], *, doubts: bool = True) -> Section:
    """Tables of a comparison, with what qualifies them; `figures` are its charts.

    `doubts` is False if the report has them in another place.
    """
    return Section(TITLE, list(_blocks(found, figures, doubts=doubts)))


def _blocks(found: Comparison, figures: Sequence[Figure], *, doubts: bool) -> Iterator[Block]:
    """The verdict, who was compared, the charts, the tables, and what a reader must know."""
    yield Paragraph(prose(found.sentence), "lead")
    yield subjects(found)
    yield from figures
    some, left_out = _chosen(groups(found))
    for group in some:
        yield _table(group)
    if left_out:
        yield Paragraph(
            prose(
                f"Figures at {plural('smaller number', left_out)} of users are left out here; "
                "headcount compare --all prints them."
            ),
            "note",
        )
    if found.references:
        yield _published(found.references)
    yield from _qualified(found)
    if found.doubts and doubts:
        yield Note("Doubts about the comparison", [prose(ended(one)) for one in found.doubts])


def subjects(found: Comparison) -> Table:
    """The table of the subjects, with the capacity of each."""
    return Table(
        "What was compared",
        [
            Column("Name", text=True),
            Column("What it is", text=True),
            Column("Runs"),
            Column("Capacity"),
            Column("95% interval"),
        ],
        [_subject(one) for one in found.subjects],
        f"The others are compared with {found.subjects[0].name}.",
        widths=[1.5, 4.5, 0.8, 1.3, 1.6],
    )


def _subject(one: Subject) -> Row:
    capacity = one.capacity
    bounds = capacity.interval if capacity else None
    return Row(
        [
            Cell(one.name),
            Cell(one.title, one.program or ""),
            Cell(count(len(one.bundles))),
            Cell(value(capacity.value, "users") if capacity else DASH),
            Cell(interval(*bounds) if bounds else DASH),
        ]
    )


def _chosen(found: Sequence[Group]) -> tuple[list[Group], int]:
    """The answers and the largest levels of each pair, and the number of levels left out."""
    kept: list[Group] = []
    left_out = 0
    for pair in dict.fromkeys((one.first, one.second) for one in found):
        own = [one for one in found if (one.first, one.second) == pair]
        answers = [one for one in own if one.differences[0].users is None]
        levels = [one for one in own if one.differences[0].users is not None]
        kept += [*answers, *levels[-MOST_LEVELS:]]
        left_out += max(0, len(levels) - MOST_LEVELS)
    return kept, left_out


def _table(group: Group) -> Table:
    columns = [
        Column("Figure", text=True),
        Column(group.first),
        Column(group.second),
        Column(f"{group.second} against {group.first}"),
        Column("95% interval"),
        Column("The other way"),
        Column("Finding", text=True),
    ]
    rows = [
        Row(
            [
                *cells(whole.label, one.a, one.b, one.there, one.interval, one.back),
                Cell(one.finding, mark=MARKS.get(one.finding)),
            ]
        )
        for one, whole in zip(group.rows, group.differences, strict=True)
    ]
    title = f"{group.title}: {group.second} against {group.first}"
    return Table(title, columns, rows, widths=[2.1, 1.2, 1.2, 1.7, 1.8, 1.6, 1.9])


def _published(found: Sequence[Reference]) -> Table:
    rows = [
        Row(
            [
                Cell(one.label, one.source),
                Cell(count(one.users)),
                Cell(value(one.value, one.unit)),
                Cell(one.remark),
            ]
        )
        for one in found
    ]
    return Table(
        "Published results, on other hardware",
        [
            Column("Result", text=True),
            Column("Users"),
            Column("Figure"),
            Column("Why it is not compared", text=True),
        ],
        rows,
        "Published by others, not measured here: they are shown for orientation and never "
        "compared.",
        widths=[3.5, 0.9, 1.5, 3.5],
    )


def _qualified(found: Comparison) -> Iterator[Block]:
    """How to read it, in what the subjects differ besides, and doubts."""
    yield Heading("How to read the comparison")
    yield Bullets(
        [
            prose(
                "A difference is shown where its whole 95% interval lies on one side of zero. “No "
                "difference shown” does not mean that there is none."
            ),
            prose(
                "A percentage has two directions: a time that falls from 100 ms to 78 ms is 22% "
                "less time and 1.28 times the speed. Both are given."
            ),
            prose(
                "The runs alternated in time, so that drift of the machines cancels out."
                if found.interleaved
                else "The runs did not alternate in time: the differences also contain whatever "
                "else changed between them."
            ),
        ]
    )
    if found.unlike:
        yield Note("Other differences", [prose(ended(one.sentence)) for one in found.unlike])
