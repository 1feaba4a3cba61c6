"""Levels resampled from their own seconds, for the confidence of a diagnosis."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from headcount.analyse.diagnosis.observation import Observation

BLOCK_S = 5
"""Length of a block: a second depends on those before it (Kuensch 1989)."""
LEAST = 8
"""A level with fewer seconds is not resampled."""
SEED = 20260101
"""Fixed, so that the same bundle gives the same diagnosis."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Seconds:
    """The measured seconds of a level: one row per second, one column per counter."""

    names: list[tuple[str, str]]
    values: Floats
    lengths: Floats
    completed: Floats
    service_s: Floats


def seconds_of(seconds: Sequence[Mapping[str, Any]]) -> dict[int, list[Mapping[str, Any]]]:
    """The measured seconds by level."""
    found: dict[int, list[Mapping[str, Any]]] = {}
    for second in seconds:
        if second.get("phase") == "steady":
            found.setdefault(second["level"], []).append(second)
    return found


def draws(
    observations: Sequence[Observation],
    measured: Mapping[int, Sequence[Mapping[str, Any]]],
    times: int,
) -> Iterator[list[Observation]]:
    """The levels, resampled `times` times; those with too few seconds stay the same."""
    rng = np.random.default_rng(SEED)
    tables = {
        o.index: _table(measured[o.index])
        for o in observations
        if len(measured.get(o.index, ())) >= LEAST
    }
    for _ in range(times):
        yield [_drawn(o, tables[o.index], rng) if o.index in tables else o for o in observations]


def singles(level: Observation, measured: Sequence[Mapping[str, Any]]) -> Iterator[Observation]:
    """Each second of a level as an observation of its own."""
    table = _table(measured)
    for row in range(len(measured)):
        weights = np.zeros(len(measured))
        weights[row] = 1.0
        yield _weighted(level, table, weights)


def _table(measured: Sequence[Mapping[str, Any]]) -> _Seconds:
    names = sorted(
        {
            (side, name)
            for second in measured
            for side, counters in second["counters"].items()
            for name in counters
        }
    )
    column = {name: index for index, name in enumerate(names)}
    values = np.full((len(measured), len(names)), np.nan)
    for row, second in enumerate(measured):
        for side, counters in second["counters"].items():
            for name, value in counters.items():
                values[row, column[side, name]] = value
    tallies = [list(second["scenarios"].values()) for second in measured]
    return _Seconds(
        names,
        values,
        np.array([second["seconds"] for second in measured]),
        np.array([sum(t["completed"] for t in each) for each in tallies], dtype=np.float64),
        np.array([sum(t["service_s"] for t in each) for each in tallies], dtype=np.float64),
    )


def _drawn(level: Observation, table: _Seconds, rng: np.random.Generator) -> Observation:
    rows = len(table.lengths)
    block = min(BLOCK_S, max(rows // 4, 1))
    starts = rng.integers(0, rows, size=-(-rows // block))
    drawn = (starts[:, None] + np.arange(block)).ravel()[:rows] % rows
    return _weighted(level, table, np.bincount(drawn, minlength=rows).astype(np.float64))


def _weighted(level: Observation, table: _Seconds, times: Floats) -> Observation:
    weights = times * table.lengths
    known = ~np.isnan(table.values)
    sums = weights @ np.where(known, table.values, 0.0)
    covered = weights @ known
    means: dict[str, dict[str, float]] = {side: {} for side in level.means}
    for (side, name), total, part in zip(table.names, sums, covered, strict=True):
        if part > 0:
            means.setdefault(side, {})[name] = float(total / part)
    for side, whole in level.means.items():
        for name, value in whole.items():
            means[side].setdefault(name, value)  # read too rarely to be in this draw
    completed, length = float(times @ table.completed), float(weights.sum())
    service_s = float(times @ table.service_s)
    return replace(
        level,
        means=means,
        per_s=completed / length if length else level.per_s,
        service_s=service_s / completed if completed else level.service_s,
    )
