"""The search before the trials: how many users the server holds, and what limits it."""

from collections.abc import Sequence
from pathlib import Path

from headcount.analyse.failures.summary import OPENING
from headcount.analyse.observe import CONSTRAINTS
from headcount.bundle import reader
from headcount.bundle.diagnosis import Limit
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.bundle.tuning import Measure
from headcount.bundle.verdict import Verdict
from headcount.controller import run as controller
from headcount.controller.access import Secrets
from headcount.controller.listener import Listener
from headcount.counters.proc.named import NOBODY, Named
from headcount.errors import InputError, MachineLimitError
from headcount.plan.criteria import GOALS, parse
from headcount.plan.plan import Plan
from headcount.text import plural
from headcount.tune.goal import Goal

BEYOND = 1.5
"""Factor on the capacity: only clearly beyond it does throughput show the limit. Closer to it, some
turns are served in time, and then think time sets their rate."""
FAR_BEYOND = 3.0
"""The same if the server refuses users or keeps them waiting: a better one can hold many more."""
REFUSING: frozenset[Limit] = frozenset({"refusal", "pool"})
"""Limits at which users get nothing before anything of the server is full."""
MOST_SEARCHES = 3
"""A quick search has time for few levels if requests may take seconds; each further search starts
with twice the users of the last."""


def searched(
    plan: Plan, runs: Path, secrets: Secrets, listener: Listener, named: Named = NOBODY
) -> Bundle:
    """The bundle of a run that shows what limits the server, if possible; raises HeadcountError.

    A quick search that ends for lack of time, with nothing at its limit, goes on with more users.
    """
    folder, _ = controller.start(plan, runs, secrets, listener, named)
    bundle = reader.load(folder)
    for _ in range(MOST_SEARCHES - 1):
        users = _more_users(plan, bundle)
        if users is None:
            return bundle
        listener.noted(f"the quick search ended before any limit: on with {plural('user', users)}")
        search = plan.search.model_copy(update={"start_users": users})
        plan = plan.model_copy(update={"search": search})
        try:
            folder, _ = controller.start(plan, runs, secrets, listener, named)
        except MachineLimitError as why:
            listener.noted(f"not with more users: {why}")
            return bundle
        bundle = reader.load(folder)
    return bundle


def _more_users(plan: Plan, bundle: Bundle) -> int | None:
    """The users at which the next search starts; None if another search would show nothing new."""
    verdict = controller.with_verdict(bundle).verdict
    if plan.mode != "search" or not plan.search.quick:
        return None
    if verdict is None or verdict.outcome != "passed":
        return None
    capacity, diagnosis = verdict.capacity, verdict.diagnosis
    if capacity is None or not capacity.at_least or not capacity.users or verdict.stopped:
        return None
    if diagnosis is None or diagnosis.limit != "none":
        return None
    users = min(2 * capacity.users, plan.search.max_users)
    return users if users > capacity.users else None


def measure_of(goal: Goal, limit: Limit, bundle: Bundle) -> Measure:
    """The figure that decides, from what the run before the trials shows.

    If users fail because they cannot log on in time, that is what should become faster: those who
    are in are served.
    """
    if goal.kind == "capacity" and limit not in REFUSING and _fail_to_log_on(bundle):
        return "log_on"
    return goal.measure(limit)


def _fail_to_log_on(bundle: Bundle) -> bool:
    """Whether most of what fails are users who log on as they come, and do not get in in time."""
    if bundle.plan.workload.run.log_on != "join":
        return False
    failed = [one for one in bundle.levels if one.outcome == "failed"]
    bad = sum(max((each.bad or 0 for each in one.criteria), default=0) for one in failed)
    late = sum(
        fault.count
        for one in failed
        for fault in one.faults
        if (fault.step, fault.kind) == (OPENING, "timeout")
    )
    return late > bad / 2


def held_users(verdict: Verdict) -> float | None:
    """The users that the server holds, as far as the run shows; None if it shows nothing.

    If no level passed, the estimate is what is left. Its upper end would be far too many.
    """
    capacity = verdict.capacity
    return None if capacity is None else capacity.users or capacity.estimate or capacity.high


def trial_users(verdict: Verdict, limit: Limit, measure: Measure) -> int:
    """The load of the trials, near the knee; raises InputError if it is not known."""
    held = held_users(verdict)
    if held is None:
        raise InputError("the run found no capacity: give the load with --goal p95@USERS")
    return max(round(held * factor(measure, limit)), 1)


def best_per_s(levels: Sequence[LevelResult]) -> float | None:
    """The greatest throughput in scenarios/s, of levels that count; None if none does."""
    return max((one.achieved_per_s for one in levels if one.outcome != "invalid"), default=None)


def is_late(verdict: Verdict) -> bool:
    """Whether response times set the capacity, not a goal for throughput or counters.

    Nor users who are not served at all: where nothing is full, shorter response times are not what
    they lack.
    """
    capacity = verdict.capacity
    if capacity is None or capacity.at_least or capacity.binding in (None, *CONSTRAINTS):
        return False
    return parse(capacity.binding).metric not in GOALS


def factor(measure: Measure, limit: Limit) -> float:
    """The load of the trials, as a factor on the capacity."""
    if measure != "rate":
        return 1.0
    return FAR_BEYOND if limit in REFUSING else BEYOND
