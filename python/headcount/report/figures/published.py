"""Published results of other servers beside those of a run: dashed, and always labelled.

Published results are of other hardware, mostly decades older, and of the original programs. They
only show orders of magnitude; nothing here says that one server is better.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from headcount.bundle.level import LevelResult
from headcount.report.chart.figure import NARROW, WIDE, Room
from headcount.report.chart.line import medians
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import LOG_FROM_RATIO, Linear, Log, Scale, for_times, from_zero
from headcount.report.chart.tick import megabyte_tick, percent_tick, rate_tick, time_tick
from headcount.report.figures.figure_types import Figure, Run, Table
from headcount.report.figures.levels import valid
from headcount.report.figures.lines import Frame, Line, chart
from headcount.report.figures.plot import Unit
from headcount.report.figures.throughput import cpu_of
from headcount.report.markup import Html, element, joined
from headcount.text import count, duration, megabytes_per_s, plural, share, significant

TITLE = "Beside published results"
LABEL = "published, different hardware"
MOST = 4
"""Most references in one figure: more names would not fit beside their lines."""
HERE = "this run"


class Reference(Protocol):
    """A published line, from `headcount.analyse.published.series`."""

    @property
    def short(self) -> str:
        """The system in a few words, with when it was published."""

    @property
    def label(self) -> str:
        """The system, the test and the year, for a footnote."""

    @property
    def points(self) -> Sequence[tuple[float, float]]:
        """(users, figure) as printed."""


class _Kind:
    """A figure that published results and levels share."""

    def __init__(
        self,
        heading: str,
        unit: Unit,
        own: Callable[[LevelResult], float | None],
        tick: Callable[[float], str],
        texts: Callable[[float | None], str],
    ) -> None:
        """Keep its names, its unit, and how it is read and written."""
        self.heading, self.unit, self.own, self.tick, self.written = heading, unit, own, tick, texts


KINDS: Mapping[str, _Kind] = {
    "bytes_per_s": _Kind(
        "Megabytes per second",
        "bytes",
        lambda level: level.total.read_bytes_per_s + level.total.written_bytes_per_s,
        megabyte_tick,
        megabytes_per_s,
    ),
    "cpu": _Kind("CPU of the server", "share", cpu_of, percent_tick, share),
    "mean_ms": _Kind(
        "Mean response time",
        "ms",
        lambda level: level.total.response.mean_ms if level.total.response else None,
        time_tick,
        duration,
    ),
    "p95_ms": _Kind(
        "p95 response time",
        "ms",
        lambda level: level.total.response.p95_ms if level.total.response else None,
        time_tick,
        duration,
    ),
    "marks_per_min": _Kind(
        "Marks per minute",
        "rate",
        lambda level: level.marks.per_minute if level.marks else None,
        rate_tick,
        significant,
    ),
}
"""Kinds of figures, by their names in published results."""


def figure(run: Run, references: Sequence[Reference], of: str) -> Figure | None:
    """Draw a figure of this run and of published ones against users.

    Args:
        run: What was measured here.
        references: Published lines of the same figure; the first four are drawn.
        of: Which figure, of `KINDS`.

    None where there is no reference, or the run does not have the figure.

    """
    kind = KINDS[of]
    own = sorted(
        (float(level.users), value)
        for level in valid(run.levels)
        if (value := kind.own(level)) is not None
    )
    drawn = [one for one in references if one.points][:MOST]
    if not own or not drawn:
        return None
    alt = _in_words(kind, own, drawn)
    return Figure(
        name=f"published-{of.replace('_', '-')}",
        title=f"{TITLE}: {kind.heading.lower() if kind.heading[:3] != 'CPU' else kind.heading}",
        alt=alt,
        caption=(
            f"Dashed: {LABEL}; measured with the original programs. They show orders of magnitude "
            f"only. {' '.join(one.label + '.' for one in drawn)}"
        ),
        svg=_drawing(kind, own, drawn, WIDE, alt),
        narrow=_drawing(kind, own, drawn, NARROW, alt),
        table=_table(kind, own, drawn),
    )


def _wide_users(own: Sequence[tuple[float, float]], drawn: Sequence[Reference]) -> bool:
    users = [x for points in (own, *(one.points for one in drawn)) for x, _ in points if x > 0]
    return max(users) / min(users) > LOG_FROM_RATIO


def _log(kind: _Kind, own: Sequence[tuple[float, float]], drawn: Sequence[Reference]) -> bool:
    values = [y for points in (own, *(one.points for one in drawn)) for _, y in points]
    return kind.unit != "share" and isinstance(for_times(values, 0, 1), Log)


def _drawing(
    kind: _Kind,
    own: Sequence[tuple[float, float]],
    drawn: Sequence[Reference],
    room: Room,
    alt: str,
) -> Html:
    users = [x for points in (own, *(one.points for one in drawn)) for x, _ in points]
    values = [y for points in (own, *(one.points for one in drawn)) for _, y in points]

    def across(start: float, end: float) -> Scale:
        if _wide_users(own, drawn):
            return Log(min(x for x in users if x > 0) * 0.9, max(users) * 1.1, start, end)
        return Linear(0, max(users) * 1.04, start, end)

    def upwards(start: float, end: float) -> Scale:
        if kind.unit == "share":
            return Linear(0, 1, start, end)
        return (
            for_times(values, start, end)
            if _log(kind, own, drawn)
            else from_zero(values, start, end)
        )

    frame = Frame(kind.heading, "Users", across, upwards, count, kind.tick)
    lines = [
        Line(
            f"{index}: {one.short}",
            "users dashed",
            list(one.points),
            [(x, y, "passed") for x, y in one.points],
            square=True,
        )
        for index, one in reversed(list(enumerate(drawn, 1)))
    ]
    lines.append(Line(HERE, "one", medians(own), [(x, y, "passed") for x, y in own]))
    return chart(
        room, frame, lines, TITLE, alt, before=[_dashed_note, lambda panel: _numbers(panel, drawn)]
    )


def _dashed_note(panel: Panel) -> Html:
    return element(
        "text", f"dashed: {LABEL}", x=panel.right, y=panel.bottom - 9, class_="end small"
    )


def _numbers(panel: Panel, drawn: Sequence[Reference]) -> Html:
    """A number beside each mark, since all references share one colour."""
    return joined(
        element(
            "text", str(index), x=panel.x.at(x) + 7, y=panel.y.at(y) - 5, class_="small tag users"
        )
        for index, one in enumerate(drawn, 1)
        for x, y in one.points
    )


def _in_words(kind: _Kind, own: Sequence[tuple[float, float]], drawn: Sequence[Reference]) -> str:
    users, value = medians(own)[-1]
    parts = [
        f"{one.short} {kind.written(one.points[-1][1])} at {plural('user', one.points[-1][0])}"
        for one in drawn
    ]
    return (
        f"{kind.heading}: {kind.written(value)} at {plural('user', users)} here; {LABEL}: "
        f"{'; '.join(parts)}."
    )


def _table(kind: _Kind, own: Sequence[tuple[float, float]], drawn: Sequence[Reference]) -> Table:
    rows = [[HERE, count(x), kind.written(y), "measured"] for x, y in own]
    rows += [[one.short, count(x), kind.written(y), LABEL] for one in drawn for x, y in one.points]
    return Table(("System", "Users", kind.heading, "What it is"), rows)
