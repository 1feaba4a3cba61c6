"""Whether a level was in steady state: tested, not assumed."""

import math
from collections.abc import Sequence

from headcount.analyse.statistics.drift import drift
from headcount.analyse.statistics.ranks import mann_whitney
from headcount.bundle.level import Steadiness
from headcount.text import percent

BLOCK = 5
"""Seconds averaged into one value before the test: the 5 of MSER-5."""
FEWEST_BLOCKS = 6
"""Fewer values than this say nothing about a transient."""
DRIFT_P = 0.01
DRIFT_SHARE = 0.05
"""A trend counts if it is significant at 1% and moves the series by 5% over the level: smaller
ones do not matter and cannot be told from noise."""


def steadiness(
    response_ms: Sequence[float], rate_per_s: Sequence[float], length_s: float = 1.0
) -> Steadiness:
    """Test the mean response times and throughputs of the measured part of a level.

    Values are per second, or per stretch of `length_s`.

    Both series go through MSER-5; if the best cut lies in the second half, the level never settled.
    Both are then tested for a trend.
    """
    reasons = []
    cut_s = 0.0
    for name, series in (("response time", response_ms), ("throughput", rate_per_s)):
        blocks = _blocks(series)
        if len(blocks) < FEWEST_BLOCKS:
            continue
        cut = mser(blocks)
        cut_s = max(cut_s, cut * BLOCK * length_s)
        settled = round(cut * BLOCK * length_s)
        moved = trend(blocks)
        if moved is not None:
            word = "rose" if moved > 0 else "fell"
            reasons.append(f"{name} {word} by {percent(abs(moved))} while it was measured")
        elif cut > len(blocks) // 2 and name == "response time" and _jumped(blocks, cut):
            reasons.append(f"{name} settled only {settled} s into the measured part")
    return Steadiness(steady=not reasons, settled_after_s=cut_s, reasons=reasons)


def mser(blocks: Sequence[float]) -> int:
    """How many leading values to cut so that the rest has the smallest standard error.

    MSER (White, An effective truncation heuristic, Simulation 69(6), 1997): the d that minimises
    the sum of squares about the mean of what remains, divided by its number squared. The last five
    values are never the whole remainder, because the estimate is only noise there.
    """
    best, best_cut = math.inf, 0
    for cut in range(max(len(blocks) - 5, 1)):
        rest = blocks[cut:]
        mean = sum(rest) / len(rest)
        score = sum((value - mean) ** 2 for value in rest) / len(rest) ** 2
        if score < best:
            best, best_cut = score, cut
    return best_cut


def trend(blocks: Sequence[float]) -> float | None:
    """The relative change over the series if it has a trend, else None.

    Mann-Kendall test with Sen's slope.
    """
    found = drift(blocks)
    return found.moved if found is not None and found.counts(DRIFT_P, DRIFT_SHARE) else None


def _blocks(series: Sequence[float]) -> list[float]:
    whole = len(series) // BLOCK
    return [sum(series[i * BLOCK : (i + 1) * BLOCK]) / BLOCK for i in range(whole)]


def _jumped(blocks: Sequence[float], cut: int) -> bool:
    """Whether the part that was cut differs from the rest by more than the luck of the minimum."""
    before, after = blocks[:cut], blocks[cut:]
    if len(after) < 3:
        return False
    p = mann_whitney(before, after)
    low, high = sorted((sum(before) / len(before), sum(after) / len(after)))
    return p < DRIFT_P and low > 0 and high / low > 1 + DRIFT_SHARE
