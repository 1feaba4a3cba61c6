"""How the samples of a window are evaluated: consistently, on average, ever, or by trend."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.analyse.rules.model import Operator, Statistic
from headcount.analyse.rules.series import Series

CONSISTENT_SHARE = 0.8
"""Share of a window's samples that must violate a threshold, with their mean violating it too, for
"consistently". The papers of 1998 use the word without a number; this one is our choice."""

TREND_SAMPLES = 6
"""Fewer samples show no trend. Our choice."""

TREND_CORRELATION = 0.5
"""Least rank correlation (Spearman) of a trend with time. Our choice."""

TREND_CHANGE = 0.2
"""Least change from the first third of a window to the last, as a share of the first. Our
choice."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One series in one window.

    Attributes:
        holds: Whether the comparison holds; None if there are too few samples.
        value: The figure that was compared: the mean, the largest, ...; None without one.
        violating: Share of the samples beyond the threshold; for a trend 1 if there is one, else 0.

    """

    holds: bool | None
    value: float | None
    violating: float


def beyond(series: Series, op: Operator, threshold: float, least: float = 0.0) -> NDArray[np.bool_]:
    """Which samples are beyond the threshold; one with less than the least count never is."""
    mask = _compared(series.values(), op, threshold)
    return mask if series.count is None else mask & (series.count >= least)


def judge(
    series: Series, how: Statistic, op: Operator, threshold: float | None, least: float = 0.0
) -> Judged:
    """Judge one series, which must have samples; `threshold` is None for a trend alone.

    A ratio whose base is less than ``least`` on average does not hold: a share of next to nothing
    is large by chance.
    """
    if series.count is not None and (
        np.nanmean(series.count) < least or not np.isfinite(series.above).any()
    ):
        return Judged(False, _figure(series), 0.0)
    if how in {"rises", "falls"} or threshold is None:
        trend = _is_trend(series, 1 if how == "rises" else -1)
        return Judged(trend, series.mean(), float(bool(trend)))
    mask = beyond(series, op, threshold, least)
    violating = float(mask.mean())
    values = series.values()
    if series.count is not None:
        values = values[(series.count >= least) & np.isfinite(values)]
    if how == "consistently":
        mean = series.mean()
        holds = violating >= CONSISTENT_SHARE and _one(mean, op, threshold)
        return Judged(holds, mean, violating)
    if how == "mean":
        value = series.mean()
    elif how == "last":
        value = float(values[-1])
    else:
        value = float(values.max() if how == "max" else values.min())
    return Judged(_one(value, op, threshold), value, violating)


def _figure(series: Series) -> float | None:
    """The mean of the existing values; None if there are none, or over nothing."""
    mean = series.mean()
    return mean if np.isfinite(mean) else None


def _is_trend(series: Series, direction: int) -> bool | None:
    """Whether it rises (1) or falls (-1) throughout the window."""
    values = series.values()
    values = values[np.isfinite(values)]
    if len(values) < TREND_SAMPLES:
        return None
    if np.ptp(values) == 0:
        return False
    third = len(values) // 3
    first, last = float(values[:third].mean()), float(values[-third:].mean())
    change = direction * (last - first)
    rank = float(np.corrcoef(np.arange(len(values)), _ranks(values))[0, 1])
    return bool(change >= TREND_CHANGE * abs(first) > 0 or (first == 0 and change > 0)) and bool(
        direction * rank >= TREND_CORRELATION
    )


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rank of each value from 1; ties get their mean rank, as in `scipy.stats.rankdata`.

    Loading SciPy takes longer than judging a log, and a fifth of its memory.
    """
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return ranks[places]


def _compared(values: NDArray[np.float64], op: Operator, threshold: float) -> NDArray[np.bool_]:
    if op == ">":
        return values > threshold
    if op == ">=":
        return values >= threshold
    return values < threshold if op == "<" else values <= threshold


def _one(value: float, op: Operator, threshold: float) -> bool:
    return bool(_compared(np.array([value]), op, threshold)[0])
