"""Whether histograms hold as many durations as were counted, with no losses in between."""

from collections.abc import Iterator
from itertools import pairwise

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.audit.second import Second
from headcount.bundle.agents import LOST
from headcount.bundle.series import ABANDONED, LINES

CHECK = "totals"
TITLE = "histograms, counts and scenarios under way agree in every second"


def check(evidence: Evidence) -> Result:
    """Each second's counts against its histograms, and against the second before."""
    if not evidence.seconds:
        return unknown(CHECK, TITLE, f"{LINES} has no seconds")
    places = list(evidence.strays)
    durations = 0
    for one in evidence.seconds:
        places.extend(_counted(evidence, one))
        durations += sum(scenario.response.count for scenario in one.scenarios)
    lost_s = [
        event["t_s"]
        for event in evidence.events
        if event.get("event") == LOST and isinstance(event.get("t_s"), int | float)
    ]
    for before, after in pairwise(evidence.seconds):
        # When an agent was lost, what was under way was dropped: the others began again.
        has_restarted = any(before.to_s <= t_s <= after.to_s for t_s in lost_s)
        if after.phase == "steady" and not has_restarted:
            places.extend(_kept(evidence, before, after))
    good = f"{durations:,} response times match the completed scenarios; none was lost"
    return result(CHECK, TITLE, places, good, {"response_times": durations})


def _counted(evidence: Evidence, one: Second) -> Iterator[Place]:
    """Places where a histogram does not hold as many durations as were counted."""
    wanted = [("backlog", one.backlog_count, one.backlog.count)]
    for name, scenario in zip(evidence.names.scenarios, one.scenarios, strict=True):
        wanted.append((f"response/{name}", scenario.completed, scenario.response.count))
        wanted.append((f"service/{name}", scenario.completed, scenario.service.count))
        wanted.append((f"pending/{name}", scenario.pending_count, scenario.pending.count))
    for name, step in zip(evidence.names.steps, one.steps, strict=True):
        wanted.append((f"step/{name}", step.completed, step.service.count))
    for name, task in zip(evidence.names.tasks, one.tasks, strict=True):
        wanted.append((f"task/{name}", task.completed, task.service.count))
    for name, line in zip(evidence.names.lines, one.lines, strict=True):
        wanted.append((f"line/{name}", line.completed, line.response.count))
    for tag, counted, held in wanted:
        if counted != held:
            text = f"{counted:,} counted, {held:,} in the histogram {tag}"
            yield Place(file=LINES, at=f"line {one.line}", text=text)


def _kept(evidence: Evidence, before: Second, after: Second) -> Iterator[Place]:
    """Places where what was under way plus what began, less what ended, does not add up."""
    if before.phase == ABANDONED:
        return
    pairs = zip(evidence.names.scenarios, before.scenarios, after.scenarios, strict=True)
    for name, old, new in pairs:
        due = old.pending_count + new.started - new.completed - new.failed
        if due != new.pending_count:
            text = f"{new.pending_count:,} of {name} are under way where {due:,} must be"
            yield Place(file=LINES, at=f"line {after.line}", text=text)
