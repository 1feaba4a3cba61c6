"""What is drawn, dot by dot, against what was put in."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_feeds import BUSY, monitor, readings

from headcount.live.history import Trace
from headcount.live.line import Line
from headcount.live.plot import Curve, place, plot
from headcount.live.reading import Back, Lost, Reading
from headcount.live.view import View


def trace(points: list[tuple[float, float]], joined: bool = True) -> Trace:
    at_s, values = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    return Trace(at_s, values, np.full(len(points), joined))


def dots(curve: Curve, end_s: float, width: int, height: int) -> set[tuple[int, int]]:
    """The dots of a plot as (column, row from the top), decoded from braille."""
    bits = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
    found = set()
    for row, cells in enumerate(plot([curve], 0.0, end_s, width, height)):
        for column, cell in enumerate(cells):
            code = ord(cell.character) - 0x2800 if cell.character != " " else 0
            for y in range(4):
                for x in range(2):
                    if code & bits[y][x]:
                        found.add((2 * column + x, 4 * row + y))
    return found


def test_ends_and_middle_of_the_axis_are_where_they_belong() -> None:
    drawn = dots(Curve(trace([(0, 0), (1, 50), (2, 100)], joined=False), 1.0, 0), 3.0, 3, 5)
    assert drawn == {(0, 19), (2, 10), (4, 0)}


def test_a_factor_and_the_end_of_the_axis() -> None:
    drawn = dots(Curve(trace([(0, 1e9), (1, 9e9)], joined=False), 1e-7, 0), 2.0, 2, 1)
    assert drawn == {(0, 0), (2, 0)}


@given(st.lists(st.floats(0, 100), min_size=2, max_size=60))
def test_a_joined_line_has_a_dot_in_every_column_between_its_ends(values: list[float]) -> None:
    points = [(float(n), value) for n, value in enumerate(values)]
    drawn = dots(Curve(trace(points), 1.0, 0), float(len(values)), 10, 5)
    columns = sorted({x for x, _ in drawn})
    assert columns == list(range(columns[0], columns[-1] + 1))


def test_no_peak_between_two_dots_is_lost() -> None:
    points = [(n / 100, 100.0 if n == 573 else 0.0) for n in range(1000)]
    drawn = dots(Curve(trace(points), 1.0, 0), 10.0, 5, 4)
    assert min(y for _, y in drawn) == 0


def test_what_is_missing_is_blank_and_not_zero() -> None:
    points = [(0.0, 50.0), (1.0, np.nan), (2.0, 50.0)]
    drawn = dots(Curve(trace(points), 1.0, 0), 3.0, 3, 4)
    assert {x for x, _ in drawn} == {0, 4}


def test_a_source_that_was_lost_leaves_a_gap_in_the_chart() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.5}] * 5))
    watched.take(Lost("s", 5.0, "gone"))
    watched.take(Back("s", 20.0))
    watched.take(Reading("s", 20.0, {BUSY: 0.5}))
    watched.take(Reading("s", 21.0, {BUSY: 0.5}))
    view = View(watched, None)
    (shown,) = view.visible_lines()
    assert shown.line.key == Line("s", BUSY).key
    columns = {x for x, _ in dots(view.curves([shown])[0], 21.0, 21, 4)}
    assert not columns & set(range(10, 39))
    assert {0, 8, 40} <= columns


def test_the_later_curve_is_on_top() -> None:
    curves = [Curve(trace([(0, 50), (1, 50)]), 1.0, colour) for colour in (3, 5)]
    cells = plot(curves, 0.0, 1.0, 4, 3)
    assert {cell.colour for row in cells for cell in row} == {None, 5}


@pytest.mark.parametrize(
    ("at_s", "at"), [(0.0, 0), (5.0, 5), (10.0, 9), (-0.1, None), (10.1, None)]
)
def test_times_are_placed_in_their_column(at_s: float, at: int | None) -> None:
    assert place(at_s, 0.0, 10.0, 10) == at


def test_an_empty_trace_draws_nothing() -> None:
    empty = Trace(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.bool_))
    assert dots(Curve(empty, 1.0, 0), 1.0, 3, 3) == set()
