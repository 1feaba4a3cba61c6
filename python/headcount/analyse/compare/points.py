"""Every level of a subject for charts, as stored in its bundles."""

from headcount.analyse.compare.comparison import Criterion, Point, Reading
from headcount.analyse.compare.subject import Side
from headcount.bundle.level import LevelResult

CPU = "system.cpu.utilization"
_PERCENTILES = {"p50": "response.p50", "p95": "response.p95", "p99": "response.p99"}


def points(side: Side) -> list[Point]:
    """All levels but soaks, by users; invalid ones too, which charts mark as such."""
    found = [
        point(level)
        for bundle in side.bundles
        for level in bundle.levels
        if level.purpose != "soak"
    ]
    return sorted(found, key=lambda one: one.users)


def criteria(side: Side) -> list[Criterion]:
    """The limits on the response times of all scenarios in the plan, the tightest first."""
    found = [
        Criterion(text=judged.criterion, metric=f"response.{name}", limit_ms=judged.limit)
        for level in side.bundles[0].levels[:1]
        for judged in level.criteria
        for name in ("mean", *_PERCENTILES)
        if judged.unit == "ms" and judged.criterion.startswith(f"{name}<")
    ]
    return sorted(found, key=lambda one: one.limit_ms)


def point(level: LevelResult) -> Point:
    """One level."""
    total, cpu = level.total, level.counters.get("sut", {}).get(CPU)
    found: dict[str, Reading | None] = {
        "throughput": Reading(value=level.achieved_per_s, interval=total.rate_interval_per_s),
        "response.mean": None
        if total.mean_ms is None or not total.completed
        else Reading(value=total.mean_ms),
        "cpu.utilization": None if cpu is None else Reading(value=cpu.mean),
    }
    if total.response is not None:
        for name, metric in _PERCENTILES.items():
            interval = total.p95_interval_ms if name == "p95" else None
            value = getattr(total.response, f"{name}_ms")
            found[metric] = Reading(value=value, interval=interval)
    readings = {name: reading for name, reading in found.items() if reading is not None}
    return Point(users=level.users, outcome=level.outcome, readings=readings)
