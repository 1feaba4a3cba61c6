"""Condensing the samples of a level's steady state: one line of figures for each counter."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from headcount.counters.source import Sample


@dataclass(frozen=True, slots=True)
class Summary:
    """One counter over a window, in the counter's own unit.

    Attributes:
        mean: Weighted by the time each sample covers, so that the mean of a rate is exactly what
            was counted over the time it took, however unevenly the samples came.
        p95: 95th percentile of the samples, interpolated linearly (type 7 of Hyndman and Fan,
            "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996).
        maximum: Largest sample.
        last: Latest sample.
        samples: Samples that had this counter.

    """

    mean: float
    p95: float
    maximum: float
    last: float
    samples: int


def samples_within(samples: Sequence[Sample], start_s: float, end_s: float) -> list[Sample]:
    """Return the samples that lie in a window with all the time they cover, in order of time.

    A rate covers the time since the sample before, so the first sample after ``start_s`` still
    covers what was before it and is left out; it is kept for a window begun by the very first
    sample, which has no rates.
    """
    kept = []
    covered_from_s = float("inf")
    for sample in samples:
        covered_from_s = min(covered_from_s, sample.at_s)
        if covered_from_s >= start_s and sample.at_s <= end_s:
            kept.append(sample)
        covered_from_s = sample.at_s
    return kept


def summarise(
    samples: Sequence[Sample], start_s: float | None = None, end_s: float | None = None
) -> dict[str, Summary]:
    """Summarise each counter of one source; a counter in no sample is absent.

    Args:
        samples: Samples of one source in order of time. To weigh the first one rightly, give those
            before the window too and let ``start_s`` cut.
        start_s: Begin of the steady window on the samples' clock; None for no cut.
        end_s: End of the window; None for no cut.

    """
    ordered = sorted(samples, key=lambda sample: sample.at_s)
    covers_s = _covers(ordered)
    start_s = float("-inf") if start_s is None else start_s
    end_s = float("inf") if end_s is None else end_s
    series: dict[str, list[tuple[float, float]]] = {}
    for sample in samples_within(ordered, start_s, end_s):
        for name, value in sample.values.items():
            series.setdefault(name, []).append((value, covers_s[sample.at_s]))
    return {name: _summarise(points) for name, points in series.items()}


def _covers(samples: Sequence[Sample]) -> dict[float, float]:
    """Return the time each sample covers, by its moment; the first as much as the mean of all."""
    gaps = {later.at_s: later.at_s - earlier.at_s for earlier, later in pairwise(samples)}
    if samples:
        total_s = sum(gaps.values())
        gaps.setdefault(samples[0].at_s, total_s / len(gaps) if total_s else 1.0)
    return gaps


def _summarise(points: Iterable[tuple[float, float]]) -> Summary:
    values, weights = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
    return Summary(
        mean=float(np.average(values, weights=weights if weights.any() else None)),
        p95=float(np.percentile(values, 95, method="linear")),
        maximum=float(values.max()),
        last=float(values[-1]),
        samples=len(values),
    )
