"""The gains of what a tuning tried, with their intervals: a dot and a line for each race."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.bundle.tuning import Outcome, Tuning
from headcount.report.chart import axis
from headcount.report.chart.dots import Outcome as Mark
from headcount.report.chart.dots import dots
from headcount.report.chart.figure import NARROW, WIDE, Room, drawing
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Log, Scale
from headcount.report.figures.figure_types import Figure, Table
from headcount.report.markup import Html, element, joined, number
from headcount.report.tuning import OUTCOMES, gain_of, interval_text, times, tried_text
from headcount.text import DASH, clean, count, plural

TITLE = "Gains of what was tried"
PROOF = "The proof: all changes against the server as it was"
MOST_ROWS = 18
"""Most races in the drawing, to fit a page. The table has all."""
ROW_PX = 42.0
MIDDLE = 0.68
"""Vertical place of a dot in its row, below its name."""
LETTER_PX = 7.4
"""Mean width of a letter, for cutting the texts of configurations to fit."""
BEYOND = 2.0
"""The axis ends at this multiple of the largest ratio: two pairs alone have immense intervals."""
LOG_FROM = 6.0

_MARKS: dict[Outcome, Mark] = {"better": "passed", "worse": "passed", "refused": "invalid"}


@dataclass(frozen=True, slots=True)
class _Row:
    """A dot with its interval; `style` and `square` distinguish the proof from the races."""

    name: str
    value: float
    interval: tuple[float, float] | None
    pairs: int
    outcome: str
    mark: Mark
    style: str = "one"
    square: bool = False


def figure(found: Tuning, most: int = MOST_ROWS) -> Figure | None:
    """Draw them; None where no race and no proof has a figure.

    `most` is the number of rows of the drawing, at most; the table has all.
    """
    rows = _rows(found)
    if not rows:
        return None
    alt, drawn = _in_words(found, rows), _drawn(rows, most)
    return Figure(
        name="gains",
        title=TITLE,
        alt=alt,
        caption=f"{alt} {_legend(len(rows) - len(drawn))}",
        svg=_drawing(drawn, WIDE, alt),
        narrow=_drawing(drawn, NARROW, alt),
        table=_table(rows),
    )


def _rows(found: Tuning) -> list[_Row]:
    rows = []
    for place, race in enumerate(found.races, 1):
        gain = gain_of(race)
        if gain is None or not 0 < gain.value < math.inf:
            continue
        rows.append(
            _Row(
                f"{place}. {clean(tried_text(race))}",
                gain.value,
                gain.interval,
                gain.pairs,
                OUTCOMES[race.outcome],
                _MARKS.get(race.outcome, "failed"),
            )
        )
    ratio = found.ratio
    if ratio is not None and 0 < ratio.value < math.inf:
        ends = (ratio.low, ratio.high)
        outcome = "claimed" if found.changes else "not claimed"
        mark: Mark = "passed" if found.changes else "failed"
        rows.append(_Row(PROOF, ratio.value, ends, ratio.pairs, outcome, mark, "two", square=True))
    return rows


def _drawn(rows: Sequence[_Row], most: int) -> list[_Row]:
    """The rows to draw: those with the largest gains, and the proof, in their order."""
    largest = sorted(rows, key=lambda row: (row.square, row.value))[-most:]
    return [row for row in rows if any(row is one for one in largest)]


def _scale(rows: Sequence[_Row], start: float, end: float) -> Scale:
    """A scale that holds 1 and all ratios, and their intervals unless these would dwarf them."""
    values = [1.0, *(row.value for row in rows)]
    ends = [each for row in rows for each in row.interval or ()]
    low = max(min([*values, *ends]), min(values) / BEYOND) / 1.03
    high = min(max([*values, *ends]), max(values) * BEYOND) * 1.03
    return (Log if high / low > LOG_FROM else Linear)(low, high, start, end)


def _drawing(rows: Sequence[_Row], room: Room, alt: str) -> Html:
    left, right, top = 12.0, room.width - 52.0, 30.0
    bottom = top + ROW_PX * len(rows)
    panel = Panel(
        left, top, right, bottom, _scale(rows, left, right), Linear(0, len(rows), top, bottom)
    )
    one = panel.x.at(1)
    # The line at 1 is interrupted at the names.
    middles = (panel.y.at(place + MIDDLE) for place in range(len(rows)))
    rule = "".join(f"M{one:.1f} {y - 9:.1f}V{y + 11:.1f}" for y in middles)
    return drawing(
        room,
        bottom + 46,
        TITLE,
        alt,
        element("path", d=rule, class_="line over users"),
        element("text", "no gain", x=one, y=top - 12, class_="tag users mid"),
        *(_row(panel, row, place) for place, row in enumerate(rows)),
        axis.lower(panel, lambda value: f"{value:g}", room.x_ticks, "Ratio, above 1 is better"),
    )


def _row(panel: Panel, row: _Row, place: int) -> Html:
    middle = place + MIDDLE
    y = panel.y.at(middle)
    whisker = None
    if row.interval is not None:
        low, high = (panel.x.at(end) for end in row.interval)
        data = f"M{number(low)} {number(y)}H{number(high)}"
        whisker = element("path", d=data, class_=f"line over {row.style}")
    name = _cut(row.name, int((panel.right - panel.left) / LETTER_PX))
    return joined(
        [
            element("text", name, x=panel.left, y=y - 14),
            whisker,
            dots(panel, [(row.value, middle, row.mark)], row.style, square=row.square),
            element(
                "text", times(row.value), x=panel.right + 8, y=y + 4, class_=f"tag {row.style}"
            ),
        ]
    )


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _in_words(found: Tuning, rows: Sequence[_Row]) -> str:
    races = [row for row in rows if not row.square]
    parts = []
    if races:
        best = max(races, key=lambda row: row.value)
        parts.append(
            f"{plural('race', len(races))}, the largest ratio {times(best.value)} "
            f"({best.name.partition('. ')[0]})."
        )
    if found.ratio is not None:
        ends = f"{times(found.ratio.low)} to {times(found.ratio.high)}"
        proof = f"{times(found.ratio.value)} ({ends}), {interval_text(found.ratio)}"
        parts.append(f"The proof: {proof}.")
    return " ".join(parts)


def _legend(over: int) -> str:
    left_out = f" Only in the table: {plural('smaller one', over)}." if over else ""
    return (
        "Round: a race, with the 95% confidence interval of its own pairs. Square: the proof, on "
        "turns of its own. Filled: taken over or kept; hollow: not; crossed: refused. The best of "
        f"many races is partly luck: only the proof is a claim.{left_out}"
    )


def _table(rows: Sequence[_Row]) -> Table:
    return Table(
        ("Tried", "Ratio", "Interval", "Pairs", "Outcome"),
        [
            (
                row.name,
                times(row.value),
                f"{times(row.interval[0])} to {times(row.interval[1])}" if row.interval else DASH,
                count(row.pairs),
                row.outcome,
            )
            for row in rows
        ],
    )
