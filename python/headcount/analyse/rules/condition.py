"""Whether a condition holds in a window of a recording: yes, no, or undecided."""

import operator
from dataclasses import dataclass

import numpy as np

from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.least import counted, least
from headcount.analyse.rules.model import Condition
from headcount.analyse.rules.series import Frame
from headcount.analyse.rules.statistic import judge
from headcount.analyse.rules.units import factor
from headcount.counters.catalogue import lookup

Window = tuple[float, float]
_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


@dataclass(frozen=True, slots=True)
class Reading:
    """A figure beside its threshold.

    Attributes:
        leaf: The comparison.
        instance: The device or interface it is of; None for the whole machine.
        value: The figure, in `unit`.
        threshold: What it was compared with, in the same unit; None for a trend.
        unit: UCUM code.
        violating: Share of the samples beyond the threshold; for a trend 1 if there is one, else 0.
        count: Of a ratio, the mean of what it is of, in that counter's unit; None where the log
            lacks it, or for a figure that is no ratio.

    """

    leaf: Condition
    instance: str | None
    value: float | None
    threshold: float | None
    unit: str
    violating: float
    count: float | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a condition.

    Attributes:
        holds: None if undecided.
        readings: The figures that decided it: those that hold, if it holds.
        missing: Counters and facts that were absent.

    """

    holds: bool | None
    readings: tuple[Reading, ...] = ()
    missing: tuple[str, ...] = ()


def evaluate(condition: Condition, frame: Frame, facts: Facts, window: Window) -> Outcome:
    """Evaluate a condition. Absent counters leave it undecided, never true.

    Devices and interfaces are evaluated one by one if the condition says so or if the log has no
    total for them; one that meets the condition is then enough.
    """
    if condition.each or (condition.counter and frame.of(condition.counter) is None):
        instances = frame.instances(condition.counters())
        alone = [_one(condition, frame.only(one), facts, window) for one in instances]
        if alone:
            return _some(alone)
    return _one(condition, frame, facts, window)


def _one(condition: Condition, frame: Frame, facts: Facts, window: Window) -> Outcome:
    if condition.all:
        return _every([evaluate(part, frame, facts, window) for part in condition.all])
    if condition.any:
        return _some([evaluate(part, frame, facts, window) for part in condition.any])
    if condition.no is not None:
        inner = evaluate(condition.no, frame, facts, window)
        opposite = None if inner.holds is None else not inner.holds
        return Outcome(opposite, inner.readings, inner.missing)
    if condition.fact is not None:
        return _fact(condition, facts)
    return _counter(condition, frame, facts, window)


def unit_of(leaf: Condition) -> str:
    """The unit of the figure that a comparison is about."""
    if leaf.over is not None:
        return "1"
    known = lookup(leaf.counter or "")
    return known.unit if known else "1"


def threshold(leaf: Condition, facts: Facts) -> float | None:
    """The threshold in the figure's unit; None for a trend, or if a fact is missing."""
    if leaf.value is None:
        return None
    scale = {
        "absolute": 1.0,
        "memory": facts.memory_bytes,
        "cpus": facts.cpus,
        "spindles": facts.spindles,
    }[leaf.scale]
    if scale is None:
        return None
    to = "1" if leaf.scale == "memory" else unit_of(leaf)
    return leaf.value * factor(leaf.unit, to) * scale


def _every(parts: list[Outcome]) -> Outcome:
    missing = _missing(parts)
    readings = tuple(reading for part in parts for reading in part.readings)
    if any(part.holds is False for part in parts):
        return Outcome(False, readings, missing)
    return Outcome(None if any(part.holds is None for part in parts) else True, readings, missing)


def _some(parts: list[Outcome]) -> Outcome:
    """Any of several: absent ones are skipped as long as one can be evaluated."""
    judged = [part for part in parts if part.holds is not None]
    if not judged:
        return Outcome(None, missing=_missing(parts))
    holding = [part for part in judged if part.holds]
    readings = tuple(reading for part in holding or judged for reading in part.readings)
    return Outcome(bool(holding), readings)


def _missing(parts: list[Outcome]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in parts for name in part.missing))


def _fact(leaf: Condition, facts: Facts) -> Outcome:
    value = {"cpus": facts.cpus, "memory": facts.memory_bytes, "spindles": facts.spindles}[
        leaf.fact or "cpus"
    ]
    if value is None or leaf.value is None:
        return Outcome(None, missing=(f"number of {leaf.fact}",))
    wanted = leaf.value * factor(leaf.unit, "By" if leaf.fact == "memory" else "1")
    return Outcome(bool(_OPERATORS[leaf.op](value, wanted)))


def _counter(leaf: Condition, frame: Frame, facts: Facts, window: Window) -> Outcome:
    found = frame.of(leaf.counter or "", leaf.plus, leaf.over, counted(leaf))
    series = None if found is None else found.within(*window)
    if series is None or not len(series.at_s):
        return Outcome(None, missing=tuple(_absent(leaf, frame)))
    limit = threshold(leaf, facts)
    if limit is None and leaf.value is not None:
        return Outcome(None, missing=(f"number of {leaf.scale}",))
    judged = judge(series, leaf.is_, leaf.op, limit, least(leaf))
    count = None if series.count is None else float(np.nanmean(series.count))
    unit = unit_of(leaf)
    reading = Reading(leaf, series.instance, judged.value, limit, unit, judged.violating, count)
    return Outcome(judged.holds, (reading,))


def _absent(leaf: Condition, frame: Frame) -> list[str]:
    names = [name for name in (leaf.counter, *leaf.plus, leaf.over) if name is not None]
    return [name for name in names if frame.of(name) is None] or names
