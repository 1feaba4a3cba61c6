"""A run prepared for prediction: its levels as points, its resources, what was measured."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.analyse.diagnosis.observation import Observation, observe
from headcount.analyse.diagnosis.resample import seconds_of
from headcount.analyse.prediction import criterion as criteria
from headcount.analyse.prediction.point import Point, measured_capacity, point, think
from headcount.analyse.prediction.resource import Resource, resources
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.plan.criteria import Criterion
from headcount.text import percent, plural

FAILED = 0.05
"""Share of failed scenarios from which a level's throughput no longer reflects its users."""
LEAST_COMPLETED = 20


@dataclass(frozen=True, slots=True)
class Study:
    """What a prediction is made from."""

    criterion: Criterion
    levels: Sequence[LevelResult]
    observations: Sequence[Observation]
    points: Sequence[Point]
    left_out: Sequence[str]
    resources: Sequence[Resource]
    published: int | None
    measured: float | None
    seconds: Mapping[int, Sequence[Mapping[str, Any]]]

    def busiest(self) -> tuple[str, float] | None:
        """The resource that is fullest at the highest level, and how full it is."""
        top = max(self.points, key=lambda p: (p.per_s, p.users))
        parts = [
            (top.use[each.name] / each.capacity, each.name)
            for each in self.resources
            if each.capacity and each.name in top.use
        ]
        if not parts:
            return None
        share, name = max(parts)
        return name, share


def study(bundle: Bundle, criterion: str | None, spindles: float | None) -> Study:
    """Read a bundle for prediction; raises InputError if there is nothing to predict from."""
    found = criteria.chosen_criterion(bundle, criterion)
    values = criteria.values(found, bundle)
    kept: list[tuple[LevelResult, Observation]] = []
    left_out = []
    for level in bundle.levels:
        o = observe(level)
        reason = _unfit(level, o, level.index in values)
        if reason is None:
            kept.append((level, o))
        else:
            left_out.append(f"level {level.index} ({plural('user', level.users)}): {reason}")
    if len(kept) < 2:
        raise InputError(
            f"{bundle.folder} has {plural('level', len(kept))} to predict from, and it takes at "
            "least two"
            + (f" ({'; '.join(left_out[:3])})" if left_out else "")
            + "; measure a ladder: headcount run ... --levels"
        )
    levels, observations = [level for level, _ in kept], [o for _, o in kept]
    payload = {
        level.index: (level.total.read_bytes_per_s, level.total.written_bytes_per_s)
        for level in levels
    }
    there = resources(observations, bundle.plan.limits, payload, spindles)
    mean_s = think(observations)
    points = [point(o, values[o.index], there, mean_s) for o in observations]
    return Study(
        found,
        levels,
        observations,
        points,
        left_out,
        there,
        _published(bundle, found),
        _measured(bundle, found, points),
        seconds_of(bundle.stretches),
    )


def _unfit(level: LevelResult, o: Observation, has_criterion: bool) -> str | None:
    """Why a level shows nothing about the server; None if it does."""
    if not o.valid:
        return level.reasons[0] if level.reasons else "the load generator was the limit"
    if level.total.completed < LEAST_COMPLETED or o.service_s is None:
        return f"{level.total.completed} scenarios ended"
    if o.failed > FAILED:
        return f"{percent(o.failed)} of its scenarios failed"
    return None if has_criterion else "the criterion was not measured"


def _published(bundle: Bundle, found: Criterion) -> int | None:
    """The capacity that the run published, if the same criterion sets it."""
    capacity = bundle.verdict.capacity if bundle.verdict is not None else None
    if capacity is None or capacity.at_least or capacity.binding != found.text:
        return None
    return capacity.users


def _measured(bundle: Bundle, found: Criterion, points: Sequence[Point]) -> float | None:
    """The capacity the search found, if by the same criterion; else that between the levels."""
    capacity = bundle.verdict.capacity if bundle.verdict is not None else None
    if (
        capacity is not None
        and capacity.estimate
        and not capacity.at_least
        and capacity.binding == found.text
    ):
        return capacity.estimate
    return measured_capacity(points)
