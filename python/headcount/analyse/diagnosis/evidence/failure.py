"""Signs that the run was stopped by errors, which no resource of the server explains."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.analyse.failures import explained
from headcount.analyse.failures.causes import Rule
from headcount.bundle.diagnosis import Figure
from headcount.bundle.failure import Cause
from headcount.bundle.level import LevelResult
from headcount.text import share

FAILED = "load.failed"
UNDER_LOAD: frozenset[Cause] = frozenset({"timeout", "connection", "turned-away", "unknown"})
"""Causes that overload has too: they count as errors only if they also come with few users."""


ALL = 0.95
"""Share of failed scenarios at the fewest users from which nothing works at any load."""


@dataclass(frozen=True, slots=True)
class _Errors:
    """The most frequent cause of errors at a level."""

    rule: Rule
    share: float
    part: float
    """Share of all faults of the level."""


def sign(levels: Sequence[LevelResult]) -> Sign | None:
    """The errors that stopped the run; None if it was something else.

    They stopped it if most of the bad scenarios of the failed level with the fewest users failed
    rather than being slow. The score is the share of faults with the same cause.
    """
    failed = [level for level in levels if level.outcome == "failed"]
    if not failed:
        return None
    level = min(failed, key=lambda one: (one.users, one.index))
    found = _errors(level)
    if found is None or not _decide(level, found):
        return None
    light = min(levels, key=lambda one: (one.users, one.index))
    heavy = max(levels, key=lambda one: (one.users, one.index))
    other = light if light.users < level.users else heavy
    there = _share(other, found.rule.cause)
    few, many = (there, found.share) if other is light else (found.share, there)
    # A rate may refuse some of a few users: of more users it refuses a larger share.
    kind = "errors.turned_away" if found.rule.cause == "turned-away" else "errors.always"
    always = other.users != level.users and few >= threshold(kind) * many > 0
    if found.rule.cause == "timeout" and other is heavy:
        always = False  # even the lightest level may have been too much for the server
    if found.rule.cause == "unknown" and level is light and found.share >= ALL:
        always = True  # with more users, others may fail for another reason
    if not always and (found.rule.cause in UNDER_LOAD or found.rule.under_load in UNDER_LOAD):
        return None
    figures = [_figure(level, found)]
    if other.users != level.users:
        figures.append(_share_figure(other, there, f"{share(there)} of scenarios failed"))
    return Sign("errors", found.rule.cause, found.part, tuple(figures))


def sign_confidence(found: Sign) -> float:
    """How surely errors stopped the run: by the share of faults with the same cause."""
    most = 0.7 if found.detail == "unknown" else 0.97
    return round(0.5 + (most - 0.5) * between(found.score, 0.3, 0.8), 3)


def _share(level: LevelResult, cause: Cause) -> float:
    """The share of failed scenarios, if the same cause is the most frequent; else 0."""
    found = _errors(level)
    return found.share if found is not None and found.rule.cause == cause else 0.0


def _errors(level: LevelResult) -> _Errors | None:
    """The most frequent cause, and the share of scenarios that failed for any cause."""
    causes: Counter[Cause] = Counter()
    first: dict[Cause, Rule] = {}
    for rule, _, number in explained(level):
        causes[rule.cause] += number
        first.setdefault(rule.cause, rule)
    if not causes:
        return None
    cause, number = causes.most_common(1)[0]
    ended = level.total.completed + level.total.failed
    failed = level.total.failed / ended if ended else 1.0
    return _Errors(first[cause], failed, number / causes.total())


def _decide(level: LevelResult, found: _Errors) -> bool:
    """Whether errors, not slowness, made the level fail."""
    if found.rule.cause == "data":
        return True
    bad = max(level.total.overloaded, level.total.failed)
    unserved = (level.users_unserved or 0) / level.users
    enough = found.share >= threshold("errors.share") or unserved >= threshold("errors.unserved")
    return enough and (not bad or level.total.failed >= threshold("errors.most") * bad)


def _figure(level: LevelResult, found: _Errors) -> Figure:
    return _share_figure(level, found.share, f"{share(found.share)} of scenarios failed")


def _share_figure(level: LevelResult, value: float, text: str) -> Figure:
    return Figure(
        counter=FAILED,
        side="load",
        value=value,
        unit="1",
        threshold=None,
        users=level.users,
        sentence=text,
    )
