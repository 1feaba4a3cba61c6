"""What went over the wire at capacity: the mix of the protocol's requests."""

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import section as make_section
from headcount.report.markup import Html, element
from headcount.report.selection import shown
from headcount.text import count, share, significant, storage

_COLUMNS = (
    Column("Request", text=True),
    Column("Share"),
    Column("Per scenario"),
    Column("Per user and second"),
    Column("Per second"),
    Column("Count"),
)


def section(content: ReportContent) -> Html | None:
    """Show the requests of the level at the published capacity; nothing where none were counted."""
    level = shown(content.verdict, content.levels)
    if level is None or not any(level.requests.values()):
        return None
    # The most frequent first; of equals, by name.
    ordered = sorted(level.requests.items(), key=lambda item: (-item[1], item[0]))
    rows = [_row(level, name, number) for name, number in ordered]
    if len(rows) > 1:
        rows.append(_row(level, "All together", sum(level.requests.values()), "sum"))
    return make_section(
        f"What went over the wire at {count(level.users)} users ({level.outcome})",
        table(_COLUMNS, rows, "Protocol requests", "requests short"),
        element("p", _told(level), class_="note"),
    )


def _row(level: LevelResult, name: str, number: int, style: str | None = None) -> Html:
    ended, per_s = _ended(level), number / _length_s(level)
    cells = [
        name,
        share(number / sum(level.requests.values())),
        significant(number / ended if ended else None),
        significant(per_s / level.users),
        significant(per_s),
        count(number),
    ]
    return row(_COLUMNS, cells, style)


def _ended(level: LevelResult) -> int:
    """Count scenarios as criteria do: those that failed sent requests as well."""
    return level.total.completed + level.total.failed


def _length_s(level: LevelResult) -> float:
    return max(level.steady_s, 1e-9)


def _told(level: LevelResult) -> str:
    """Say what the requests are counted over, and what data they carried."""
    ended, total = _ended(level), level.total
    said = (
        "Requests sent in the measured part, named as the protocol names them; per scenario: of "
        f"the {count(ended)} that ended in it."
    )
    carried_per_s = total.read_bytes_per_s + total.written_bytes_per_s
    if not ended or carried_per_s == 0:
        return said
    read, written = (
        storage(rate * _length_s(level) / ended)
        for rate in (total.read_bytes_per_s, total.written_bytes_per_s)
    )
    return (
        f"{said} The data in them, without what the protocol adds: {read} read and {written} "
        f"written per scenario; {storage(carried_per_s / level.users)} per user and second."
    )
