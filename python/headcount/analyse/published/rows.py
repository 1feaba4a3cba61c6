"""Published results, one row per figure and number of users."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from headcount.analyse.published.library import documents
from headcount.analyse.published.model import Document, Printed, System


@dataclass(frozen=True, slots=True)
class Row:
    """One published figure.

    Attributes:
        source: The document's id.
        publisher: Who published it.
        year: When; None if it is not printed.
        when: The year for people: `1997`, `about 2001`.
        place: The section or table in the document.
        test: What was run.
        workloads: Headcount's workloads that re-create it.
        system: The system's id.
        label: The system for people.
        hardware: What it was.
        date: When it was measured, as printed.
        users: Number of users; None if it is not printed.
        figure: The figure's name.
        meaning: What the figure is.
        value: As printed.
        unit: As printed.
        called: What Headcount calls the figure, or None.
        own_value: The value in Headcount's unit; None if Headcount has no such figure.
        repeats: The system whose result the row repeats.
        remark: What a reader must know of it.

    """

    source: str
    publisher: str
    year: int | None
    when: str
    place: str
    test: str
    workloads: tuple[str, ...]
    system: str
    label: str
    hardware: str
    date: str | None
    users: int | None
    figure: str
    meaning: str
    value: Decimal
    unit: str
    called: str | None
    own_value: float | None
    repeats: str | None
    remark: str | None


def rows() -> list[Row]:
    """Every published figure, in the order of the documents."""
    return [
        row
        for found in documents()
        for system in found.systems
        for test, printed in system.printed.items()
        for row in _rows(found, system, test, printed)
    ]


def _rows(found: Document, system: System, test: str, printed: Printed) -> Iterator[Row]:
    for name, values in printed.figures.items():
        many = values if isinstance(values, list) else [values]
        figure = found.figures[name]
        for index, value in enumerate(many):
            own = float(Decimal(value) * figure.factor) if figure.called else None
            yield Row(
                source=found.id,
                publisher=found.publisher,
                year=found.year,
                when=found.when,
                place=printed.place,
                test=found.tests[test].label,
                workloads=found.tests[test].workloads,
                system=system.id,
                label=system.label,
                hardware=system.hardware,
                date=system.date,
                users=_users(printed, index),
                figure=name,
                meaning=figure.label,
                value=Decimal(value),
                unit=figure.unit,
                called=figure.called,
                own_value=own,
                repeats=system.repeats,
                remark=system.remark,
            )


def _users(printed: Printed, index: int) -> int | None:
    if printed.users is None:
        return None
    if isinstance(printed.users, str):
        return int(printed.figures[printed.users])
    return printed.users[index]
