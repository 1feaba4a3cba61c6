"""Little's law at each level: users = throughput x (response time + think time)."""

from typing import cast

from headcount._engine import Interval
from headcount.analyse import little
from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.seconds import seconds_of
from headcount.analyse.window import Window
from headcount.bundle.level import LevelResult
from headcount.text import plural, share

CHECK = "little"
TITLE = "users, throughput, response and think times obey Little's law"


def window_of(evidence: Evidence, level: LevelResult) -> Window | None:
    """The measured part of a level from its seconds; None if it has none."""
    if level.index not in evidence.windows:  # several checks use the same sums
        evidence.windows[level.index] = _summed(evidence, level)
    return evidence.windows[level.index]


def _summed(evidence: Evidence, level: LevelResult) -> Window | None:
    steady = evidence.steady(level.index)
    if not steady or evidence.plan is None:
        return None
    # A second read back has every field of an interval that the sums need.
    before = cast("Interval | None", evidence.before(steady[0]))
    seconds = seconds_of(evidence.plan, evidence.names.tasks, before, level.stretch_s)
    for second in steady:
        seconds.add(cast("Interval", second))
    return seconds.window()


def check(evidence: Evidence) -> Result:
    """Checked on the seconds; invalid levels may break it, which is why they do not count."""
    plan = evidence.plan
    if plan is None or not evidence.levels:
        return unknown(CHECK, TITLE, "there is no level" if plan else "the plan cannot be read")
    if plan.workload.pace.kind != "closed":
        return unknown(
            CHECK, TITLE, "with an open pace, the number of users does not follow from it"
        )
    places, errors = [], []
    for level in evidence.levels:
        window = window_of(evidence, level)
        law = little.check(window, level.users) if window is not None else None
        if law is None:
            continue
        errors.append(abs(law.error))
        if abs(law.error) > law.tolerance and level.outcome != "invalid":
            text = f"off by {share(abs(law.error))}, {share(law.tolerance)} can be chance"
            places.append(Place(file="series.ndjson", level=level.index, at="steady", text=text))
    if not errors:
        return unknown(CHECK, TITLE, "no scenario ended in any level")
    figures: dict[str, float | int | None] = {
        "levels": len(errors),
        "largest_error": max(errors),
    }
    good = f"{plural('level', len(errors))}, the largest error {share(max(errors))}"
    return result(CHECK, TITLE, places, good, figures)
