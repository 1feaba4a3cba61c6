"""The diagnosis of a run, from its bundle."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headcount.analyse.diagnosis.advice import (
    BLIND,
    OR_A_RATE,
    advice,
    advice_kind,
    failure_advice,
)
from headcount.analyse.diagnosis.confidence import confidence, confidence_word, could_be_a_rate
from headcount.analyse.diagnosis.decide import SOFTWARE, Decision, decide
from headcount.analyse.diagnosis.doubts import doubts
from headcount.analyse.diagnosis.evidence import delay, failure, pause, upstream
from headcount.analyse.diagnosis.happened import alone_s, counters_before, programs_behind
from headcount.analyse.diagnosis.kills import kills
from headcount.analyse.diagnosis.limit_names import NAMES
from headcount.analyse.diagnosis.log_lines import log_lines, named_limits
from headcount.analyse.diagnosis.observation import Observation, observe
from headcount.analyse.diagnosis.others import OTHERS, others_share
from headcount.analyse.diagnosis.projection import projection
from headcount.analyse.diagnosis.resample import seconds_of
from headcount.analyse.diagnosis.ruled_out import not_observed, ruled_out
from headcount.analyse.diagnosis.sentences import candidate_text, sentence
from headcount.analyse.diagnosis.sight import can_prove, missing_text
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.turns import PROGRAM, Turns, alternating_limits
from headcount.analyse.diagnosis.waits import waits
from headcount.analyse.diagnosis.weigh import Known, Weighed, weigh
from headcount.bundle import stacks as stack_files
from headcount.bundle.diagnosis import Candidate, Diagnosis, LevelScores, Limit, Waits
from headcount.bundle.environment import ServerFound
from headcount.bundle.level import LevelResult, counted
from headcount.bundle.reader import Bundle
from headcount.bundle.stacks import LevelStacks
from headcount.plan.criteria import GOALS, parse
from headcount.text import significant

LOG_SURE = 1.15
"""Factor of the confidence if a line of the server's log agrees."""


GOAL_MISSED = "goal"
"""The kind of advice if only criteria on throughput or counters were broken."""
LATE = "late"
"""The same if response times broke theirs, although nothing was full."""


def diagnose(bundle: Bundle) -> Diagnosis | None:
    """What stopped the server of a run; None if no level was finished.

    Pure: reads only the bundle, and gives the same result for the same bundle.
    """
    server = bundle.environment.server if bundle.environment is not None else None
    seen = stack_files.read(bundle.folder)
    levels = counted(bundle.levels)
    return of_levels(levels, bundle.stretches, bundle.events, server, seen)


def _measured_in_full(levels: Sequence[LevelResult]) -> Sequence[LevelResult]:
    """The levels that are not climbs, still logging users on, or after an overload."""
    return [level for level in levels if level.purpose not in ("climb", "recovery")] or levels


def of_levels(
    levels: Sequence[LevelResult],
    seconds: Iterable[Mapping[str, Any]] = (),
    events: Iterable[Mapping[str, Any]] = (),
    server: ServerFound | None = None,
    stacks: Sequence[LevelStacks] = (),
) -> Diagnosis | None:
    """The diagnosis of levels; less certain without their seconds.

    `server` is the server found on this machine, if it was looked for; `stacks` are its threads'.
    """
    if not levels:
        return None
    levels, every = _measured_in_full(levels), list(seconds)
    killed = kills(levels, every)
    observations = [observe(level, killed.get(level.index)) for level in levels]
    measured = seconds_of(every)
    happened = list(events)
    lines = log_lines(happened)
    pausing = pause.sign(observations, measured)
    known = Known(server, alone_s(happened), pausing, counters_before(happened))
    weighed = weigh(observations, known)
    failing = failure.sign(levels) if weighed.killed is None else None
    if failing is not None:
        return _of_errors(levels, failing, observations, weighed)
    decision, turns, sure = _decision(weighed, observations, named_limits(lines), measured)
    named = (decision.limit, *(sign.limit for sign in decision.joint))
    more = doubts(decision, weighed, observations)
    sign, programs = decision.sign, programs_behind(happened)
    kind = _advice_kind(decision, weighed, programs)
    if decision.limit == "none" and _broke(levels) is not None:
        kind = GOAL_MISSED if _is_goal(levels) else LATE
    suggestions = advice(decision.limit, kind, levels)
    if could_be_a_rate(decision, weighed, measured):
        more.append(_or_a_rate(weighed))
        suggestions += advice("pool", OR_A_RATE)
    if turns is not None:
        more.insert(0, _in_turns(turns))
    return Diagnosis(
        limit=decision.limit,
        detail=sign.detail if sign else None,
        size=sign.size if sign else None,
        size_unit=sign.size_unit if sign else None,
        confidence=sure,
        confidence_word=confidence_word(sure),
        sentence=sentence(
            decision,
            broke=_broke(levels),
            is_goal=_is_goal(levels),
            why_unknown=_why(decision, weighed, server),
            most_time=upstream.time_text(weighed.seen) or delay.time_text(weighed.seen),
            programs=programs,
        ),
        saturation=weighed.seen.elasticity,
        figures=list(sign.figures) if sign else [],
        runner_up=_runner_up(decision, weighed),
        joint=[_candidate(other) for other in decision.joint],
        candidates=[_candidate(other) for other in decision.ranked],
        ruled_out=ruled_out(decision, weighed),
        next=None
        if _is_blind(decision, weighed)
        else projection(observations, weighed.seen, named),
        log_lines=[line for line in lines if line.limit in named] or lines,
        advice=suggestions,
        not_observed=not_observed(weighed),
        doubts=more,
        waits=_waits(decision, weighed, observations, stacks, happened),
        levels=_course(observations, weighed),
    )


def _decision(
    weighed: Weighed,
    observations: Sequence[Observation],
    logged: frozenset[Limit],
    measured: Mapping[int, Sequence[Mapping[str, Any]]],
) -> tuple[Decision, Turns | None, float]:
    """The decision, the two limits if they alternate, and the confidence; a log names `logged`."""
    decision = _corrected_by_log(decide(weighed), logged)
    turns = alternating_limits(weighed.seen, measured) if weighed.killed is None else None
    if turns is not None and _may_alternate(decision, turns):
        decision = _alternating(decision, weighed, turns)
        sure = turns.confidence
    else:
        turns = None
        sure = confidence(decision, weighed, observations, measured)
    if decision.limit in logged:
        sure = min(sure * LOG_SURE, 0.99)
    return decision, turns, sure


def _or_a_rate(weighed: Weighed) -> str:
    return (
        f"a rate limit of {significant(weighed.seen.most_per_s)} scenarios/s would look the same: "
        "throughput is as even as a clock"
    )


def _in_turns(turns: Turns) -> str:
    return f"{NAMES[turns.first]} and {NAMES[turns.second]} limit in turns, rarely both at once"


def _is_blind(decision: Decision, weighed: Weighed) -> bool:
    """Whether the limit is unknown because the server's processes are not observed."""
    return (
        decision.limit == "unknown" and bool(weighed.seen.levels) and weighed.sight != "processes"
    )


def _advice_kind(decision: Decision, weighed: Weighed, programs: Mapping[str, str]) -> str | None:
    if _is_blind(decision, weighed):
        return BLIND
    if others_share(decision, weighed) is not None:
        return OTHERS
    return advice_kind(decision.sign, programs) if decision.sign is not None else None


def _of_errors(
    levels: Sequence[LevelResult],
    failing: Sign,
    observations: Sequence[Observation],
    weighed: Weighed,
) -> Diagnosis:
    """The diagnosis of a run that errors stopped: it says nothing about resources."""
    decision = Decision("errors", failing, (), (failing,), weighed.seen.elasticity is not None)
    sure = failure.sign_confidence(failing)
    return Diagnosis(
        limit="errors",
        detail=failing.detail,
        size=None,
        size_unit=None,
        confidence=sure,
        confidence_word=confidence_word(sure),
        sentence=sentence(decision, broke=None, why_unknown=""),
        saturation=weighed.seen.elasticity,
        figures=list(failing.figures),
        runner_up=None,
        joint=[],
        candidates=[_candidate(failing)],
        ruled_out=[],
        next=None,
        log_lines=[],
        advice=failure_advice(levels),
        not_observed=[],
        doubts=[],
        levels=_course(observations, weighed),
    )


def _corrected_by_log(decision: Decision, names: frozenset[Limit]) -> Decision:
    """The server's log decides between a pool and a lock, which are hard to distinguish."""
    if decision.limit != "lock" or "pool" not in names:
        return decision
    pool = next((sign for sign in decision.ranked if sign.limit == "pool"), None)
    if pool is None:
        return decision
    others = tuple(sign for sign in decision.ranked if sign is not pool)
    return replace(decision, limit="pool", sign=pool, ranked=(pool, *others))


def _may_alternate(decision: Decision, turns: Turns) -> bool:
    """Whether alternating limits explain the limit that the means gave.

    A process that uses every core in one second and none in the next looks like one whose threads
    take turns on a core.
    """
    if decision.limit in ("pool", "lock", "unknown"):
        return True
    if decision.limit == "thread" and decision.sign is not None:
        return decision.sign.detail == "one process"
    return turns.second != PROGRAM and decision.limit in (turns.first, turns.second)


def _alternating(decision: Decision, weighed: Weighed, turns: Turns) -> Decision:
    first, second = turns.sign, weighed.signs[turns.second]
    both = (turns.first, turns.second)
    others = tuple(sign for sign in decision.ranked if sign.limit not in both)
    return replace(
        decision, limit=turns.first, sign=first, joint=(second,), ranked=(first, second, *others)
    )


def _waits(
    decision: Decision,
    weighed: Weighed,
    observations: Sequence[Observation],
    stacks: Sequence[LevelStacks],
    events: Sequence[Mapping[str, Any]],
) -> Waits | None:
    """What threads wait for at the limit; None if the server's limit was not reached."""
    recorded = {one.level for one in stacks}
    valid = [one for one in observations if one.valid and one.index in recorded]
    deciding = {one.index for one in weighed.seen.levels}
    top = [one for one in valid if one.index in deciding] or valid
    if not top or decision.limit == "generator":
        return None
    at_limit = max(top, key=lambda one: (one.users, one.index))
    few = min(valid, key=lambda one: (one.users, one.index))
    fewer = (few.index, few.users) if few.users < at_limit.users else None
    return waits(stacks, events, (at_limit.index, at_limit.users), fewer)


def _runner_up(decision: Decision, weighed: Weighed) -> Candidate | None:
    """The strongest candidate that is not named yet, if there is evidence for it."""
    if decision.limit == "unknown" and decision.saturated is None:
        return None
    named = {decision.limit, *(sign.limit for sign in decision.joint)}
    others = [
        sign
        for sign in decision.ranked
        if sign.limit not in named
        and sign.score > 0
        and can_prove(weighed.sight, sign)
        # If nothing is full, nobody waits for a place.
        and (decision.saturated is not False or sign.limit not in SOFTWARE)
    ]
    return _candidate(others[0]) if others else None


def _candidate(sign: Sign) -> Candidate:
    return Candidate(
        limit=sign.limit,
        detail=sign.detail,
        score=round(sign.score, 4),
        figures=list(sign.figures),
        sentence=candidate_text(sign),
    )


def _course(observations: Sequence[Observation], weighed: Weighed) -> list[LevelScores]:
    deciding = {o.index for o in weighed.seen.levels}
    return [
        LevelScores(
            index=o.index,
            users=o.users,
            valid=o.valid,
            saturated=o.index in deciding,
            scores={limit: round(sign.score, 4) for limit, sign in weighed.levels[o.index].items()},
        )
        for o in sorted(observations, key=lambda o: (o.users, o.index))
    ]


def _broke(levels: Sequence[LevelResult]) -> str | None:
    failed = [level for level in levels if level.outcome == "failed" and level.reasons]
    first = min(failed, key=lambda level: level.users, default=None)
    return first.reasons[0].rstrip(".") if first is not None else None


def _is_goal(levels: Sequence[LevelResult]) -> bool:
    """Whether levels failed only criteria on throughput or counters."""
    failed = [level for level in levels if level.outcome == "failed"]
    broken = [one for level in failed for one in level.criteria if not one.passed]
    return bool(broken) and all(parse(one.criterion).metric in GOALS for one in broken)


def _why(decision: Decision, weighed: Weighed, server: ServerFound | None) -> str:
    """Why the limit is unknown."""
    if not weighed.seen.levels:
        return "no level is valid"
    if decision.saturated is None and weighed.sight in ("processes", "machine"):
        return "no two levels are far enough apart in users, and the server waited for no resource"
    if weighed.sight != "processes":
        return missing_text(weighed.sight, server)
    return "throughput is flat, but the server waited for no resource that was observed"
