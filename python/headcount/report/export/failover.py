"""Outages as tables of plain values: what users felt, and each repetition."""

from headcount.bundle.failover import Failover, Outage, Writes
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.report.export.table import Column, Table, Value
from headcount.report.failover import FIGURES, doubts, facts, reasons_text

_FIELDS = ("fault_took_s", "noticed_s", "taken_over_s", "rate_per_s", "silent_s", "answered_s")
_MORE = ("served_s", "restored_s", "lost", "late", "log_ons", "users_lost")
_WRITES = ("acknowledged", "unanswered", "unanswered_kept", "gone", "gone_to_s", "stale")
"""Columns about the numbered rows; empty if none were written."""


def failover_lines(found: Failover) -> list[tuple[str, Value]]:
    """What a reader must know before any figure: names and texts."""
    return [
        ("Answer", found.sentence),
        *facts(found),
        *(("Doubt", text) for text in doubts(found)),
    ]


def outages(bundle: Bundle) -> Table:
    """A row for each repetition; raises InputError if the run is not a failover."""
    if bundle.failover is None:
        raise InputError(f"{bundle.folder} is not a failover: it has no outages")
    return outages_of(bundle.failover)


def tables(found: Failover) -> list[Table]:
    """All tables of a failover, in the order of reading."""
    return [spreads_of(found), outages_of(found)]


def spreads_of(found: Failover) -> Table:
    """Each figure over all repetitions that count."""
    columns = [
        Column("figure", "Figure", "Times in seconds after the fault, or counts"),
        Column("number", "Repetitions", "That count"),
        Column("missing", "Never", "In how many of them it did not come"),
        Column("median", "Median", "Empty where it did not come in half of them"),
        Column("median_low", "Median, low", "Of its 95% interval"),
        Column("median_high", "Median, high", "Of its 95% interval"),
        Column("p95", "95th percentile", "Of the repetitions"),
        Column("worst", "Longest or most", "Of the repetitions"),
    ]
    rows: list[list[Value]] = [
        [
            FIGURES[one.figure].label,
            one.number,
            one.missing,
            one.median,
            one.median_low,
            one.median_high,
            one.p95,
            one.worst,
        ]
        for one in found.spreads
        if one.figure in FIGURES
    ]
    return Table("outage_spreads", "What users felt", columns, rows)


def outages_of(found: Failover) -> Table:
    """A row for each repetition."""
    fields = Outage.model_fields
    columns = [Column("repetition", "Repetition", "Index of its level")]
    columns += [
        Column(name, name.removesuffix("_s").replace("_", " "), fields[name].description or "")
        for name in (*_FIELDS, *_MORE)
    ]
    of_writes = Writes.model_fields
    columns += [
        Column(
            f"writes_{name}",
            f"writes {name.removesuffix('_s').replace('_', ' ')}",
            of_writes[name].description or "",
        )
        for name in _WRITES
    ]
    columns.append(Column("invalid", "Does not count", "Why; empty if it does"))
    rows: list[list[Value]] = [
        [
            one.level,
            *(getattr(one, name) for name in (*_FIELDS, *_MORE)),
            *(None if one.writes is None else getattr(one.writes, name) for name in _WRITES),
            reasons_text(one) if one.reasons else None,
        ]
        for one in found.outages
    ]
    return Table("outages", "Each repetition", columns, rows)
