"""The data of a page's interactive chart: numbers, names and units, no markup."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Unit = Literal["count", "rate", "ms", "share", "bytes", "s", "money", "nines"]
"""Format of an axis: a whole number, a rate, a duration in ms, a share from 0 to 1,
bytes per second, seconds, an amount of money, and a percentile's nines."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: its title, the format of its values, and whether it is logarithmic.

    `most` is the upper end if it is fixed, such as 1 for a share.
    """

    title: str
    unit: Unit
    log: bool = False
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """One line, or the marks of levels.

    Attributes:
        name: What it is called below the chart.
        style: Class that colours it, the same as in the drawing.
        points: Places on the x axis and values there, ascending.
        side: Which of the upright axes it is read from.
        draw: A line, or marks alone.
        dash: Whether the line is dashed.
        outcomes: What came of the level at each mark: a letter each, `p` passed, `f` failed, `i`
            invalid; empty if marks are not levels.
        intervals: The interval of the value at each mark, if it has one.
        square: Whether marks are squares, to distinguish them without colour.

    """

    name: str
    style: str
    points: Sequence[tuple[float, float]]
    side: Literal["left", "right"] = "left"
    draw: Literal["line", "marks"] = "line"
    dash: bool = False
    outcomes: str = ""
    intervals: Sequence[tuple[float, float] | None] = ()
    square: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """A line across the chart: a limit (`at` on the left axis) or a place on the x axis."""

    name: str
    style: str
    at: float
    upright: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """An interval on the x axis, such as the capacity's."""

    style: str
    low: float
    high: float | None


@dataclass(frozen=True, slots=True)
class Plot:
    """Everything the interactive chart shows.

    Attributes:
        x: The lower axis.
        left: The left axis.
        series: What is drawn; a line that only joins marks has a name ending in ` (line)`.
        right: The right axis, if anything is read from it.
        rules: Lines across.
        bands: Intervals.
        height: In pixels.
        below: Further panels over the same lower axis; theirs have none below them.

    """

    x: Axis
    left: Axis
    series: Sequence[Series]
    right: Axis | None = None
    rules: Sequence[Rule] = ()
    bands: Sequence[Band] = ()
    height: int = 340
    below: Sequence["Plot"] = ()


def plot_json(plot: Plot) -> str:
    """The plot as JSON with short keys, since only the page's own script reads it.

    Figures have five significant digits: more than a screen or a histogram resolves.
    """
    return json.dumps(_panel(plot), ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _panel(plot: Plot) -> dict[str, Any]:
    made: dict[str, Any] = {
        "h": plot.height,
        "below": [_panel(each) for each in plot.below],
        "x": _axis(plot.x),
        "l": _axis(plot.left),
        "s": [_series(each) for each in plot.series],
    }
    if plot.right is not None:
        made["r"] = _axis(plot.right)
    made["rules"] = [
        {"n": rule.name, "c": rule.style, "at": _short(rule.at), "v": rule.upright}
        for rule in plot.rules
    ]
    made["bands"] = [
        {"c": band.style, "a": _short(band.low), "b": _short(band.high)} for band in plot.bands
    ]
    return made


def _axis(axis: Axis) -> Mapping[str, Any]:
    return {"t": axis.title, "u": axis.unit, "log": axis.log, "m": axis.most}


def _series(series: Series) -> dict[str, Any]:
    known = [(x, y) for x, y in series.points if math.isfinite(x) and math.isfinite(y)]
    texts: dict[str, Any] = {"sq": True} if series.square else {}
    texts |= {"o": series.outcomes} if len(series.outcomes) == len(known) else {}
    if any(series.intervals) and len(series.intervals) == len(known):
        texts["w"] = [ends and [_short(end) for end in ends] for ends in series.intervals]
    return texts | {
        "n": series.name,
        "c": series.style,
        "x": [_short(x) for x, _ in known],
        "y": [_short(y) for _, y in known],
        "r": series.side == "right",
        "d": series.draw,
        "dash": series.dash,
    }


def _short(value: float | None) -> float | int | None:
    if value is None:
        return None
    rounded = float(f"{value:.5g}") if abs(value) < 1e5 else float(round(value))
    return int(rounded) if rounded == int(rounded) else rounded
