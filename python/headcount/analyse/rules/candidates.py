"""Which of many windows a condition may hold in, found all at once; the others need no closer look.

A log of days has thousands of windows. Evaluating every rule in each took most of the time.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from headcount.analyse.rules.condition import Window, threshold
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.least import counted, least
from headcount.analyse.rules.model import Condition
from headcount.analyse.rules.series import Frame
from headcount.analyse.rules.statistic import CONSISTENT_SHARE, beyond

Mask = NDArray[np.bool_]


def candidates(
    condition: Condition, frame: Frame, facts: Facts, windows: Sequence[Window]
) -> list[Window]:
    """The windows in which a condition may hold; it does not hold in any other."""
    if not windows:
        return []
    edges = np.array(windows)
    may = _may_hold(condition, frame, facts, edges)
    return [window for window, may_hold in zip(windows, may.tolist(), strict=True) if may_hold]


def _may_hold(condition: Condition, frame: Frame, facts: Facts, edges: NDArray[np.float64]) -> Mask:
    parts = condition.all or condition.any
    if parts:
        masks = [_may_hold(part, frame, facts, edges) for part in parts]
        join = np.logical_and if condition.all else np.logical_or
        found: Mask = join.reduce(masks)
        return found
    everywhere = np.ones(len(edges), dtype=np.bool_)
    limit = threshold(condition, facts)
    if condition.counter is None or condition.is_ in {"rises", "falls"} or limit is None:
        return everywhere  # facts, negations, trends
    views = [frame, *(frame.only(one) for one in frame.instances(condition.counters()))]
    found = ~everywhere
    for view in views:
        found |= _leaf(condition, view, limit, edges)
    return found


def _leaf(leaf: Condition, frame: Frame, limit: float, edges: NDArray[np.float64]) -> Mask:
    """For `consistently`, in the required share of samples; otherwise, in any sample at all."""
    series = frame.of(leaf.counter or "", leaf.plus, leaf.over, counted(leaf))
    if series is None:
        return np.zeros(len(edges), dtype=np.bool_)
    consistently = leaf.is_ == "consistently"
    mask = beyond(series, leaf.op, limit, least(leaf) if consistently else 0.0)
    first = np.searchsorted(series.at_s, edges[:, 0], "left")
    after = np.searchsorted(series.at_s, edges[:, 1], "right")
    counts = np.concatenate(([0], np.cumsum(mask)))
    beyond_it = counts[after] - counts[first]
    if consistently:
        enough: Mask = beyond_it >= CONSISTENT_SHARE * (after - first) - 1e-6
        return enough & (after > first)
    some: Mask = beyond_it > 0
    return some
