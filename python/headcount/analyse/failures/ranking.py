"""The failures that explain a run: grouped over its levels, the most telling first."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headcount.analyse.failures.causes import Rule, cause_of
from headcount.bundle.failure import Failure
from headcount.bundle.level import FaultResult, LevelResult

MOST = 3
"""Failures that are named; nobody reads a longer list before the answer."""
MOST_CHARACTERS = 240
"""Length at which a message is cut: a server may answer with a whole page."""


@dataclass(slots=True)
class _Group:
    rule: Rule
    step: str
    message: str
    counts: dict[int, int] = field(default_factory=dict)
    """Failures by index of the level."""


def failures_of(levels: Sequence[LevelResult], most: int = MOST) -> list[Failure]:
    """What went wrong, the largest share of a level's scenarios first.

    The level used is the failed one with the fewest users, because beyond it everything goes wrong;
    without failed levels, the one with the most users.
    """
    groups = _groups(levels)
    if not groups:
        return []
    failed = [level for level in levels if level.outcome != "passed"]
    decisive = min(failed, key=lambda level: level.users) if failed else levels[-1]
    ranked = sorted(
        groups,
        key=lambda group: (-group.counts.get(decisive.index, 0), -sum(group.counts.values())),
    )
    by_index = {level.index: level for level in levels}
    return [_failure(group, by_index) for group in ranked[:most]]


def explained(level: LevelResult) -> list[tuple[Rule, str, int]]:
    """What a level's faults mean: the rule, the first message, and how many there are."""
    return [
        (cause_of(fault.kind, message), message, number)
        for fault in level.faults
        for message, number in messages(fault)
    ]


def messages(fault: FaultResult) -> list[tuple[str, int]]:
    """The messages of a fault with their counts; older bundles have only the first message."""
    if fault.groups:
        return [(group.message, group.count) for group in fault.groups]
    return [(fault.examples[0] if fault.examples else "", fault.count)]


def _groups(levels: Sequence[LevelResult]) -> list[_Group]:
    """Faults grouped by step and meaning, whatever their messages say."""
    groups: dict[tuple[str, str, str], _Group] = {}
    for level in levels:
        for fault in level.faults:
            for message, number in messages(fault):
                rule = cause_of(fault.kind, message)
                # Faults that no rule knows are grouped by their message.
                key = (fault.step, rule.id, message if rule.cause == "unknown" else "")
                group = groups.setdefault(key, _Group(rule, fault.step, message))
                group.counts[level.index] = group.counts.get(level.index, 0) + number
    return list(groups.values())


def _failure(group: _Group, levels: dict[int, LevelResult]) -> Failure:
    first = min((levels[index] for index in group.counts), key=lambda level: level.users)
    ended = first.total.completed + first.total.failed
    number = group.counts[first.index]
    text = group.message
    cut = len(text) > MOST_CHARACTERS
    return Failure(
        cause=group.rule.cause,
        id=group.rule.id,
        step=group.step,
        count=sum(group.counts.values()),
        users=first.users,
        share=min(number / ended, 1.0) if ended else 1.0,
        message=text[:MOST_CHARACTERS] + "..." * cut,
        meaning=group.rule.meaning,
        advice=group.rule.advice,
    )
