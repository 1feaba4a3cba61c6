"""Lines of counters over time as a grid of characters, eight dots in each (braille)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from headcount.live.history import Trace
from headcount.live.scale import AXIS

DOTS_WIDE, DOTS_HIGH = 2, 4
"""Dots of a braille character."""
_BRAILLE = 0x2800
_BITS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot, by row and column (Unicode, Braille Patterns)."""


@dataclass(frozen=True, slots=True)
class Curve:
    """One line.

    Attributes:
        factor: What values are multiplied by to fit the axis.
        colour: Number of its colour.

    """

    trace: Trace
    factor: float
    colour: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One character, and the colour of the last line drawn in it."""

    character: str = " "
    colour: int | None = None


@dataclass(frozen=True, slots=True)
class _Column:
    """The extent of a line in one column of dots, in dots from the top.

    Attributes:
        linked: Whether nothing is missing between it and the column before.

    """

    x: int
    first: int
    last: int
    top: int
    bottom: int
    linked: bool


def plot(
    curves: Sequence[Curve], start_s: float, end_s: float, width: int, height: int
) -> list[list[Cell]]:
    """Draw lines from one moment to another; later ones over earlier ones.

    All samples in one column of dots are drawn, so that no peak is lost. Missing samples leave a
    blank. Values beyond the axis are drawn at its end.
    """
    dots = np.zeros((height, width), dtype=np.int16)
    colours = np.full((height, width), -1, dtype=np.int16)
    for curve in curves:
        for x, top, bottom in _strokes(curve, start_s, end_s, width, height):
            for y in range(top, bottom + 1):
                row, column = y // DOTS_HIGH, x // DOTS_WIDE
                dots[row, column] |= _BITS[y % DOTS_HIGH][x % DOTS_WIDE]
                colours[row, column] = curve.colour
    return [
        [
            Cell(chr(_BRAILLE + int(bits)), int(colour)) if bits else Cell()
            for bits, colour in zip(*row, strict=True)
        ]
        for row in zip(dots, colours, strict=True)
    ]


def place(at_s: float, start_s: float, end_s: float, width: int) -> int | None:
    """The column of a moment, in characters; None if outside."""
    if not start_s <= at_s <= end_s or end_s <= start_s:
        return None
    return min(int((at_s - start_s) / (end_s - start_s) * width), width - 1)


def _strokes(
    curve: Curve, start_s: float, end_s: float, width: int, height: int
) -> Iterator[tuple[int, int, int]]:
    """Vertical strokes of a line: column of dots, top and bottom dot."""
    columns = _columns(curve, start_s, end_s, width * DOTS_WIDE, height * DOTS_HIGH)
    for column in columns:
        yield column.x, column.top, column.bottom
    for before, after in pairwise(columns):
        if after.linked:
            yield from _link(before.x, before.last, after.x, after.first)


def _link(x0: int, y0: int, x1: int, y1: int) -> Iterator[tuple[int, int, int]]:
    """A straight line between two dots, as a stroke for each column."""
    wide = x1 - x0
    for x in range(x0, x1 + 1):
        begin = y0 + (y1 - y0) * max(x - x0 - 0.5, 0) / wide
        end = y0 + (y1 - y0) * min(x - x0 + 0.5, wide) / wide
        low, high = sorted((round(begin), round(end)))
        yield x, low, high


def _columns(curve: Curve, start_s: float, end_s: float, wide: int, high: int) -> list[_Column]:
    trace = curve.trace
    known = np.isfinite(trace.values)
    linked = trace.joined & known & np.concatenate(([False], known[:-1]))
    linked = linked[known]
    if end_s <= start_s or not known.any():
        return []
    x = ((trace.at_s[known] - start_s) / (end_s - start_s) * wide).astype(np.int64)
    level = np.clip(trace.values[known] * curve.factor / AXIS, 0.0, 1.0)
    y = np.rint((1.0 - level) * (high - 1)).astype(np.int64)
    inside = (x >= 0) & (x <= wide)
    x, y, linked = np.minimum(x[inside], wide - 1), y[inside], linked[inside]
    if not len(x):
        return []
    begins = np.flatnonzero(np.diff(x, prepend=-1))
    ends = np.append(begins[1:], len(x)) - 1
    tops, bottoms = np.minimum.reduceat(y, begins), np.maximum.reduceat(y, begins)
    return [
        _Column(int(x[b]), int(y[b]), int(y[e]), int(top), int(bottom), bool(linked[b]))
        for b, e, top, bottom in zip(begins, ends, tops, bottoms, strict=True)
    ]
