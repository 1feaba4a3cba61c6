"""The trial before a search: one user plays every scenario, and must get through."""

import json
from collections.abc import Mapping, Sequence

from headcount._engine import Engine, Interval
from headcount.analyse.failures import cause_of
from headcount.analyse.failures.causes import Rule
from headcount.analyse.failures.ranking import messages
from headcount.analyse.failures.summary import OPENING, fault_results
from headcount.bundle.level import FaultResult
from headcount.controller.real_time import real_time
from headcount.errors import TargetError
from headcount.plan.plan import Plan, engine_plan

LONGEST_S = 20.0
"""A scenario that has not ended by then is neither right nor wrong."""
TRIES = 3
"""A scenario that never gets through in so many tries fails for everybody."""
BETWEEN_S = 0.1
"""Pause between scenarios: a site may count how many requests a second one address sends."""
EXCUSED = "turned-away"
"""The cause that is no mistake but a limit of the server, which a search finds."""


def try_all(plan: Plan, target: str) -> str | None:
    """Let one user play every scenario once; returns what fails without being decisive, or None.

    Raises TargetError with the request, the answer and what to do if more than the criteria allow
    cannot be played at all: a search would end with 0 users and say nothing of the server.
    """
    if plan.workload.program is not None:
        return None  # a load file's turns depend on each other
    with real_time():
        engine = Engine(_plan(plan), plan.protocol, target)
    try:
        intervals = _play(engine)
        faults = fault_results(intervals, engine.step_names)
    finally:
        engine.close()
    broken = [
        place
        for place, (completed, failed) in enumerate(_counts(intervals))
        if failed >= TRIES and not completed
    ]
    why = _explained(plan, broken, faults)
    return _judge(plan, why) if why else None


def _plan(plan: Plan) -> str:
    """The engine's plan: each scenario once in its order, hardly a pause between them."""
    values = json.loads(engine_plan(plan))
    names = values.get("script", {}).get("names") or [one["name"] for one in values["scenarios"]]
    for scenario in values["scenarios"]:
        scenario["pause"] = None
    return json.dumps(
        {
            **values,
            "workers": 1,
            "pace": {"pace": "closed", "think": {"draw": "fixed", "s": BETWEEN_S}},
            "report_every_ms": 100,
            "script": {"names": names, "order": list(range(len(names))), "entries": [0]},
        }
    )


def _play(engine: Engine) -> list[Interval]:
    """What happens until every scenario has got through once or failed often enough."""
    engine.set_users(1, 0.0)
    intervals: list[Interval] = []
    while engine.now_s() < LONGEST_S and not engine.ended:
        interval = engine.next(1.0)
        if interval is None:
            continue
        intervals.append(interval)
        if all(done or failed >= TRIES for done, failed in _counts(intervals)):
            break
    return intervals


def _counts(intervals: Sequence[Interval]) -> list[tuple[int, int]]:
    """How often each scenario was completed, and failed."""
    each = zip(*(interval.scenarios for interval in intervals), strict=True)
    return [(sum(one.completed for one in many), sum(one.failed for one in many)) for many in each]


def _explained(
    plan: Plan, broken: Sequence[int], faults: Sequence[FaultResult]
) -> dict[int, tuple[str, Rule, str]]:
    """The step, the meaning and the message of why each scenario fails, by its place.

    Those whose users are only turned away are left out.
    """
    found = {}
    for place in broken:
        steps = {OPENING, *(step.name for step in plan.workload.scenarios[place].steps)}
        mistakes = [
            (fault.step, rule, message)
            for fault in faults
            for message, _ in messages(fault)
            if fault.step in steps and (rule := cause_of(fault.kind, message)).cause != EXCUSED
        ]
        if mistakes:
            found[place] = mistakes[0]
    return found


def _judge(plan: Plan, why: Mapping[int, tuple[str, Rule, str]]) -> str:
    """What to say of scenarios that fail; raises TargetError if they are too many."""
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
    raise TargetError(f"{what}\nTo run levels anyway: --users 1, or --levels 1,10,100")
