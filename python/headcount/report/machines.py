"""The machines of a run as reports show them: alike machines of agents count as one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.bundle.environment import Side
from headcount.text import count, listed

MOST_KINDS = 8
"""Kinds of machines that a report describes; `environment.json` has every machine."""
MOST_NAMED = 3
"""Numbers and names that are listed; with more, their count."""
_LIKE = (
    "operating_system",
    "memory_bytes",
    "cpu.model",
    "cpu.logical",
    "kernel.release",
    "virtual.product",
    "limits.cpu_limit",
    "limits.open_files_soft",
)
"""Facts that make machines alike: those that a load depends on."""


@dataclass(frozen=True, slots=True)
class Machines:
    """A machine, or several of agents that are alike.

    Attributes:
        side: The first of them, with the names and agent numbers of all.
        number: How many there are.

    """

    side: Side
    number: int

    def heading(self, roles: Mapping[str, str]) -> str:
        """The heading: its role, and which agents are on it."""
        role, agents = roles[self.side.role], self.side.agents
        if not agents:
            return role
        alike = f", on {count(self.number)} machines of one kind" if self.number > 1 else ""
        noun = "agent" if len(agents) == 1 else "agents"
        return f"{role}: {noun} {numbers_text(agents)}{alike}"


def machines(sides: Sequence[Side]) -> list[Machines]:
    """The machines in order, with alike machines of agents merged."""
    found: dict[tuple[Any, ...], list[Side]] = {}
    for place, side in enumerate(sides):
        is_theirs = side.role == "generator" and side.agents and side.host is not None
        key = _likeness(side) if is_theirs else (place,)
        found.setdefault(key, []).append(side)
    return [_as_one(its) for its in found.values()]


def numbers_text(numbers: Sequence[int]) -> str:
    """Numbers of agents; a range by its first and last number.

    >>> numbers_text([4]), numbers_text([1, 3]), numbers_text([2, 3, 4, 5])
    ('4', '1 and 3', '2 to 5')
    >>> numbers_text([1, 3, 5, 7])
    '1, 3, 5 and 1 more'
    """
    if len(numbers) > 2 and [*numbers] == [*range(numbers[0], numbers[0] + len(numbers))]:
        return f"{numbers[0]} to {numbers[-1]}"
    return _first([str(one) for one in numbers])


def _as_one(sides: Sequence[Side]) -> Machines:
    first = sides[0]
    if len(sides) == 1:
        return Machines(first, 1)
    names = [str(side.host["hostname"]) for side in sides if side.host and "hostname" in side.host]
    agents = sorted({number for side in sides for number in side.agents})
    host = {**(first.host or {}), "hostname": _first(names) if names else None}
    return Machines(first.model_copy(update={"host": host, "agents": agents}), len(sides))


def _first(names: Sequence[str]) -> str:
    """The first few, and how many more there are."""
    more = len(names) - MOST_NAMED
    return listed([*names[:MOST_NAMED], *([f"{count(more)} more"] if more > 0 else [])])


def _likeness(side: Side) -> tuple[Any, ...]:
    programs = tuple(sorted(side.programs.items()))
    return (programs, *(_value(side.host or {}, name) for name in _LIKE))


def _value(host: Mapping[str, Any], name: str) -> Any:
    """A fact by its path; None unless it is a plain value."""
    value: Any = host
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, str | int | float) else None
