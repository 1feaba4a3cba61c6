"""Whether a level satisfies its criteria."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from headcount.analyse.amounts import SecondCounters, judge_amount, judge_counter
from headcount.analyse.lateness import Lateness, Waits
from headcount.analyse.task_score import level_score
from headcount.analyse.tasks import TaskPool, Tasks
from headcount.analyse.time_text import with_own_delay
from headcount.analyse.window import Pool, Window
from headcount.bundle.level import CriterionResult
from headcount.plan.criteria import AMOUNTS, TIMES, Criterion
from headcount.text import duration, share

BATCH_S = 5.0
"""Length of the batches whose scatter separates steady noise from slow noise."""

UNANSWERED_MS = 3_600_000.0
"""Time of something that never ended: the longest that the histograms hold."""


@dataclass(frozen=True, slots=True)
class Context:
    """What judging a level needs beside its window.

    `counters` are those of the window's seconds, `lateness` is the load generator's own delay.
    """

    tasks: Tasks = field(default_factory=Tasks)
    counters: Sequence[SecondCounters] = ()
    lateness: Lateness | None = None


ALONE = Context()


def judge(
    criterion: Criterion,
    window: Window,
    scenarios: list[str],
    groups: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    context: Context = ALONE,
) -> CriterionResult:
    """Judge one criterion over the steady part of a level; `groups` has the indices of scenarios.

    A criterion names a group, a scenario or a task. If a task never happened, its criterion counts
    as met and is marked as unproven.
    """
    tasks = context.tasks
    if criterion.metric == "score":
        return _judge_score(criterion, window, tasks)
    if criterion.metric == "counter":
        return judge_counter(criterion, window, context.counters)

    def of(part: Window) -> Pool | TaskPool:
        return pool_of(criterion, part, scenarios, groups, tasks)

    if criterion.metric in AMOUNTS:
        return judge_amount(criterion, window, of)
    pool = of(window)
    if isinstance(pool, TaskPool) and not pool.ended:
        return _unproven(criterion, f'no "{criterion.scenario}" happened')
    late = context.lateness
    if criterion.metric == "mean":
        return _judge_mean(criterion, pool, late)
    bad, total = _bad(criterion, pool)
    allowed = criterion.allowed_share or 0.0
    bad_share = bad / total if total else 1.0
    # "p95<1s" has a strict limit, which `_bad` handles; in "errors<1%" the share is strict.
    strict = criterion.strict and criterion.metric != "percentile"
    passed = bad_share < allowed if strict else bad_share <= allowed
    batches = [_bad(criterion, of(part)) for part in window.split(BATCH_S)]
    value = _value(criterion, pool, bad_share)
    least = None if late is None else _least_bad(criterion, pool, late, total)
    return CriterionResult(
        criterion=criterion.text,
        passed=passed and total > 0,
        value=value,
        limit=criterion.limit * 1000 if criterion.metric == "percentile" else criterion.limit,
        unit="ms" if criterion.metric == "percentile" else "share",
        bad=bad,
        total=total,
        allowed_share=allowed,
        batches=batches,
        least=least,
        undecided=not passed and total > 0 and least is not None and least <= allowed * total,
        sentence=_sentence(criterion, value, bad_share, total, _own_ms(criterion, pool, late)),
    )


def pool_of(
    criterion: Criterion,
    window: Window,
    scenarios: Sequence[str],
    groups: Mapping[str, tuple[int, ...]],
    tasks: Tasks,
) -> Pool | TaskPool:
    """What a criterion measures: all scenarios, a group of them, one of them, or a task."""
    name = criterion.scenario
    if name is None:
        return window.pool()
    if name in groups or name in scenarios:
        return window.pool(groups.get(name) or scenarios.index(name))
    return tasks.pool(window, name)


def _own_ms(criterion: Criterion, pool: Pool | TaskPool, late: Lateness | None) -> float:
    """Upper bound on the load generator's own delay in the figure of a criterion, in ms."""
    if late is None or criterion.metric not in ("percentile", "mean"):
        return 0.0
    waits = _waits(late, pool)
    if criterion.percentile is None:
        return waits.of_mean_us / 1000
    histogram = pool.response
    if not histogram.count:
        return 0.0
    return waits.of_quantile_us(histogram, criterion.percentile / 100) / 1000


def _waits(late: Lateness, pool: Pool | TaskPool) -> Waits:
    return late.of_step if isinstance(pool, TaskPool) else late.of_scenarios(pool.index)


def _least_bad(
    criterion: Criterion, pool: Pool | TaskPool, late: Lateness, total: int
) -> float | None:
    """Fewest that break the limit of a share without the load generator's own delay."""
    if criterion.metric == "percentile":
        limit_us = round(criterion.limit * 1e6) - criterion.strict
        return _waits(late, pool).least_bad(lambda us: pool.slower(limit_us + us)[0], total)
    if criterion.metric == "overload" and isinstance(pool, Pool):
        return late.least_overloaded(pool, total)
    return None


def _judge_score(criterion: Criterion, window: Window, tasks: Tasks) -> CriterionResult:
    """The weighted mean of the tasks' percentiles; not met where a task never succeeded."""
    score = level_score(window, tasks)
    if score is None or not score.weights:
        return _unproven(criterion, "no task with a weight in the score happened")
    text = duration(score.value)
    sentence = (
        f"the score ({score.name}) is {text}; the limit is {duration(criterion.limit * 1000)}"
    )
    if score.value is None:
        sentence = "there is no score: a task with a weight in it happened and never succeeded"
    return _of_time(criterion, score.value, sentence)


def _unproven(criterion: Criterion, why: str) -> CriterionResult:
    """A criterion that counts as met: nothing speaks against it, but nothing proves it."""
    timed = criterion.metric in TIMES
    return CriterionResult(
        criterion=criterion.text,
        passed=True,
        value=None,
        limit=criterion.limit * 1000 if timed else criterion.limit,
        unit="ms" if timed else "share",
        bad=None,
        total=None,
        allowed_share=criterion.allowed_share,
        unproven=True,
        sentence=f"{why}: {criterion.text} is unproven",
    )


def _bad(criterion: Criterion, pool: Pool | TaskPool) -> tuple[int, int]:
    """How many broke the criterion's limit, and out of how many."""
    if criterion.metric == "percentile":
        return pool.slower(round(criterion.limit * 1e6) - criterion.strict)
    if criterion.metric == "errors" or isinstance(pool, TaskPool):
        return pool.failed, pool.completed + pool.failed
    if criterion.metric == "overload":
        return pool.overloaded()
    due = pool.due()
    return max(due - pool.completed, 0), max(due, 0)


def _value(criterion: Criterion, pool: Pool | TaskPool, bad_share: float) -> float | None:
    if criterion.metric == "achieved":
        return 1 - bad_share
    if criterion.percentile is None:
        return bad_share
    histogram = pool.response
    if histogram.count == 0:
        return None
    return histogram.quantile_us(criterion.percentile / 100) / 1000


def _judge_mean(
    criterion: Criterion, pool: Pool | TaskPool, late: Lateness | None
) -> CriterionResult:
    mean_ms = pool.mean_ms()
    ended = pool.completed + pool.failed
    sentence = _sentence(criterion, mean_ms, 0.0, ended, _own_ms(criterion, pool, late))
    found = _of_time(criterion, mean_ms, sentence)
    if found.passed and not pool.completed:  # the mean is that of failures, which may be quick
        of = f" of {criterion.scenario}" if criterion.scenario else ""
        sentence = f"nothing{of} completed; {criterion.text} is asked for"
        return _of_time(criterion, None, sentence)
    if late is None or mean_ms is None:
        return found
    least = max(mean_ms - _waits(late, pool).of_mean_us / 1000, 0.0)
    may_hold = not found.passed and least <= criterion.limit * 1000
    return found.model_copy(update={"least": least, "undecided": may_hold})


def _of_time(criterion: Criterion, found_ms: float | None, sentence: str) -> CriterionResult:
    """A criterion on one time of the level; `found_ms` is None if nothing succeeded."""
    limit_ms = criterion.limit * 1000
    value_ms = math.inf if found_ms is None else found_ms
    passed = value_ms < limit_ms if criterion.strict else value_ms <= limit_ms
    return CriterionResult(
        criterion=criterion.text,
        passed=passed,
        value=found_ms,
        limit=limit_ms,
        unit="ms",
        bad=None,
        total=None,
        allowed_share=None,
        sentence=sentence,
    )


def _sentence(
    criterion: Criterion, value: float | None, bad_share: float, total: int, own_ms: float
) -> str:
    of = f" of {criterion.scenario}" if criterion.scenario else ""
    if total == 0:
        return f"nothing{of} was answered at all"
    if criterion.metric == "percentile":
        limit = duration(criterion.limit * 1000)
        name = f"p{criterion.percentile:g}"
        # The percentile is within the limit, but failures broke the share: they have no time.
        within = value is not None and value <= criterion.limit * 1000
        broken = within and bad_share > (criterion.allowed_share or 0.0)
        whose = f"{of} of those completed" if broken else of
        sentence = (
            "nothing completed"
            if value is None
            else f"{name}{whose} is {with_own_delay(value, own_ms)}"
        )
        return f"{sentence}; {share(bad_share)} took longer than {limit}, failed or got no answer"
    if criterion.metric == "mean":
        sentence = "unknown" if value is None else with_own_delay(value, own_ms)
        return f"the mean{of} is {sentence}; the limit is {duration(criterion.limit * 1000)}"
    named = {"errors": "failed", "overload": "late, slow or failed", "achieved": "not achieved"}
    return f"{share(bad_share)}{of} {named[criterion.metric]}; {criterion.text} is asked for"
