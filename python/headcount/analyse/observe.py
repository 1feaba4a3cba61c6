"""A level as the search sees it."""

from headcount.analyse.failures.summary import wrong_data
from headcount.analyse.judge import UNANSWERED_MS
from headcount.analyse.level import SHORTFALL_SHARE
from headcount.analyse.neighbours import cpu_lost
from headcount.analyse.search import Observation, Share, Value
from headcount.analyse.unserved import allowed_share
from headcount.bundle.level import CriterionResult, LevelResult
from headcount.plan.criteria import AMOUNTS, Criterion
from headcount.text import span

OFFERED = "load offered"
"""Name of the constraint that a level with an open pace achieves the load it offers."""
UNSERVED = "users served"
"""Name of the constraint that every user completes something."""
WRONG = "wrong data"
"""Name of the constraint that the data read is the data written."""
CONSTRAINTS = (OFFERED, UNSERVED, WRONG)
"""What every level must meet, whatever its criteria."""


BRIEF = "too close to a limit"
"""Prefix of the reason why a climb does not count."""


AFTER_OVERLOAD = "run to see with how many users the server recovers from an overload"
"""Prefix of the reason why a level after a lasting overload does not count."""


def too_brief(level: LevelResult) -> str:
    """The reason why a climb does not count."""
    return f"{BRIEF}, or past it, for a level of {span(level.steady_s)} to count"


def observe(level: LevelResult, criteria: list[Criterion]) -> Observation:
    """What the level shows about the capacity."""
    limits = {criterion.text: criterion for criterion in criteria}
    response = level.total.response
    ended = level.total.completed + level.total.failed
    constraints: tuple[Share | Value, ...] = tuple(
        constraint(result, limits[result.criterion], ended)
        for result in level.criteria
        if not result.unproven and limits[result.criterion].metric not in AMOUNTS
    )
    constraints += (_wrong(level), *_unserved(level))
    if level.think_mean_s is None:
        constraints += (_offered(level),)
    return Observation(
        users=level.users,
        measure_s=level.steady_s,
        constraints=constraints,
        goals=tuple(
            _amount(result, limits[result.criterion])
            for result in level.criteria
            if limits[result.criterion].metric in AMOUNTS
        ),
        throughput_per_s=level.achieved_per_s,
        response_mean_s=response.mean_ms / 1000 if response else UNANSWERED_MS / 1000,
        think_s=level.think_mean_s,
        valid=level.outcome != "invalid",
        overhead_s=level.prepare_s + level.ramp_s + level.settle_s,
        prepare_s=level.prepare_s,
        cpu_lost=cpu_lost(level),
        steady=level.steadiness.steady,
        stalls=tuple((stall.after_s, stall.seconds) for stall in level.stalls),
    )


def _wrong(level: LevelResult) -> Share:
    """The constraint that no data is wrong, whatever the criteria allow."""
    number = wrong_data(level.faults)
    return Share(WRONG, number, max(level.total.completed + level.total.failed, number, 1), 0.0)


def _unserved(level: LevelResult) -> tuple[Share, ...]:
    """The constraint on users who were not served; empty if the bundle does not know them."""
    number, served = level.users_unserved, level.users_reported
    if number is None or served is None:
        return ()
    allowed = allowed_share(level.total.completed, served, level.criteria)
    return (Share(UNSERVED, min(number, level.users), level.users, allowed),)


def _offered(level: LevelResult) -> Share:
    """The check on the load offered in `headcount.analyse.level`, as a constraint of the search."""
    due = max(level.total.due, 1)
    missed = due - level.total.completed - level.total.failed - level.users
    return Share(OFFERED, max(missed, 0), due, SHORTFALL_SHARE)


def constraint(result: CriterionResult, criterion: Criterion, ended: int) -> Share | Value:
    """One criterion of a level as a constraint of the search.

    An unproven criterion decides nothing: if no tasks ran, none was bad, and until some do a level
    must not end early as passed.
    """
    if result.unproven:
        return Share(result.criterion, 0, 0, result.allowed_share or 0.0)
    if criterion.metric == "counter":
        return _amount(result, criterion)
    if result.bad is None or result.total is None:
        value = UNANSWERED_MS if result.value is None or not ended else result.value
        return Value(result.criterion, value, result.limit, result.least)
    # A level in which nothing ended fails outright.
    bad, total = (result.bad, result.total) if result.total else (1, 1)
    return Share(
        result.criterion,
        bad,
        total,
        result.allowed_share or 0.0,
        criterion.limit if criterion.metric == "percentile" else None,
        tuple((float(bad), float(total)) for bad, total in result.batches),
        certain=min(result.least / bad, 1.0) if result.least is not None and bad else 1.0,
    )


def _amount(result: CriterionResult, criterion: Criterion) -> Value:
    """A criterion on an amount; a lower limit is inverted so that the value grows with users."""
    if not criterion.at_least:
        return Value(result.criterion, result.value or 0.0, result.limit)
    if not result.value:
        return Value(result.criterion, UNANSWERED_MS, 1.0)
    return Value(result.criterion, result.limit / result.value, 1.0)
