"""Alerts: thresholds for counters, and when counters crossed them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Literal

from headcount.counters.catalogue import Counter, catalogue, label, lookup
from headcount.counters.value_text import unit_name
from headcount.errors import InputError
from headcount.text import clean

_FORM = re.compile(
    r"\s*(?P<counter>.+?)\s*(?P<side>[<>])\s*(?P<level>-?[\d.]+(?:e[+-]?\d+)?)\s*(?P<percent>%?)\s*"
)

_SHARE = "1"
_ABOVE_ONE = frozenset(
    {
        "process.cpu.busiest_process",
        "system.memory.commit_utilization",
        "system.windows.cpu.utility",
        "system.windows.disk.time",
    }
)
"""Shares that can exceed 1."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What is watched for.

    Attributes:
        text: As it was given.
        counter: Name or label of the counters, or a pattern of either: `system.disk.utilization*`.
        side: `over` or `under`.
        level: In the counter's unit; a share is 0 to 1.

    """

    text: str
    counter: str
    side: Literal["over", "under"]
    level: float

    def meets(self, value: float) -> bool:
        """Whether a value is beyond the threshold, not just at it."""
        return value > self.level if self.side == "over" else value < self.level

    def watches(self, name: str) -> bool:
        """Whether a counter is one of those that it covers."""
        return matches(self.counter, name)


@dataclass(frozen=True, slots=True)
class Event:
    """A counter went beyond a threshold, or came back.

    Attributes:
        lasted_s: How long it was beyond; None for the start of an alert.

    """

    at_s: float
    source: str
    name: str
    condition: Condition
    value: float
    lasted_s: float | None

    @property
    def state(self) -> Literal["raised", "ended"]:
        """Whether the alert starts or ends."""
        return "raised" if self.lasted_s is None else "ended"


def parse(text: str) -> Condition:
    """Read a condition such as `system.cpu.utilization>0.9` or `CPU busy > 90%`.

    Raises InputError if it is not a condition, or if its number cannot be in the counter's unit.
    """
    found = _FORM.fullmatch(text)
    try:
        level = float(found["level"]) if found else 0.0
    except ValueError:
        found = None
    if found is None:
        raise InputError(
            f'cannot read the alert "{clean(text)}"; write a counter, > or <, and a number: '
            '"system.cpu.utilization>0.9" or "CPU busy>90%"'
        )
    side: Literal["over", "under"] = "over" if found["side"] == ">" else "under"
    _check_unit(text, found["counter"], level, is_percent=bool(found["percent"]))
    if found["percent"]:
        level = round(level / 100, 12)
    return Condition(text.strip(), found["counter"], side, level)


def _check_unit(text: str, counter: str, level: float, *, is_percent: bool) -> None:
    """Raise InputError if a number is in percent of no share, or is a share above 1."""

    def is_wrong(one: Counter) -> bool:
        if is_percent or one.unit != _SHARE:
            return is_percent and one.unit != _SHARE
        return level > 1 and one.name not in _ABOVE_ONE

    named = lookup(counter)
    known = [one for one in catalogue().values() if matches(counter, one.name)]
    known = known or ([] if named is None else [named])
    if known and all(map(is_wrong, known)):
        instead = f"{level:g}%" if not is_percent else "a number without %"
        raise InputError(
            f'the alert "{clean(text)}" is in another unit: that of {known[0].label} is '
            f"{unit_name(known[0].unit)}; write {instead}"
        )


@lru_cache(maxsize=65_536)  # asked for each counter of each sample
def matches(pattern: str, name: str) -> bool:
    """Whether a pattern means a counter: its name, its label, or a pattern of either.

    Without a `*`, a pattern means exactly one counter; braces and brackets in names are literal.

    >>> matches("system.cpu.*", "system.cpu.utilization{cpu.mode=user}")
    True
    >>> matches("CPU busy", "system.cpu.utilization")
    True
    >>> matches("system.cpu.utilization", "system.cpu.utilization{cpu.mode=user}")
    False
    """
    folded = pattern.casefold().replace("[", "[[]")
    return any(fnmatchcase(text.casefold(), folded) for text in (name, label(name)))


@dataclass
class Alerts:
    """Conditions, which counters are beyond them now, and what happened."""

    conditions: list[Condition] = field(default_factory=list)
    raised_s: dict[tuple[str, str, Condition], float] = field(default_factory=dict)
    """Since when each is beyond, by source, counter and condition."""

    def take(self, source: str, at_s: float, values: Mapping[str, float]) -> Iterator[Event]:
        """Evaluate a sample; a counter that it lacks keeps its state."""
        for condition in self.conditions:
            for name, value in values.items():
                if not condition.watches(name):
                    continue
                key = (source, name, condition)
                since_s = self.raised_s.get(key)
                if condition.meets(value) and since_s is None:
                    self.raised_s[key] = at_s
                    yield Event(at_s, source, name, condition, value, None)
                elif not condition.meets(value) and since_s is not None:
                    del self.raised_s[key]
                    yield Event(at_s, source, name, condition, value, max(at_s - since_s, 0.0))

    def remove(self, condition: Condition) -> None:
        """Stop watching for it."""
        self.conditions.remove(condition)
        self.raised_s = {key: at for key, at in self.raised_s.items() if key[2] != condition}
