"""The tables of outages, for the page and for the document."""

from headcount.analyse.outage import spread
from headcount.bundle.failover import Failover, Outage, Spread
from headcount.report.document.blocks import Cell, Column, Row, Table, cells
from headcount.report.failover import FIGURES, interval_text, reasons_text, typical, value_text
from headcount.text import duration

FELT, REPETITIONS = "What users felt", "Each repetition"
NODES = "What each node did"
SHOWN = ("silent_s", "noticed_s", "taken_over_s", "served_s", "restored_s", "lost", "late", "gone")
"""Columns of the repetitions."""


def felt(found: Failover) -> Table | None:
    """Each figure over all repetitions; None if no repetition counts."""
    if not found.spreads:
        return None
    note = "95% interval: of the median, from the ranks of the values (binomial)."
    missing = [one for one in found.spreads if one.missing]
    if missing:
        note += " Never: it did not come while users were watched, and counts as longest."
    return Table(
        FELT,
        [
            Column("", text=True),
            Column("Median"),
            Column("95% interval"),
            Column("95th percentile"),
            Column("Longest or most"),
        ],
        [_spread(one) for one in found.spreads if one.figure in FIGURES],
        note,
        widths=[3, 1.5, 2.5, 1.7, 1.7],
    )


def _spread(one: Spread) -> Row:
    name = one.figure
    return Row(
        cells(
            FIGURES[name].label,
            value_text(name, one.median),
            interval_text(one),
            value_text(name, one.p95),
            value_text(name, one.worst),
        )
    )


def repetitions(found: Failover) -> Table | None:
    """A row for each repetition; None without any."""
    if not found.outages:
        return None
    known = {one.figure for one in found.spreads}
    shown = [name for name in SHOWN if name in known]
    heads = [Column(FIGURES[name].label) for name in shown]
    return Table(
        REPETITIONS,
        [Column("Repetition"), *heads],
        [_repetition(one, shown) for one in found.outages],
    )


def nodes(found: Failover) -> Table | None:
    """What each node did in the repetition that the chart shows; None if it was not recorded."""
    one = typical(found.outages)
    if one is None or not one.states:
        return None
    return Table(
        NODES,
        [Column("After the fault"), Column("Node", text=True), Column("State", text=True)],
        [
            Row(
                cells(
                    duration(state.at_s * 1000) if state.at_s else "at it", state.node, state.state
                )
            )
            for state in one.states
        ],
        f"Of repetition {one.level}, by the servers' own account, asked ten times a second.",
    )


def _repetition(one: Outage, shown: list[str]) -> Row:
    if one.outcome == "invalid":
        return Row(
            [Cell(str(one.level), mark="invalid"), *cells(*("" for _ in shown))], one_why(one)
        )
    texts = (value_text(name, spread.FIGURES[name](one)) for name in shown)
    return Row(cells(str(one.level), *texts))


def one_why(one: Outage) -> str:
    """Why a repetition does not count."""
    return f"It does not count: {reasons_text(one)}."
