"""What a reader of a searched capacity must know about it, in sentences."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta

from headcount.analyse.price import OPENING
from headcount.analyse.search import Flag, Outcome
from headcount.bundle.level import LevelResult
from headcount.plan.plan import Plan
from headcount.text import count, plural, share, span

_RESENT = "RESENT"
_RESENT_SHARE = 0.01
"""A smaller share of requests sent again is usual: servers close idle connections."""
UNCOUNTED = "at least this many: the levels with more users were invalid"
"""Instead of the generator, where it was not what made them invalid."""


def search_doubts(
    plan: Plan, levels: Sequence[LevelResult], outcome: Outcome, *, is_finished: bool
) -> list[str]:
    """Every doubt that the search itself has."""
    left_out = {one.index + 1 for one in outcome.left_out}
    return [
        *_flags(plan, levels, outcome, is_finished),
        *_left_out(outcome),
        *_recovery(outcome),
        *stalls(levels, left_out),
        *resent(levels, left_out),
        *_uneven(levels, outcome),
        *_changing(outcome),
    ]


def _flags(
    plan: Plan, levels: Sequence[LevelResult], outcome: Outcome, is_finished: bool
) -> list[str]:
    hidden = set() if is_finished else {Flag.INCOMPLETE}
    if plan.search.quick:
        hidden |= {Flag.UNCONFIRMED, Flag.BUDGET_SPENT}
    flags = [flag.value for flag in outcome.flags if flag not in hidden]
    invalid = [level for level in levels if level.outcome == "invalid"]
    if Flag.GENERATOR_LIMITED in outcome.flags and not any(
        one.generator.limited for one in invalid
    ):
        flags[flags.index(Flag.GENERATOR_LIMITED.value)] = UNCOUNTED
    if outcome.widened_by:
        flags.append(f"the interval is wider because of {', '.join(outcome.widened_by)}")
    if plan.search.quick:
        flags.append(
            "a quick search: three minutes do not show a warm-up or a job that comes every few "
            "minutes, so the interval is wide; run without --quick before you rely on it"
        )
    return flags


def stalls(levels: Sequence[LevelResult], left_out: set[int]) -> list[str]:
    """Doubts about the stalls that count; ``left_out`` has the indices of levels to ignore."""
    stalled = [level for level in levels if level.stalls and level.index not in left_out]
    if not stalled:
        return []
    longest = max(stall.seconds for level in stalled for stall in level.stalls)
    return [
        (
            f"the server answered next to nothing for up to {span(longest)} in {len(stalled)} of "
            f"{plural('level', len(levels))}"
        )
    ]


def resent(levels: Sequence[LevelResult], left_out: set[int]) -> list[str]:
    """Doubts about requests that users sent again; ``left_out`` has the indices to ignore."""
    shares = []
    for level in levels:
        again = level.requests.get(_RESENT, 0)
        first = sum(level.requests.values()) - again - level.requests.get(OPENING, 0)
        if first and level.index not in left_out and again / first >= _RESENT_SHARE:
            shares.append((again / first, level.users))
    if not shares:
        return []
    part, users = max(shares)
    return [
        (
            f"with {plural('user', users)}, the server closed kept connections instead of "
            f"answering {part:.0%} of the requests; users sent these again, as browsers do, "
            "so they did not fail: see the server's error log"
        )
    ]


def _left_out(outcome: Outcome) -> list[str]:
    """What the search left out, by level."""
    texts = []
    for one in outcome.left_out:
        level = f"level {one.index + 1} ({plural('user', one.users)})"
        if one.overloaded_by is not None:
            texts.append(
                f"after {plural('user', one.overloaded_by)} the server did not recover with "
                f"{count(one.users)}, which it holds, or nearly, once all have left: an overload "
                f"lasts until users leave; {level} was left out"
            )
        elif one.stalled_s is None:
            texts.append(f"{level} failed, but levels with as many users passed; it was left out")
        else:
            texts.append(
                f"the server answered next to nothing for {span(one.stalled_s)} in {level}; the "
                "search left that out"
            )
    return texts


def _recovery(outcome: Outcome) -> list[str]:
    """At how many users the server recovered from a lasting overload."""
    found = outcome.recovery
    if found is None:
        return []
    after, within = plural("user", found.overload), span(found.within_s)
    if found.recovers_at is None:
        return [
            (
                f"after {after} the server did not recover within {within} even with "
                f"{count(found.down_at)}: end an overload by stopping all load"
            )
        ]
    return [
        (
            f"after {after} the server recovered with {count(found.recovers_at)}, but not with "
            f"{count(found.down_at)} within {within}: to end an overload, limit the load to that"
        )
    ]


def _uneven(levels: Sequence[LevelResult], outcome: Outcome) -> list[str]:
    """How many users the server holds in its bad moments and otherwise, with the worst moment."""
    bad = outcome.moments
    by_index = {level.index - 1: level for level in levels}
    known = [moment for moment in bad.moments if moment.index in by_index]
    if not bad.are_often or not known:
        return []
    worst = min(known, key=lambda moment: moment.held)
    level = by_index[worst.index]
    begun = datetime.fromisoformat(level.started_at)
    begun += timedelta(seconds=level.ramp_s + level.settle_s + worst.after_s)
    return [
        (
            f"{plural('bad moment', len(bad.moments))}, {share(bad.share)} of the time: fewer than "
            f"{count(math.ceil(bad.held))} users in them, about "
            f"{count(math.floor(outcome.otherwise))} otherwise; the worst began at "
            f"{begun:%H:%M:%S} UTC and lasted {span(worst.seconds)} "
            f"({plural('user', level.users)}): look for what ran then"
        )
    ]


def _changing(outcome: Outcome) -> list[str]:
    """How fast the capacity changes."""
    if not outcome.per_s:
        return []
    verb = "falls" if outcome.per_s < 0 else "rises"
    seconds, unit = (3600, "an hour") if abs(outcome.per_s) < 0.2 / 3600 else (60, "a minute")
    change = share(abs(math.expm1(seconds * outcome.per_s)))
    return [
        (
            f"the capacity {verb} by {change} {unit}: look for what grows, such as memory, queues "
            "or files, and repeat"
        )
    ]
