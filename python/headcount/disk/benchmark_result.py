"""The result of a disk benchmark, for people and programs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from headcount.disk.place import Place
from headcount.disk.result import Figures, mean_busy
from headcount.disk.score import Score
from headcount.disk.settings import Settings
from headcount.text import count, duration, share, significant

NOT_A_PREDICTION = (
    "A disk benchmark does not predict an application: in the paper this re-creates, the disks "
    "that gained most in ThreadMark gained least in the sort they were meant to speed up."
)
OURS = (
    "Re-creates what ThreadMark 2.0 reported: throughput and CPU use. Its grid and weights were "
    "not published; cells, weights and score are ours. This is not a ThreadMark score."
)


@dataclass(frozen=True)
class BenchmarkResult:
    """Everything that was measured, and what it means."""

    settings: Settings
    place: Place
    processors: int
    measured: Sequence[Figures]
    weights: Sequence[float]
    score: Score | None
    doubts: Sequence[str]
    complete: bool

    def as_json(self) -> dict[str, Any]:
        """The result for programs: all figures, and what a reader must know."""
        pairs = zip(self.measured, self.weights, strict=False)
        return {
            "schema_version": 1,
            "complete": self.complete,
            "score": self.score.as_json() if self.score else None,
            "cpu_machine_mean": mean_busy(self.measured),
            "settings": self.settings.as_json(),
            "place": self.place.as_json(),
            "processors": self.processors,
            "cells": [one.as_json(weight) for one, weight in pairs],
            "doubts": list(self.doubts),
            "notes": [OURS, NOT_A_PREDICTION],
        }

    @property
    def headline(self) -> str:
        """The score in a sentence, or why there is none."""
        if not self.complete:
            return f"No score: only {count(len(self.measured))} cells were measured."
        if self.score is None:
            return "No score: no cell has a weight."
        interval = self.score.interval_mb_per_s
        sure = ""
        if interval:
            low, high = (significant(bound) for bound in interval)
            sure = f" (95% confidence interval {low} to {high})"
        busy = share(mean_busy(self.measured))
        return (
            f"{significant(self.score.value_mb_per_s)} MB/s{sure}: the weighted harmonic mean of "
            f"{count(self.score.cells)} cells, at {busy} CPU of the machine on average."
        )


COLUMNS = {
    "block": 7,
    "threads": 7,
    "depth": 5,
    "MB/s": 6,
    "\N{PLUS-MINUS SIGN}": 5,
    "IOPS": 7,
    "mean": 7,
    "p99": 7,
    "CPU": 5,
    "CPU/IO": 7,
}
"""The columns of the table and their least widths, together no wider than a terminal: throughput
and half its interval, latency, CPU of the machine, and CPU of this process for an I/O."""


def row(one: Figures) -> list[str]:
    """The figures of a cell, in the order of COLUMNS."""
    interval = one.interval_mb_per_s
    half = (interval[1] - one.mb_per_s) / one.mb_per_s if interval and one.ios else None
    per_io_us = one.cpu_us_per_io
    return [
        one.cell.block_text,
        str(one.cell.threads),
        str(one.cell.depth),
        significant(one.mb_per_s),
        share(half),
        count(one.iops),
        duration(one.latency_us["mean"] / 1000),
        duration(one.latency_us["p99"] / 1000),
        share(one.machine_busy),
        duration(None if per_io_us is None else per_io_us / 1000),
    ]
