"""Which levels of a run the reports show in detail, and figures picked from a level."""

from collections.abc import Sequence

from headcount.analyse.standing import level_at
from headcount.bundle.level import LevelResult, ScenarioResult
from headcount.bundle.verdict import Verdict
from headcount.counters.line import CPU, is_line
from headcount.text import duration, significant

LINE_CPU = "Delay line CPU"
"""What reports call the CPU of the delay line between users and server."""


def published(verdict: Verdict, levels: Sequence[LevelResult]) -> LevelResult | None:
    """Return the level that stands for the published capacity.

    That is :func:`headcount.analyse.standing.level_at` its users. If the answer is a saturation
    point, its users count. Without either it is the largest passed level, and None if no level
    passed.
    """
    return level_at(verdict.capacity.users if verdict.capacity else saturation(verdict), levels)


def saturation(verdict: Verdict) -> int | None:
    """Return the saturation point if that is the answer of a run, else None."""
    first = verdict.plateaus[0] if verdict.plateaus else None
    return first.users if first is not None and first.sentence == verdict.sentence else None


def broken(verdict: Verdict, levels: Sequence[LevelResult]) -> LevelResult | None:
    """Return the last level that failed, of those above the published capacity if there are any.

    A failed soak at the capacity counts as above it: it is harder than the other levels.
    """
    failed = [level for level in levels if level.outcome == "failed"]
    good = published(verdict, levels)
    above = [
        level
        for level in failed
        if good is not None and (level.users > good.users or level.purpose == "soak")
    ]
    candidates = above or failed
    return candidates[-1] if candidates else None


def shown(verdict: Verdict, levels: Sequence[LevelResult]) -> LevelResult | None:
    """Return the level whose scenarios and steps are shown: published, or failed, or the last."""
    return published(verdict, levels) or broken(verdict, levels) or (levels[-1] if levels else None)


def timeline_level(levels: Sequence[LevelResult]) -> LevelResult | None:
    """Return the level whose seconds are shown: the soak, the last official one, or the last."""
    for purpose in ("soak", "official"):
        found = [level for level in levels if level.purpose == purpose]
        if found:
            return found[-1]
    return levels[-1] if levels else None


def by_users(levels: Sequence[LevelResult]) -> list[LevelResult]:
    """Return the levels from the fewest users up; with equal users, in the order they ran."""
    return sorted(levels, key=lambda level: (level.users, level.index))


def counter_mean(level: LevelResult, name: str, side: str = "sut") -> float | None:
    """Return the mean of one counter over a level's steady part; None where it is missing."""
    summary = level.counters.get(side, {}).get(name)
    return None if summary is None else summary.mean


def line_cpu(level: LevelResult) -> tuple[str, str] | None:
    """CPU and traffic of the delay lines between users and server; None without one."""
    sides = [side for side in level.counters if is_line(side)]
    found = [cores for side in sides if (cores := counter_mean(level, CPU, side)) is not None]
    if not found:
        return None
    cores = sum(found)
    carried = [
        (counter_mean(level, "line.packets", side) or 0.0, late_ms)
        for side in sides
        if (late_ms := counter_mean(level, "line.lateness", side)) is not None
    ]
    packets = sum(number for number, _ in carried) if carried else None
    late_ms = sum(number * late for number, late in carried) / packets if packets else None
    return (
        f"{significant(cores)} cores",
        f"{significant(packets)} packets/s, {duration(late_ms)} late on average",
    )


def errors_share(result: ScenarioResult) -> float | None:
    """Return the share of ended scenarios that failed, as criteria count it; None if none ended."""
    ended = result.completed + result.failed
    return result.failed / ended if ended else None
