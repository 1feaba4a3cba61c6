"""One figure for a grid: ours, because ThreadMark's weights were not published."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from headcount.analyse import batches
from headcount.analyse.score import harmonic_mean
from headcount.disk.cell import Cell
from headcount.disk.grid import PATTERNS, PRESETS
from headcount.disk.result import Figures
from headcount.errors import InputError
from headcount.fields import units

FORMULA = "sum(w) / sum(w / x) over the cells' throughputs x in MB/s"
_NORMAL_95 = 1.959963984540054
"""Quantile of the normal distribution: many cells, so Student's t is not needed."""


@dataclass(frozen=True)
class Score:
    """The weighted harmonic mean of the cells' throughputs, in MB/s."""

    value_mb_per_s: float
    interval_mb_per_s: tuple[float, float] | None
    cells: int
    formula: str = FORMULA

    def as_json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)


def score(measured: Sequence[Figures], weights: Sequence[float]) -> Score | None:
    """The score of the cells with a weight above 0; None if there are none.

    Its interval is that of a function of independent estimates, to first order (the delta method):
    the harmonic mean H has the derivative w H^2 / (W x^2) in a cell's x. Cells are measured one
    after the other, which makes them independent.
    """
    counted = [(one, w) for one, w in zip(measured, weights, strict=True) if w > 0]
    if not counted:
        return None
    rates = [one.mb_per_s for one, _ in counted]
    value = harmonic_mean(rates, [weight for _, weight in counted])
    return Score(value, _interval(counted, value), len(counted))


def _interval(counted: Sequence[tuple[Figures, float]], value: float) -> tuple[float, float] | None:
    total = sum(weight for _, weight in counted)
    variance = 0.0
    for one, weight in counted:
        error = batches.standard_error(one.batches_mb_per_s)
        if error is None or one.mb_per_s <= 0:
            return None
        variance += (weight / total * (value / one.mb_per_s) ** 2 * error) ** 2
    half = _NORMAL_95 * math.sqrt(variance)
    return max(value - half, 0.0), value + half


def weights(cells: Sequence[Cell], written: Sequence[str]) -> list[float]:
    """The weight of each cell: the product of the numbers written for it, 1 if there are none.

    They are written as `KEY=NUMBER`; the key is a pattern (`random-read`), a block size (`4KiB`), a
    number of threads (`threads4`) or a depth (`depth8`). Raises InputError for anything else.
    """
    factors = [_factor(text) for text in written]
    for (key, _), text in zip(factors, written, strict=True):
        if not any(key in _keys(cell) for cell in cells):
            raise InputError(f"--weight {text} matches no measured cell")
    return [math.prod(factor for key, factor in factors if key in _keys(cell)) for cell in cells]


def _factor(text: str) -> tuple[str, float]:
    key, equals, number = text.partition("=")
    key = key.strip()
    wrong = (
        f'--weight is "{text}"; write it like random-read=2, 4KiB=0.5, threads4=3 or depth8=0 '
        "(0 leaves the cells out of the score)"
    )
    if not equals or not re.fullmatch(r"\d+(\.\d+)?", number.strip()):
        raise InputError(wrong)
    known = key in PATTERNS or key in PRESETS or re.fullmatch(r"(threads|depth)\d+", key)
    if known:
        return key, float(number)
    try:
        return f"{units.size_bytes(key)}B", float(number)
    except InputError:
        raise InputError(wrong) from None


def _keys(cell: Cell) -> set[str]:
    keys = {cell.pattern.name, f"threads{cell.threads}", f"depth{cell.depth}"}
    if len(cell.blocks) == 1:
        keys.add(f"{cell.blocks[0].size_bytes}B")
    return keys


def unequal_weights(cells: Sequence[Cell], given: Sequence[float]) -> Mapping[str, float]:
    """The weights that are not 1, by the name of their cell."""
    return {cell.name: w for cell, w in zip(cells, given, strict=True) if w != 1}
