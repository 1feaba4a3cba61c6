"""The result of a level: everything measured in its steady part, summed up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from headcount._engine import Histogram
from headcount.analyse import generator, little, unserved
from headcount.analyse.agents import with_full_agents
from headcount.analyse.amounts import SecondCounters
from headcount.analyse.failures.summary import fault_results, wrong_data_reasons
from headcount.analyse.judge import Context, judge
from headcount.analyse.lateness import Delay, Lateness
from headcount.analyse.line import with_full_line
from headcount.analyse.lines import line_results
from headcount.analyse.marks import level_marks
from headcount.analyse.outright import has_failed_outright
from headcount.analyse.stalls import Second, stalls
from headcount.analyse.statistics.sections import SECTIONS, is_long_enough
from headcount.analyse.steadiness import steadiness
from headcount.analyse.task_score import level_score
from headcount.analyse.tasks import Tasks, results
from headcount.analyse.times import (
    RATE_S,
    doubted_interval_ms,
    rate_interval,
    times_of,
)
from headcount.analyse.window import Pool, Window
from headcount.bundle.level import (
    CounterSummary,
    CriterionResult,
    LevelResult,
    ScenarioResult,
    StallResult,
    Steadiness,
    StepResult,
    Times,
)
from headcount.fields.units import seconds
from headcount.plan.flow import most_steps
from headcount.plan.plan import Plan
from headcount.text import count, plural, share, significant, span

SHORTFALL_SHARE = 0.05
"""Share of the due scenarios that may be unanswered, in addition to one per user."""


@dataclass(frozen=True)
class Measured:
    """A level as it was run, before anything is computed from it."""

    index: int
    purpose: str
    users: int
    started_at: str
    ramp_s: float
    settle_s: float
    window: Window
    step_names: Sequence[str]
    request_names: Sequence[str]
    counters: Mapping[str, Mapping[str, CounterSummary]]
    task_names: Sequence[str] = ()
    unsettled: Sequence[str] = ()
    """Reasons against a steady state before the measured part, if the workload requires one."""
    prepare_s: float = 0.0
    log_on_s: float | None = None
    """Mean time that users took to open their sessions in the ramp."""
    second_counters: Sequence[SecondCounters] = ()
    """The counters of each second of the window, for criteria on counters."""
    stretch_s: float = 1.0
    """The length of the window's intervals: of a long level they are stretches of it."""
    with_own_delay: bool = True
    """Whether to compute how much of its times may be the load generator's own delay."""
    requests_sent: int | None = None
    """Requests sent, if the intervals do not have them, as in a bundle read back."""
    agents: Mapping[int, str] = field(default_factory=dict)
    """The machine of each agent, by number; empty if one process plays the users."""


def summarise(plan: Plan, level: Measured) -> LevelResult:
    """All figures of a level, and whether it passed, failed or is invalid."""
    window = level.window
    names = [scenario.name for scenario in plan.workload.scenarios]
    limits = [round(seconds(scenario.limit) * 1e6) for scenario in plan.workload.scenarios]
    members = plan.workload.members
    tasks = Tasks(level.task_names, plan.workload.task_score)
    late = _lateness(plan, level, tuple(limits))
    context = Context(tasks, level.second_counters, late)
    criteria = [judge(criterion, window, names, members, context) for criterion in plan.criteria]
    watched = generator.generator_result(window, level.users, criteria)
    watched = with_full_agents(watched, level.counters, level.agents)
    watched = with_full_line(watched, level.counters)
    law = little.check(window, level.users) if plan.workload.pace.kind == "closed" else None
    length_s = max(window.seconds, 1e-9)
    due, completed = window.pool().due(), window.pool().completed
    faults = fault_results(window.sums, level.step_names)
    if has_failed_outright(plan.criteria, faults, completed, window.pool().failed):
        watched = watched.model_copy(update={"limited": False})
    invalid = _invalid(level, watched.reasons if watched.limited else [], law)
    invalid += _unread(plan, criteria)
    failed = wrong_data_reasons(faults)
    if not window.is_idle:
        failed += [result.sentence for result in criteria if not result.passed]
    failed += _shortfall(due, completed + window.pool().failed, level.users)
    failed += unserved.reasons(window, level.users, criteria)
    if not failed:
        invalid += _logging_on(window, level.users)
    steady = _steadiness(window)
    if plan.workload.run.steady == "required" and not failed:
        invalid += _unsteady(level, steady)
    return LevelResult(
        index=level.index,
        purpose=level.purpose,  # type: ignore[arg-type]
        users=level.users,
        outcome="invalid" if invalid else "failed" if failed else "passed",
        reasons=invalid + failed,
        started_at=level.started_at,
        prepare_s=level.prepare_s,
        ramp_s=level.ramp_s,
        log_on_s=level.log_on_s,
        settle_s=level.settle_s,
        steady_s=window.seconds,
        stretch_s=level.stretch_s,
        offered_per_s=due / length_s,
        achieved_per_s=completed / length_s,
        think_mean_s=law.think_mean_s if law else None,
        little_error=law.error if law else None,
        steadiness=steady,
        stalls=_stalls(window, level.users),
        users_reported=window.active_users,
        users_unserved=window.unserved_users,
        total=_scenario("all", window, None, max(limits), late),
        scenarios=[_scenario(n, window, i, limits[i], late) for i, n in enumerate(names)],
        groups=[
            _scenario(name, window, some, max(limits[i] for i in some), late)
            for name, some in members.items()
        ],
        steps=[_step(name, window, i, late) for i, name in enumerate(level.step_names)],
        tasks=results(window, tasks, late.of_step if late else None),
        lines=line_results(plan, window, level.users),
        score=level_score(window, tasks),
        marks=level_marks(plan.workload.marks, window, names, tasks),
        requests=_requests(window, level.request_names),
        faults=faults,
        criteria=criteria,
        generator=watched,
        counters={side: dict(figures) for side, figures in level.counters.items()},
    )


def _invalid(level: Measured, reasons: list[str], law: little.Little | None) -> list[str]:
    """Why a level is invalid, besides the generator's own reasons."""
    invalid = list(reasons)
    if level.window.is_idle:
        invalid.append(
            f"no user was due to do anything within {span(level.window.seconds)}: measure longer "
            "than users pause (--duration), or with more of them"
        )
    odd = next((users for users in level.window.each.users if users != level.users), None)
    if odd is not None:
        invalid.append(f"{plural('user', odd)} instead of {count(level.users)}")
    if law is not None and abs(law.error) > law.tolerance:
        invalid.append(
            f"Little's law is off by {share(abs(law.error))} where {share(law.tolerance)} "
            "can be chance: users, clocks or think times do not fit together"
        )
    return invalid


def _logging_on(window: Window, users: int) -> list[str]:
    """Why a level with users who are still logging on does not count."""
    number = window.logging_on
    if number <= little.TOLERANCE * users:
        return []
    return [
        (
            f"{count(round(number))} of {plural('user', users)} were still logging on: give them "
            "more time (a longer ramp or --settle), or see why the server lets them in so slowly"
        )
    ]


def _unread(plan: Plan, results: Sequence[CriterionResult]) -> list[str]:
    """The criteria on counters that the level lacks: it has not met them."""
    found = zip(plan.criteria, results, strict=True)
    return [each.sentence for one, each in found if one.metric == "counter" and each.unproven]


def _unsteady(level: Measured, steady: Steadiness) -> list[str]:
    """Why a level does not count, for a workload that requires a steady state."""
    held = span(level.settle_s)
    before, during = "; ".join(level.unsettled), "; ".join(steady.reasons)
    reasons = []
    if before:
        reasons.append(f"it never got steady: after {held} of settling {before}")
    if during:
        reasons.append(f"it was not steady while it was measured: {during}")
    return reasons


def _shortfall(due: int, ended: int, users: int) -> list[str]:
    """Why a level that did not achieve the load it offered does not pass, whatever its percentiles.

    With a closed pace each user has at most one scenario under way, so only an open pace can fall
    short by more than its users and 5%.
    """
    if due - ended > users + SHORTFALL_SHARE * due:
        return [f"only {count(ended)} of {plural('scenario', due)} that fell due were answered"]
    return []


def _scenario(
    name: str,
    window: Window,
    index: int | tuple[int, ...] | None,
    limit_us: int,
    late: Lateness | None = None,
) -> ScenarioResult:
    pool: Pool = window.pool(index)
    length_s = max(window.seconds, 1e-9)
    overloaded, decided = pool.overloaded()
    sections = window.split(window.seconds / SECTIONS) if is_long_enough(window.seconds) else []
    parts = [part.pool(index) for part in window.split(max(window.seconds / SECTIONS, RATE_S))]
    responses = [section.pool(index).response for section in sections]
    interval, doubted = doubted_interval_ms(responses, 0.95, pool.seconds_ms())
    waits = late.of_scenarios(index) if late else None
    response = times_of(pool.response, waits)
    return ScenarioResult(
        name=name,
        due=pool.due(),
        completed=pool.completed,
        failed=pool.failed,
        slow=pool.count(lambda tally: tally.slow),
        late=pool.count(lambda tally: tally.late),
        overloaded=overloaded,
        overload=overloaded / decided if decided else None,
        unanswered=pool.unanswered(limit_us),
        rate_per_s=pool.completed / length_s,
        read_bytes_per_s=pool.sum(lambda tally: tally.read_bytes) / length_s,
        written_bytes_per_s=pool.sum(lambda tally: tally.written_bytes) / length_s,
        mean_ms=pool.mean_ms(),
        response=response,
        service=times_of(pool.service, waits and replace(waits, starts=False)),
        p95_interval_ms=_from_lower(interval, response),
        p95_interval_unreliable=doubted,
        rate_interval_per_s=rate_interval(
            [(part.completed, part.window.seconds) for part in parts]
        ),
        bytes_interval_per_s=rate_interval([(_moved(part), part.window.seconds) for part in parts]),
    )


def _from_lower(
    interval: tuple[float, float] | None, times: Times | None
) -> tuple[float, float] | None:
    """The interval of a p95, its lower end lowered by the load generator's own delay."""
    if interval is None or times is None or times.own_delay is None:
        return interval
    return max(interval[0] - times.own_delay.p95_ms, 0.0), interval[1]


def _lateness(plan: Plan, level: Measured, limits_us: tuple[int, ...]) -> Lateness | None:
    """The load generator's own delay; None if no timer fired."""
    window = level.window
    lateness = window.histogram(lambda interval: interval.timer_lateness)
    if not lateness.count or not level.with_own_delay:
        return None
    sent = level.requests_sent
    if sent is None:
        sent = sum(_requests(window, level.request_names).values())
    steps = sum(step.completed + step.failed for i in window.sums for step in i.steps)
    ended = window.pool().completed + window.pool().failed
    sent = max(sent, steps)
    return Lateness(
        delay=Delay(lateness),
        requests_per_step=sent / steps if steps else 1.0,
        requests_per_scenario=sent / ended if ended else 1.0,
        steps_of=tuple(most_steps(scenario.steps) for scenario in plan.workload.scenarios),
        limits_us=limits_us,
    )


def _moved(pool: Pool) -> float:
    return pool.sum(lambda tally: tally.read_bytes + tally.written_bytes)


def _step(name: str, window: Window, index: int, late: Lateness | None) -> StepResult:
    steps = [interval.steps[index] for interval in window.sums]
    length_s = max(window.seconds, 1e-9)
    completed = sum(step.completed for step in steps)
    return StepResult(
        name=name,
        completed=completed,
        failed=sum(step.failed for step in steps),
        rate_per_s=completed / length_s,
        read_bytes_per_s=sum(step.read_bytes for step in steps) / length_s,
        written_bytes_per_s=sum(step.written_bytes for step in steps) / length_s,
        service=times_of(
            Histogram.merge([step.service for step in steps]), late.of_step if late else None
        ),
    )


def _requests(window: Window, names: Sequence[str]) -> dict[str, int]:
    """Requests sent over the wire, by kind; kinds that were not sent are left out."""
    sent = [sum(counts) for counts in zip(*(i.requests for i in window.sums), strict=True)]
    return {name: total for name, total in zip(names, sent, strict=False) if total}


def _steadiness(window: Window) -> Steadiness:
    rates = []
    for interval in window.intervals:
        ended = sum(tally.completed + tally.failed for tally in interval.scenarios)
        rates.append(ended / max(interval.to_s - interval.from_s, 1e-9))
    length_s = 1.0 if window.whole is None else window.seconds / len(window.intervals)
    return steadiness(window.pool().seconds_ms(), rates, length_s)


def _stalls(window: Window, users: int) -> list[StallResult]:
    each = window.each
    seconds = [*map(Second, each.lengths_s, each.answered, each.waiting)]
    return [
        StallResult(after_s=stall.after_s, seconds=stall.seconds)
        for stall in stalls(seconds, users)
    ]


def broke_first(level: LevelResult, criterion: str | None) -> str:
    """The criteria that a failed level broke, the binding one first."""
    return f"at {plural('user', level.users)} {reason_of(level, criterion)}"


def reason_of(level: LevelResult, criterion: str | None) -> str:
    """Why a level failed: wrong data first, then the binding criterion."""
    wrong = wrong_data_reasons(level.faults)
    if wrong:
        return wrong[0]
    results = sorted(level.criteria, key=lambda result: result.criterion != criterion)
    broken = [result.sentence for result in results if not result.passed]
    return broken[0] if broken else (level.reasons or ["nothing"])[0]


def rate_text(level: LevelResult) -> str:
    """The throughput of a level, for a sentence."""
    return f"{significant(level.achieved_per_s)} scenarios/s"
