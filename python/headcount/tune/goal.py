"""What a tuning improves, as a gain between two turns."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from headcount.bundle.diagnosis import Limit
from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure
from headcount.counters.naming import is_agent
from headcount.errors import InputError
from headcount.fields.units import MOST_USERS, count
from headcount.plan import criteria

Kind = Literal["capacity", "p95", "cost", "log-on"]

P95: Final = 95.0
"""The percentile of response times that a tuning shortens."""
UNSATURATED: frozenset[Limit] = frozenset({"delay", "pause", "none"})
"""Limits under which throughput still rises with users: only response times can improve."""


@dataclass(frozen=True)
class Goal:
    """What a tuning is for.

    Attributes:
        kind: As the command line has it.
        users: Of `p95@USERS` or `log-on@USERS`; None where the load follows from the capacity.

    """

    kind: Kind = "capacity"
    users: int | None = None

    def measure(self, limit: Limit) -> Measure:
        """The figure of a turn that decides."""
        if self.kind == "cost":
            return "cpu"
        if self.kind == "log-on":
            return "log_on"
        return "p95" if self.kind == "p95" or limit in UNSATURATED else "rate"


def parse(text: str) -> Goal:
    """`capacity`, `cost`, `p95@400`, `log-on` or `log-on@400`; raises InputError."""
    if text == "capacity":
        return Goal("capacity")
    if text == "cost":
        return Goal("cost")
    if text == "log-on":
        return Goal("log-on")
    if (found := re.fullmatch(r"(p95|log-on)@(.+)", text)) is not None:
        users = count(found[2], "--goal", MOST_USERS)
        return Goal("p95" if found[1] == "p95" else "log-on", users)
    raise InputError(
        f'--goal is "{text}"; give capacity, cost, log-on, or p95@USERS, such as p95@400'
    )


def _rate(level: LevelResult) -> float | None:
    return level.achieved_per_s


def judged_p95(level: LevelResult) -> tuple[str, float | None] | None:
    """The scenarios that the workload's 95th percentile is about, and their response time in ms.

    None if it is about all scenarios, or there are several such criteria. A probe, for example, is
    none of what users wait for.
    """
    judged = [(criteria.parse(one.criterion), one.value) for one in level.criteria]
    found = [(one.scenario, value) for one, value in judged if one.percentile == P95]
    if len(found) != 1 or found[0][0] is None:
        return None
    return found[0][0], found[0][1]


def _p95(level: LevelResult) -> float | None:
    judged = judged_p95(level)
    if judged is not None:
        return judged[1]
    response = level.total.response
    return response.p95_ms if response is not None else None


def _cpu(level: LevelResult) -> float | None:
    sides = [
        one for side, one in level.counters.items() if side not in _OTHERS and not is_agent(side)
    ]
    found = [one["process.cpu.utilization"] for one in sides if "process.cpu.utilization" in one]
    used = found[0] if found else None
    rate = level.achieved_per_s
    return used.mean / rate if used is not None and rate > 0 else None


def _log_on(level: LevelResult) -> float | None:
    return level.log_on_s


_OTHERS = ("generator", "server")
"""Sides of counters that are not of the server's machine."""
_FIGURES: Mapping[Measure, Callable[[LevelResult], float | None]] = {
    "rate": _rate,
    "p95": _p95,
    "cpu": _cpu,
    "log_on": _log_on,
}


def figure(level: LevelResult, measure: Measure) -> float | None:
    """The figure of a turn; None where it has none."""
    return _FIGURES[measure](level)


def gain(before: LevelResult, after: LevelResult, measure: Measure) -> float | None:
    """ln(after / before) of a rate, ln(before / after) of a time or cost: above 0 is better.

    None where a turn has no figure.
    """
    old, new = figure(before, measure), figure(after, measure)
    if not old or not new:
        return None
    return math.log(new / old) * (1 if measure == "rate" else -1)
