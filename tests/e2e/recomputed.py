"""The figures of a level, worked out again from what the bundle keeps of each second.

An oracle: from the lines of `series.ndjson` and the histogram log alone, the log being read by
PyPI's hdrhistogram, with none of Headcount's own code.
"""

import json
import math
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader

LONGEST_US = 3_600_000_000
RESOLUTION = 2e-3
"""Twice that of a histogram with three digits: both sides may round."""


def new_histogram() -> HdrHistogram:
    return HdrHistogram(1, LONGEST_US, 3)


def read_log(path: Path) -> list[tuple[str, float, HdrHistogram]]:
    """Every interval of a log: tag, start in seconds, histogram."""
    reader = HistogramLogReader(str(path), new_histogram())
    found = []
    while (histogram := reader.get_next_interval_histogram()) is not None:
        start_s = histogram.get_start_time_stamp() / 1000 - reader.get_start_time_sec()
        found.append((histogram.get_tag(), start_s, histogram))
    reader.close()
    return found


def read_series(bundle: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (bundle / "series.ndjson").read_bytes().splitlines()]


def above(histogram: HdrHistogram, limit_us: float) -> int:
    """How many values are greater than a limit."""
    return sum(
        item.count_added_in_this_iter_step
        for item in histogram.get_recorded_iterator()
        if item.value_iterated_to > limit_us
    )


def value_at(histogram: HdrHistogram, share: float) -> float:
    """The smallest value, in ms, that at least this share of the values does not exceed.

    As HdrHistogram itself defines it; PyPI's version of `get_value_at_percentile` rounds the share
    to whole values instead, which among few values is another one.
    """
    wanted = math.ceil(share * histogram.get_total_count() - 1e-9)
    below = 0
    for item in histogram.get_recorded_iterator():
        below += item.count_added_in_this_iter_step
        if below >= wanted:
            return float(item.value_iterated_to / 1000)
    raise AssertionError(f"{histogram} has no {wanted} values")


@dataclass
class Steady:
    """The steady part of one level."""

    bundle: Path
    level: int

    def __post_init__(self) -> None:
        series = read_series(self.bundle)
        places = [
            index
            for index, second in enumerate(series)
            if (second["level"], second["phase"]) == (self.level, "steady")
        ]
        self.seconds = series[places[0] : places[-1] + 1]
        assert all(second["phase"] == "steady" for second in self.seconds)
        self.before = series[places[0] - 1]
        self.earlier = [s for s in series[: places[0]] if s["level"] == self.level]
        self.log = read_log(self.bundle / "histograms.hlog")
        self.names = list(self.before["scenarios"])

    @property
    def length_s(self) -> float:
        first = self.seconds[0]
        return float(self.seconds[-1]["t_s"] - first["t_s"] + first["seconds"])

    def phase_s(self, name: str) -> float:
        return float(sum(s["seconds"] for s in self.earlier if s["phase"] == name))

    def histogram(self, kind: str, names: list[str], seconds: Any = None) -> HdrHistogram:
        """All durations of a kind, merged."""
        starts = [s["t_s"] - s["seconds"] for s in seconds or self.seconds]
        tags = {f"{kind}/{name}" if name else kind for name in names}
        merged = new_histogram()
        for tag, start_s, histogram in self.log:
            if tag in tags and any(abs(start_s - start) < 0.002 for start in starts):
                merged.add(histogram)
        return merged

    def sum(self, key: str, names: list[str], kind: str = "scenarios") -> float:
        return float(sum(s[kind][name][key] for s in self.seconds for name in names))

    def at_ends(self, key: str, names: list[str]) -> float:
        """By how much something waiting has grown from the beginning to the end."""
        last, before = self.seconds[-1], self.before
        grown = sum(last["scenarios"][n][key] - before["scenarios"][n][key] for n in names)
        backlog = {"pending_s": "backlog_s", "overdue": "backlog_overdue"}[key]
        return float(grown + (last[backlog] - before[backlog] if names == self.names else 0))

    def unanswered(self, names: list[str], limit_us: float, second: dict[str, Any]) -> int:
        waiting = above(self.histogram("pending", names, [second]), limit_us)
        if names == self.names:
            waiting += above(self.histogram("backlog", [""], [second]), limit_us)
        return waiting

    def slower(self, names: list[str], limit_us: float) -> tuple[int, int]:
        crossed = self.unanswered(names, limit_us, self.seconds[-1])
        crossed -= self.unanswered(names, limit_us, self.before)
        failed, completed = self.sum("failed", names), self.sum("completed", names)
        bad = above(self.histogram("response", names), limit_us) + failed + crossed
        return int(bad), int(completed + failed + crossed)

    def due(self, names: list[str]) -> int:
        started = self.sum("started", names)
        if names == self.names:
            started += self.seconds[-1]["backlog"] - self.before["backlog"]
        return int(started)

    def waited_s(self, names: list[str]) -> float:
        return self.sum("response_s", names) + self.at_ends("pending_s", names)

    def criterion(self, text: str) -> tuple[float | None, int | None, int | None]:
        """The value of a criterion, and how many out of how many broke its limit."""
        scenario, metric, percentile, limit = criterion_parts(text)
        names = [scenario] if scenario else self.names
        completed, failed = self.sum("completed", names), self.sum("failed", names)
        if metric == "mean":
            mean_ms = self.histogram("response", names).get_mean_value() / 1000
            return max(self.waited_s(names) * 1000 / (completed + failed), mean_ms), None, None
        if metric == "achieved":
            due = self.due(names)
            missing = max(int(due - completed), 0)
            return 1 - missing / due, missing, due
        if metric == "errors":
            return failed / (completed + failed), int(failed), int(completed + failed)
        if metric == "overload":
            crossed = self.at_ends("overdue", names)
            bad, total = self.sum("overloaded", names) + crossed, completed + failed + crossed
            return bad / total, int(bad), int(total)
        bad, total = self.slower(names, limit * 1e6)
        merged = self.histogram("response", names)
        return value_at(merged, percentile / 100), bad, total

    def counters(self, side: str) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for second in self.seconds:
            for name, value in second["counters"].get(side, {}).items():
                found.setdefault(name, []).append(value)
        return found


def criterion_parts(text: str) -> tuple[str, str, float, float]:
    """A criterion's scenario, metric, percentile and limit (s, or a share)."""
    match = re.fullmatch(r"(?:([\w.-]+):)?(p)?([\w.]+?)(?:<=|<|>=|>)([\d.]+)(ms|s|%)", text)
    assert match, text
    limit = float(match[4]) * {"ms": 1e-3, "s": 1.0, "%": 0.01}[match[5]]
    if match[2]:
        return match[1] or "", "percentile", float(match[3]), limit
    return match[1] or "", match[3], 0.0, limit


def percentile(values: list[float], share: float) -> float:
    """Interpolated linearly between the ordered values."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    gaps = [later - earlier for earlier, later in pairwise(ordered)]
    return ordered[below] + (place - below) * gaps[below] if below < len(gaps) else ordered[-1]
