"""The answer of a run, in a sentence and in figures."""

import math
from collections.abc import Sequence
from typing import Literal

from headcount.analyse.agents import full_agents
from headcount.analyse.failures import failures_of
from headcount.analyse.level import broke_first, rate_text, reason_of
from headcount.analyse.neighbours import neighbours
from headcount.analyse.plateau import plateaus
from headcount.analyse.price import price
from headcount.analyse.scaling import compression_doubt, scaling_doubt
from headcount.analyse.score import busiest, moved_bytes_per_s, score_of
from headcount.analyse.search import Flag, Outcome
from headcount.analyse.search_doubts import resent, search_doubts, stalls
from headcount.analyse.standing import level_at, marks, task_score, unproven
from headcount.analyse.time_text import NOTABLE, own_delay_ms
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Capacity, Cost, Plateau, Score, Verdict, VerdictOutcome
from headcount.plan.plan import Plan
from headcount.text import count, duration, plural, significant, span

Ending = Literal["finished", "interrupted", "unfinished"]
"""How a run ended."""
PROMPT_MS = 1.0
"""Delay of the load generator that a quiet machine has as well; nobody can do much about it."""


def of_levels(plan: Plan, levels: Sequence[LevelResult], seconds: float, ending: Ending) -> Verdict:
    """The verdict on a single level or a ladder."""
    valid = [level for level in levels if level.outcome != "invalid"]
    passed = [level for level in valid if level.outcome == "passed"]
    failed = [level for level in valid if level.outcome == "failed"]
    complete = len(levels) == len(plan.levels)
    score = None
    wanted = plan.workload.score
    if wanted and plan.mode == "ladder" and complete and len(valid) == len(levels):
        # Levels other than the workload's own have no weights, and so no score.
        fits = wanted.weights is None or len(wanted.weights) == len(levels)
        score = score_of(wanted, levels) if fits else None
    level = level_at(None, levels)
    if plan.mode == "level" and valid:
        level = valid[0]
    flat = plateaus(levels) if plan.mode == "ladder" else []
    return Verdict(
        kind="ladder" if plan.mode == "ladder" else "level",
        outcome=_outcome(levels, failed, ending),
        sentence=_plateau_sentence(plan, flat)
        or _ladder_sentence(plan, levels, passed, failed, score),
        broke_first=broke_first(failed[0], None) if failed else None,
        capacity=None,
        score=score or task_score(level),
        marks=marks(level),
        price=price(plan.cost, level.users if level else None, None, marks(level), level),
        rule=plan.rule,
        plateaus=flat,
        flags=[
            *_plateau_flags(plan, levels, flat, ending),
            *stalls(levels, set()),
            *resent(levels, set()),
            *unproven(level),
            *_own_delay(level),
            *_flags(plan, levels),
        ],
        failures=failures_of(levels),
        cost=_cost(levels, seconds),
    )


def _plateau_sentence(plan: Plan, flat: Sequence[Plateau]) -> str | None:
    """The saturation point, if the workload asks for it and it was found."""
    wanted = plan.workload.run.plateau and bool(flat) and flat[0].flattened
    return flat[0].sentence if wanted else None


def _plateau_flags(
    plan: Plan, levels: Sequence[LevelResult], flat: Sequence[Plateau], ending: Ending
) -> list[str]:
    """Doubts if the curve never flattened out: the server was not fully loaded."""
    if not plan.workload.run.plateau or plan.mode != "ladder" or ending != "finished":
        return []
    if not flat:
        return [
            (
                "no saturation point can be found: that takes three valid levels of 5 s or more "
                "with different numbers of users"
            )
        ]
    if all(each.flattened for each in flat):
        return []
    most = max(level.users for level in levels if level.outcome != "invalid")
    if not flat[0].flattened:
        return [
            (
                f"throughput never flattened out up to {plural('user', most)}: the server was not "
                "fully loaded, or the levels are too short to tell; give more --levels, or a "
                "longer --duration"
            )
        ]
    return [
        (
            f"bytes/s did not flatten out up to {plural('user', most)}, scenarios/s did; longer "
            "levels (--duration) tell more exactly"
        )
    ]


def _outcome(
    levels: Sequence[LevelResult], failed: Sequence[LevelResult], ending: Ending
) -> VerdictOutcome:
    if ending != "finished":
        return ending
    if not levels or any(level.outcome == "invalid" for level in levels):
        return "invalid"
    return "failed" if failed else "passed"


def _ladder_sentence(
    plan: Plan,
    levels: Sequence[LevelResult],
    passed: Sequence[LevelResult],
    failed: Sequence[LevelResult],
    score: Score | None,
) -> str:
    if not levels:
        return "No level was finished."
    if score is not None and plan.workload.score and plan.workload.score.kind == "most-kb-per-s":
        best = busiest(levels)
        mbit = significant(moved_bytes_per_s(best) * 8 / 1e6)
        return (
            f"{significant(score.value)} {score.unit} ({mbit} Mbit/s) at "
            f"{plural('user', best.users)}, the {score.name} of {plural('level', len(levels))}."
        )
    if score is not None:
        return (
            f"{significant(score.value)} {score.unit} ({score.name} of "
            f"{plural('level', len(levels))})."
        )
    if plan.mode == "level":
        level = levels[0]
        are = "is" if level.users == 1 else "are"
        users = plural("user", level.users)
        texts = {
            "passed": f"{users}: every criterion holds at {rate_text(level)}.",
            "failed": f"{users} {are} too many: {reason_of(level, None)}.",
            "invalid": f"The level is invalid: {'; '.join(level.reasons)}.",
        }
        return texts[level.outcome]
    if not passed:
        return "No level of the ladder passed."
    best = max(passed, key=lambda level: level.users)
    beyond = [level.users for level in failed if level.users > best.users]
    edge = f"; {plural('user', min(beyond))} failed" if beyond else ""
    return f"{plural('user', best.users)} passed at {rate_text(best)}{edge}."


def of_search(
    plan: Plan, levels: Sequence[LevelResult], outcome: Outcome, seconds: float, ending: Ending
) -> Verdict:
    """The verdict on a search for the capacity."""
    at_least = math.isinf(outcome.high)
    # Whatever the search counts as passed, the number quoted is of a level that passed itself.
    level = level_at(outcome.published, levels) if outcome.published >= 1 else None
    users = level.users if level else None
    capacity = Capacity(
        users=users,
        level=level.index if level else None,
        level_s=level.steady_s if level else None,
        estimate=outcome.estimate if levels else None,
        low=outcome.low if levels else None,
        high=None if at_least or not levels else outcome.high,
        at_least=at_least and users is not None,
        official_passed=outcome.confirmed and users == outcome.published,
        binding=outcome.binding,
        widened_by=list(outcome.widened_by),
    )
    left_out = {one.index + 1 for one in outcome.left_out}
    too_few = {index + 1 for index in outcome.short_of_goals}
    failed = [
        level
        for level in levels
        if level.outcome == "failed" and level.index not in left_out | too_few
    ]
    lowest = min(failed, key=lambda level: level.users, default=None)
    valid = any(level.outcome != "invalid" for level in levels)
    soak = next((level for level in failed if level.purpose == "soak"), None)
    holds = users is not None and soak is None
    ended: VerdictOutcome = ending if ending != "finished" else "passed" if holds else "failed"
    return Verdict(
        kind="capacity",
        outcome=ended if valid or ending != "finished" else "invalid",
        sentence=_missed_sentence(capacity, levels, outcome)
        or _capacity_sentence(capacity, lowest, soak),
        broke_first=broke_first(lowest, outcome.binding) if lowest else None,
        capacity=capacity,
        score=task_score(level),
        marks=marks(level),
        price=price(plan.cost, users, capacity, marks(level), level),
        rule=plan.rule,
        flags=[
            *search_doubts(plan, levels, outcome, is_finished=ending == "finished"),
            *unproven(level),
            *_own_delay(level),
            *_flags(plan, levels),
        ],
        failures=failures_of(levels),
        cost=_cost(levels, seconds),
    )


def stopped_by(verdict: Verdict, reason: str) -> Verdict:
    """The verdict of a run that could not play more users; `reason` says why.

    If it could not play any, `reason` is the answer.
    """
    if not verdict.cost.levels:
        sentence = f"No level was run: {reason.rstrip('.')}."
        return verdict.model_copy(update={"stopped": reason, "sentence": sentence, "flags": []})
    flags = [flag for flag in verdict.flags if flag != Flag.INCOMPLETE]
    return verdict.model_copy(update={"stopped": reason, "flags": [reason, *flags]})


def _capacity_sentence(
    capacity: Capacity, lowest: LevelResult | None, soak: LevelResult | None
) -> str:
    """The capacity with its interval; if a soak failed at it, that comes first."""
    if capacity.users is None:
        if lowest is None:
            return "No capacity: no valid level was finished."
        if lowest.users == 1:
            return "Not even 1 user meets the criteria."
        return f"Fewer than {plural('user', lowest.users)}: no level passed."
    if soak is not None:
        return (
            f"The soak of {span(soak.steady_s)} at {plural('user', soak.users)} failed: "
            f"{reason_of(soak, capacity.binding)}. In shorter levels: "
            f"{_capacity_sentence(capacity, lowest, None)}"
        )
    if capacity.at_least or capacity.high is None or capacity.low is None:
        return _lower_bound_sentence(capacity.users, lowest)
    # Round outwards, so that the number of users quoted lies within the interval.
    low, high = count(math.floor(capacity.low)), count(math.ceil(capacity.high))
    return f"{plural('user', capacity.users)} (95% confidence interval {low} to {high})."


def _missed_sentence(
    capacity: Capacity, levels: Sequence[LevelResult], outcome: Outcome
) -> str | None:
    """A sentence if no number of users meets all criteria; else None."""
    if capacity.users is not None or not outcome.missed:
        return None
    last = [level for level in levels if level.users == outcome.published][-1]
    why = [one.sentence for one in last.criteria if one.criterion in outcome.missed]
    meets = "meets" if outcome.published == 1 else "meet"
    most = f"{plural('user', outcome.published)} {meets} the other criteria"
    if capacity.high is None or capacity.low is None:
        return f"At least {most}, but {'; '.join(why)}."
    low, high = count(math.floor(capacity.low)), count(math.ceil(capacity.high))
    return f"{most} (95% confidence interval {low} to {high}), but {'; '.join(why)}."


def _lower_bound_sentence(users: int, lowest: LevelResult | None) -> str:
    """A capacity without an upper end; a failure that may be chance is mentioned, not counted."""
    if lowest is None or lowest.purpose == "soak":
        return f"At least {plural('user', users)}: no level failed up to there."
    failed = plural("user", lowest.users)
    return f"At least {plural('user', users)}: {failed} failed, but too narrowly for an upper end."


def _own_delay(level: LevelResult | None) -> list[str]:
    """How much of the p95 at the level behind the answer may be the generator's own delay."""
    times = level.total.response if level else None
    if level is None or times is None:
        return []
    own_ms = own_delay_ms(times, "p95_ms")
    if own_ms <= max(NOTABLE * times.p95_ms, PROMPT_MS):
        return []
    return [
        (
            f"up to {duration(own_ms)} of the p95 of {duration(times.p95_ms)} at "
            f"{plural('user', level.users)} may be the load generator's own delay; stop other "
            "programs, or use another machine"
        )
    ]


def _flags(plan: Plan, levels: Sequence[LevelResult]) -> list[str]:
    flags = [*full_agents(levels), *neighbours(levels)]
    flags += [text for text in (scaling_doubt(plan), compression_doubt(plan)) if text is not None]
    invalid = [
        level
        for level in levels
        if level.outcome == "invalid" and level.purpose not in ("climb", "recovery")
    ]
    if invalid:
        users = ", ".join(count(level.users) for level in invalid)
        whose = "1 user" if users == "1" else f"{users} users"
        flags.append(f"levels that do not count (see their reasons): {whose}")
    drifting = [level for level in levels if not level.steadiness.steady]
    official = [level for level in drifting if level.purpose in ("official", "soak", "only")]
    if official:
        reasons = "; ".join(official[-1].steadiness.reasons)
        flags.append(f"the level at {plural('user', official[-1].users)} was not steady: {reasons}")
    elif drifting and len(drifting) > len(levels) / 4:
        flags.append(f"{len(drifting)} of {plural('level', len(levels))} were not steady")
    return flags


def _cost(levels: Sequence[LevelResult], seconds: float) -> Cost:
    operations = sum(step.completed + step.failed for level in levels for step in level.steps)
    return Cost(levels=len(levels), seconds=seconds, operations=operations)
