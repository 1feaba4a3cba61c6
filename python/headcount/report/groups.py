"""Figures of a workload whose scenarios are reported in groups, level by level.

They are those that Dynameasure reported for each of its steps: transactions/s, bytes/s, the average
response time (ART), the motors that reported, and the share of the bytes that the server sent.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.analyse.time_text import own_delay_ms, with_own_delay
from headcount.bundle.level import LevelResult, ScenarioResult
from headcount.bundle.verdict import Verdict
from headcount.text import DASH, count, duration, megabytes_per_s, plural, share, significant

REPORTED = "Reported"
NOTE = (
    "Reported: users that completed anything in the measured part. MB/s: data read and written, "
    "without protocol overhead; from the server: the part of it that the server sent, and how "
    "much that is for 1 byte sent to it. Mean: average response time of a group of scenarios, as "
    "criteria judge it."
)


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of each level: what it is called, and how it is written."""

    heading: str
    cell: Callable[[LevelResult], str]


def figures(levels: Sequence[LevelResult]) -> list[Figure]:
    """Return the figures that any of the levels has; none of a workload without groups."""
    names = list(dict.fromkeys(group.name for level in levels for group in level.groups))
    if not names:
        return []
    found = [
        Figure(REPORTED, lambda level: count(level.users_reported)),
        Figure("Scenarios/s", lambda level: significant(level.achieved_per_s)),
    ]
    if any(_moved(level.total) for level in levels):
        found += [
            Figure("MB/s", _megabytes),
            Figure("From the server", lambda level: share(sent_share(level.total))),
            Figure("Ratio", _ratio),
        ]
    return found + [Figure(f"Mean {name}", _mean(name)) for name in names]


def sent_share(result: ScenarioResult) -> float | None:
    """Return the share of the payload that the server sent; None if none was moved."""
    moved = _moved(result)
    return result.read_bytes_per_s / moved if moved else None


def stress_point(verdict: Verdict) -> str | None:
    """Name the stress point of a ladder: more users than that measurably gave less."""
    if verdict.kind != "ladder":
        return None
    names = {"scenarios": "scenarios/s", "bytes": "bytes/s"}
    found = [
        f"{plural('user', each.stress_users)} by {names[each.figure]}"
        for each in verdict.plateaus
        if each.stress_users is not None
    ]
    if found:
        return (
            f"Stress point: {', '.join(found)}; every larger level had measurably less throughput."
        )
    if not verdict.plateaus:
        return "Stress point: not known; it takes three levels of at least 5 s."
    return (
        "Stress point: not reached; no larger level had measurably less throughput than the best."
    )


def _moved(result: ScenarioResult) -> float:
    return result.read_bytes_per_s + result.written_bytes_per_s


def _megabytes(level: LevelResult) -> str:
    return megabytes_per_s(_moved(level.total)).removesuffix(" MB/s")


def _ratio(level: LevelResult) -> str:
    total = level.total
    if not total.written_bytes_per_s:
        return DASH
    return f"{significant(total.read_bytes_per_s / total.written_bytes_per_s)}:1"


def _mean(name: str) -> Callable[[LevelResult], str]:
    def cell(level: LevelResult) -> str:
        group = next((group for group in level.groups if group.name == name), None)
        if group is None or not group.completed:  # the mean is that of failures, maybe quick ones
            return duration(None)
        own_ms = own_delay_ms(group.response, "mean_ms") if group.response else 0.0
        return with_own_delay(group.mean_ms, own_ms)

    return cell
