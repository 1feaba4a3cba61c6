"""The configuration: the machines of both sides, side by side, programs and settings."""

from collections.abc import Iterator, Sequence

from headcount.bundle.environment import CounterOrigin, Side
from headcount.report.content import ReportContent
from headcount.report.document.blocks import (
    Block,
    Column,
    Heading,
    Paragraph,
    Row,
    Section,
    Table,
    cells,
    prose,
)
from headcount.report.html.environment import origin, summary
from headcount.report.machines import MOST_KINDS, machines
from headcount.text import DASH

TITLE = "Configuration"
APPENDIX = "Appendix: settings"
ABREAST = 3
"""Machines side by side in one table: a page has no room for more."""
ROLE = {
    "sut": "Server under test",
    "generator": "Load generator",
    "both": "Server under test and load generator",
    "controller": "Controller, which plays no users",
}


def section(content: ReportContent) -> Section:
    """The machines side by side, what ran on them, and with which settings."""
    sides = content.environment.sides
    one = any(side.role == "both" for side in sides)
    larger = (
        "" if content.tuning is not None else "; a separate generator may find a larger capacity"
    )
    where = (
        "The server under test and the load generator ran on one machine and shared its CPUs"
        f"{larger}."
        if one
        else "The server under test and the load generator ran on separate machines."
    )
    blocks: list[Block] = [
        Paragraph(prose(f"The system under test is {content.target}. {where if sides else ''}")),
        *_machines(sides),
        *_origins(content.environment.counters),
        *_stated(content),
    ]
    return Section(TITLE, blocks)


def appendix(content: ReportContent) -> list[Section]:
    """The settings as recorded, for repeating the run; nothing if none were recorded."""
    tables = list(_settings(content.environment.sides))
    return [Section(APPENDIX, tables)] if tables else []


def _machines(sides: Sequence[Side]) -> list[Table]:
    found = machines(sides)[:MOST_KINDS]
    named = [(one.heading(ROLE), one.side) for one in found]
    if len(named) <= ABREAST:
        return side_by_side("System configuration", named)
    parts = [named[at : at + ABREAST] for at in range(0, len(named), ABREAST)]
    return [
        table
        for number, part in enumerate(parts, 1)
        for table in side_by_side(f"System configuration, part {number}", part)
    ]


def side_by_side(title: str, sides: Sequence[tuple[str, Side]]) -> list[Table]:
    """A table of machines side by side, one per column; nothing without machines."""
    if not sides:
        return []
    known = [dict(_features(side)) for _, side in sides]
    names = list(dict.fromkeys(name for one in known for name in one))
    heads = [Column(name, text=True) for name, _ in sides]
    rows = [Row(cells(name, *(one.get(name, DASH) for one in known))) for name in names]
    widths = [2.0, *([4.0] * len(sides))] if len(sides) > 1 else [1.0, 3.0]
    return [Table(title, [Column("Feature", text=True), *heads], rows, widths=widths)]


def _features(side: Side) -> Iterator[tuple[str, str]]:
    if side.host is None:
        yield "Machine", "not known: the machine did not answer"
    for name, value in summary(side.host or {}):
        if value is not None:
            yield name, value
    yield from sorted(side.programs.items())


def _settings(sides: Sequence[Side]) -> Iterator[Block]:
    for side in sides:
        if not side.settings:
            continue
        rows = [Row(cells(name, value)) for name, value in sorted(side.settings.items())]
        columns = [Column("Setting", text=True), Column("Value", text=True)]
        yield Table(f"Settings: {ROLE[side.role].lower()}", columns, rows, widths=[1, 1])


def _origins(counters: Sequence[CounterOrigin]) -> Iterator[Block]:
    if counters:
        yield Heading("Where counters of other machines come from")
    for one in counters:
        yield Paragraph(prose(origin(one)))


def _stated(content: ReportContent) -> Iterator[Block]:
    """What the tester states about the machines, which may not be recorded anywhere."""
    stated = sorted(content.disclosure.get("sut", {}).items())
    if stated:
        yield Table(
            "The system under test, as stated by the tester",
            [Column("Item", text=True), Column("Stated", text=True)],
            [Row(cells(name, value)) for name, value in stated],
            note="Stated, not checked. The disclosure below lists everything stated.",
            widths=[1, 3],
        )
