"""The trial before the first level: one user plays every scenario.

Before a search that user must succeed. The times are those of a scenario without any other user,
which shows how many a full server serves at a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headcount._engine import Engine, Interval
from headcount.analyse.failures import cause_of
from headcount.analyse.failures.causes import Rule
from headcount.analyse.failures.ranking import messages
from headcount.analyse.failures.summary import OPENING, fault_results
from headcount.bundle.level import FaultResult
from headcount.controller.one_user import one_user
from headcount.controller.tryout import failed_step_text
from headcount.errors import TargetError
from headcount.generator.real_time import real_time
from headcount.plan.flow import operations
from headcount.plan.plan import Plan
from headcount.plan.sent_files import sent_files

LONGEST_S = 20.0
"""A scenario that has not ended by then is neither right nor wrong."""
TRIES = 3
"""A scenario that never succeeds in this many tries fails for everybody."""
OFTEN = 5
"""Repetitions of each scenario after its first one, whose caches and connections are cold."""
LEAVE_S = 1.0
"""Longest wait for the user's last scenario."""
LONG_ENOUGH_S = 3.0
"""Time after which the mean uses what there is, if each scenario has been repeated at all: the user
of Headcount is waiting for the first level."""
EXCUSED = "turned-away"
"""The cause that is not a mistake but a limit of the server, which a search finds."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What one user experienced.

    Attributes:
        failure: What failed in a part of the scenarios that the criteria allow; None if nothing.
        service_ms: Mean time of a scenario, weighted as users draw them, the first time left out;
            None if a scenario was not repeated.
        completed: Scenarios behind this mean.
        played: Scenarios that were completed at all, including the first ones.

    """

    failure: str | None
    service_ms: float | None
    completed: int
    played: int


def try_all(plan: Plan, target: str, *, is_search: bool = True) -> Trial | None:
    """Let one user play every scenario a few times; None if they depend on each other.

    Raises TargetError with the request, the answer and what to do if more than the criteria allow
    cannot be played at all: a search would end with 0 users and say nothing about the server.
    """
    if plan.workload.program is not None:
        return None
    with real_time():
        engine = Engine(one_user(plan), plan.protocol, target, files=sent_files(plan.workload))
    try:
        intervals = _play(engine, LONGEST_S if is_search else LONG_ENOUGH_S)
        faults = fault_results(intervals, engine.step_names)
    finally:
        engine.close()
    broken = [
        place
        for place, (completed, failed) in enumerate(_counts(intervals))
        if failed >= TRIES and not completed
    ]
    why = _explained(plan, broken, faults)
    failure = _judge(plan, why, target) if why and is_search else None
    played = sum(completed for completed, _ in _counts(intervals))
    return Trial(failure, *_service_ms(plan, intervals), played)


def _play(engine: Engine, longest_s: float) -> list[Interval]:
    """The intervals until every scenario was repeated, or has failed, often enough."""
    engine.set_users(1, 0.0)
    intervals: list[Interval] = []
    while (now_s := engine.now_s()) < longest_s and not engine.ended:
        interval = engine.next(1.0)
        if interval is None:
            continue
        intervals.append(interval)
        often = OFTEN if now_s < LONG_ENOUGH_S else 0
        if all(done > often or failed >= TRIES for done, failed in _counts(intervals)):
            break
    return intervals + _leave(engine)


def _leave(engine: Engine) -> list[Interval]:
    """The intervals until the user has left: a scenario that has begun counts as well."""
    intervals: list[Interval] = []
    engine.set_users(0, 0.0)
    until_s = engine.now_s() + LEAVE_S
    while engine.now_s() < until_s and not engine.ended:
        interval = engine.next(LEAVE_S)
        if interval is not None:
            intervals.append(interval)
            if not interval.users:
                break
    return intervals


def _service_ms(plan: Plan, intervals: Sequence[Interval]) -> tuple[float | None, int]:
    """Mean time of a scenario without its first time, by weight, and the number behind it."""
    weights = [one.weight for one in plan.workload.scenarios]
    total_ms = weight = 0.0
    number = 0
    for place, each in enumerate(zip(*(one.scenarios for one in intervals), strict=True)):
        first = next((n for n, one in enumerate(each) if one.completed), None)
        if first is None:
            continue
        rest = each[first + 1 :]
        completed = sum(one.completed for one in rest)
        if not completed:
            return None, 0
        share = weights[place] if place < len(weights) else 1.0
        total_ms += share * 1000 * sum(one.service_s for one in rest) / completed
        weight += share
        number += completed
    return (total_ms / weight, number) if weight else (None, 0)


def _counts(intervals: Sequence[Interval]) -> list[tuple[int, int]]:
    """How often each scenario was completed, and failed."""
    each = zip(*(interval.scenarios for interval in intervals), strict=True)
    return [(sum(one.completed for one in many), sum(one.failed for one in many)) for many in each]


def _explained(
    plan: Plan, broken: Sequence[int], faults: Sequence[FaultResult]
) -> dict[int, tuple[str, Rule, str]]:
    """The step, the rule and the message of why each scenario fails, by its index.

    Those whose users are only turned away are left out.
    """
    found = {}
    for place in broken:
        played = [
            *plan.workload.scenarios[place].operations,
            *operations(plan.workload.setup or []),
        ]
        steps = {OPENING, *(step.name for step in played)}
        mistakes = [
            (fault.step, rule, message)
            for fault in faults
            for message, _ in messages(fault)
            if fault.step in steps and (rule := cause_of(fault.kind, message)).cause != EXCUSED
        ]
        if mistakes:
            found[place] = mistakes[0]
    return found


def _judge(plan: Plan, why: Mapping[int, tuple[str, Rule, str]], target: str) -> str:
    """A sentence about scenarios that fail; raises TargetError if they are too many."""
    scenarios = plan.workload.scenarios
    part = sum(scenarios[place].weight for place in why) / sum(one.weight for one in scenarios)
    names = [scenarios[place].name for place in why]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    which = "every scenario" if len(names) == len(scenarios) else ", ".join(names[:3]) + more
    step, rule, message = next(iter(why.values()))
    what = (
        f"a single user fails at {which} ({part:.0%} of what users do): "
        f'"{step}" failed every time.\n  {message}\n{rule.meaning}. {rule.advice}'
    )
    allowed = [one.limit for one in plan.criteria if one.metric == "errors" and not one.scenario]
    is_data = any(one.cause == "data" for _, one, _ in why.values())
    if not is_data and part <= min(allowed, default=0.0):
        return what
    is_own = plan.workload.original is None
    shown = failed_step_text(plan, target, names[0]) if is_own else ""
    raise TargetError(
        f"{what}\n{shown}To run levels anyway: --users 1, or --levels 1,10,100; to search without "
        "playing every scenario first: --no-trial"
    )
