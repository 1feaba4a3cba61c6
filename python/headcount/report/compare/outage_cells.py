"""The cells of a comparison of failovers, the same in every report."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from headcount.analyse.outage.comparison import FailoverComparison, SetUp, Shift
from headcount.analyse.outage.shift_text import bounds_text, signed
from headcount.report.failover import FIGURES, value_text
from headcount.text import DASH, count, plural


@dataclass(frozen=True, slots=True)
class Group:
    """All figures of a set-up against the first.

    Attributes:
        title: What is compared with what.
        heads: Of the columns.
        rows: A figure each; the last cell is the verdict.

    """

    title: str
    heads: Sequence[str]
    rows: Sequence[Sequence[str]]


def groups(found: FailoverComparison) -> list[Group]:
    """A table for each set-up but the first, in the order of the record."""
    return [
        Group(
            f"{second} against {first}",
            ("", first, second, "shift", "95% interval", "verdict"),
            [_cells(one) for one in some],
        )
        for (first, second), some in groupby(found.shifts, key=lambda one: (one.first, one.second))
    ]


def _cells(one: Shift) -> Sequence[str]:
    figure = FIGURES[one.figure]
    return (
        figure.label,
        value_text(one.figure, one.a.median),
        value_text(one.figure, one.b.median),
        DASH if one.shift is None else signed(one.shift, is_time=figure.is_time),
        bounds_text(one, is_time=figure.is_time) or DASH,
        one.finding,
    )


def set_up_text(one: SetUp) -> str:
    """A set-up in one line."""
    made = plural("repetition", one.repetitions)
    made += "" if one.counted == one.repetitions else f", of which {count(one.counted)} count"
    program = f", {one.program}" if one.program else ""
    bundles = f"{plural('bundle', len(one.bundles))}, first " if len(one.bundles) > 1 else ""
    return (
        f"{one.title}{program}: {one.fault}, {plural('user', one.users)}, {made} "
        f"({bundles}{one.bundles[0]})"
    )
