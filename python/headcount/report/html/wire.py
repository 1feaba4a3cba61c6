"""What went over the wire at capacity: the mix of the protocol's requests, or of system calls."""

from dataclasses import dataclass

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.html.table import Column, row, table
from headcount.report.html.table import folded as make_section
from headcount.report.markup import Html, element
from headcount.report.selection import shown
from headcount.text import count, plural, share, significant, storage

_FIGURES = (
    Column("Share"),
    Column("Per scenario"),
    Column("Per user and second"),
    Column("Per second"),
    Column("Count"),
)


@dataclass(frozen=True)
class _Kind:
    """What is counted: requests to a server, or system calls."""

    title: str
    caption: str
    column: str
    counted: str
    payload: str

    @property
    def columns(self) -> tuple[Column, ...]:
        return (Column(self.column, text=True), *_FIGURES)


_REQUESTS = _Kind(
    title="What went over the wire",
    caption="Protocol requests",
    column="Request",
    counted="Requests sent in the measured part, named as the protocol names them",
    payload="The data in them, without protocol overhead",
)
_CALLS = _Kind(
    title="The system calls made",
    caption="System calls",
    column="System call",
    counted=(
        "System calls made in the measured part, named as the manual names them; reads, writes "
        "and fsync through io_uring count, too"
    ),
    payload="The data they moved",
)


def section(content: ReportContent) -> Html | None:
    """Show the requests of the level at the published capacity; nothing if none were counted."""
    level = shown(content.verdict, content.levels)
    if level is None or not any(level.requests.values()):
        return None
    # The most frequent first, then by name.
    ordered = sorted(level.requests.items(), key=lambda item: (-item[1], item[0]))
    kind = _CALLS if content.target.startswith(("file:", "lab:files")) else _REQUESTS
    rows = [_row(kind, level, name, number) for name, number in ordered]
    if len(rows) > 1:
        rows.append(_row(kind, level, "All together", sum(level.requests.values()), "sum"))
    return make_section(
        f"{kind.title} at {plural('user', level.users)} ({level.outcome})",
        table(kind.columns, rows, kind.caption, "requests short"),
        element("p", _basis(kind, level), class_="note"),
    )


def _row(kind: _Kind, level: LevelResult, name: str, number: int, style: str | None = None) -> Html:
    ended, per_s = _ended(level), number / _length_s(level)
    cells = [
        name,
        share(number / sum(level.requests.values())),
        significant(number / ended if ended else None),
        significant(per_s / level.users),
        significant(per_s),
        count(number),
    ]
    return row(kind.columns, cells, style)


def _ended(level: LevelResult) -> int:
    """Scenarios that ended, as criteria count them: failed ones sent requests as well."""
    return level.total.completed + level.total.failed


def _length_s(level: LevelResult) -> float:
    return max(level.steady_s, 1e-9)


def _basis(kind: _Kind, level: LevelResult) -> str:
    """Say what is counted per what, and how much data was carried."""
    ended, total = _ended(level), level.total
    text = f"{kind.counted}; per scenario: of the {count(ended)} that ended in it."
    carried_per_s = total.read_bytes_per_s + total.written_bytes_per_s
    if not ended or carried_per_s == 0:
        return text
    read, written = (
        storage(rate * _length_s(level) / ended)
        for rate in (total.read_bytes_per_s, total.written_bytes_per_s)
    )
    return (
        f"{text} {kind.payload}: {read} read and {written} "
        f"written per scenario; {storage(carried_per_s / level.users)} per user and second."
    )
