"""Condenses the samples of a level's steady state to one line of figures per counter."""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from headcount.counters.source import Sample

MOST_VALUES = 3600
"""Most values of a counter kept for its percentile; with more, every second one is dropped."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One counter over a window, in the counter's own unit.

    Attributes:
        mean: Weighted by the time each sample covers, so that the mean of a rate is exactly what
            was counted over the time it took, however unevenly the samples came.
        p95: 95th percentile of the samples, interpolated linearly (type 7 of Hyndman and Fan,
            "Sample Quantiles in Statistical Packages", The American Statistician 50(4), 1996);
            of more than an hour that of evenly spaced ones.
        maximum: Largest sample.
        last: Latest sample.
        samples: Samples that had this counter.

    """

    mean: float
    p95: float
    maximum: float
    last: float
    samples: int


@dataclass(slots=True)
class _Counter:
    """One counter so far."""

    weighted: float = 0.0
    """The sum of the values, each times the seconds it covers, without the first of the source."""
    covered_s: float = 0.0
    first: float | None = None
    total: float = 0.0
    maximum: float = float("-inf")
    last: float = 0.0
    samples: int = 0
    every: int = 1
    """One of this many samples is kept in `values`."""
    values: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, value: float, covers_s: float | None) -> None:
        """Add a sample; `covers_s` is None for the first of a source: its time is not known yet."""
        if covers_s is None:
            self.first = value
        else:
            self.weighted += value * covers_s
            self.covered_s += covers_s
        if self.samples % self.every == 0:
            self.values.append(value)
            if len(self.values) > MOST_VALUES:
                self.values, self.every = self.values[::2], 2 * self.every
        self.total += value
        self.maximum = max(self.maximum, value)
        self.last = value
        self.samples += 1

    def summary(self, usual_s: float) -> Summary:
        """The summary; a source's first sample covers as much as its others do on average."""
        weighted, covered_s = self.weighted, self.covered_s
        if self.first is not None:
            weighted, covered_s = weighted + self.first * usual_s, covered_s + usual_s
        return Summary(
            mean=weighted / covered_s if covered_s else self.total / self.samples,
            p95=float(np.percentile(self.values, 95, method="linear")),
            maximum=self.maximum,
            last=self.last,
            samples=self.samples,
        )


class Summaries:
    """Summarises the counters of one source over a window, sample by sample."""

    def __init__(self) -> None:
        """No sample yet."""
        self._counters: dict[str, _Counter] = {}
        self._first_s: float | None = None
        self._last_s = 0.0
        self._samples = 0

    def add(self, sample: Sample) -> None:
        """Add the next sample of the source."""
        covers_s = None if self._first_s is None else sample.at_s - self._last_s
        for name, value in sample.values.items():
            counter = self._counters.get(name)
            if counter is None:
                counter = self._counters[name] = _Counter()
            counter.add(value, covers_s)
        self._first_s = sample.at_s if self._first_s is None else self._first_s
        self._last_s = sample.at_s
        self._samples += 1

    def summaries(self) -> dict[str, Summary]:
        """The summary of each counter that was in a sample."""
        gaps = self._samples - 1
        total_s = self._last_s - (self._first_s or 0.0)
        usual_s = total_s / gaps if gaps > 0 and total_s > 0 else 1.0
        return {name: counter.summary(usual_s) for name, counter in self._counters.items()}


def summarise(samples: Iterable[Sample]) -> dict[str, Summary]:
    """Summarise each counter of the samples of one source, given in order of time."""
    found = Summaries()
    for sample in samples:
        found.add(sample)
    return found.summaries()
