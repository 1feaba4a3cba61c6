"""Changes of hardware as people write them: `2x`, `24->96`, `10GbE`, `64GiB`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headcount.analyse.prediction.resource import Kind, Resource, of_kind
from headcount.errors import InputError
from headcount.fields.units import size_bytes
from headcount.plan.limits import bits_s, cores
from headcount.text import megabytes_per_s, plural, significant

_TIMES = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*[x\N{MULTIPLICATION SIGN}]")
_ETHERNET = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(GbE|MbE)", re.IGNORECASE)
_ARROW = re.compile(r"->|\N{RIGHTWARDS ARROW}")
MOST = 1000.0
"""Largest factor; more is a typing error."""

IN_FULL = {
    "cpu": "--cpus 4 or --cpus 2->4",
    "disk": "--disks 24->96",
    "network": "--network 10GbE or --network 1GbE->10GbE",
}
EXAMPLES = {
    "cpu": f"--cpus 2x, {IN_FULL['cpu']}",
    "disk": f"--disks 2x or {IN_FULL['disk']}",
    "network": f"--network 2x, {IN_FULL['network']}",
}


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one kind of hardware: by a factor, or from one amount to another.

    `amount` and `was` are in cores, disks or bytes/s; `was` is None if the run must show it.
    """

    kind: Kind
    text: str
    factor: float | None
    amount: float | None
    was: float | None = None


def parse(kind: Kind, text: str) -> Change:
    """Read a change; raises InputError."""
    times = _TIMES.fullmatch(text.strip())
    if times is not None:
        factor = _checked(float(times[1]), text, kind)
        return Change(kind, text, factor, None)
    sides = [_amount(kind, part, text) for part in _ARROW.split(text)]
    if len(sides) > 2:
        raise _unreadable(kind, text)
    amount = sides[-1]
    if len(sides) == 1:
        return Change(kind, text, None, amount)
    _checked(amount / sides[0], text, kind)
    return Change(kind, text, amount / sides[0], amount, sides[0])


def memory(text: str) -> float:
    """The new size of the memory in bytes: `64GiB` or `32GiB->64GiB`; raises InputError."""
    return float(size_bytes(_ARROW.split(text)[-1].strip(), "--memory"))


def capacities(found: Sequence[Resource], changes: Sequence[Change]) -> dict[str, float | None]:
    """The capacity of each resource after the changes; raises InputError if one is impossible.

    Parts of a kind (sent and received, read and written) change alike.
    """
    made = {resource.name: resource.capacity for resource in found}
    for change in changes:
        changed = of_kind(found, change.kind)
        if not changed:
            raise InputError(
                f"no prediction for {change.text}: the run has no counter of the "
                f"{_WORD[change.kind]}{_where_counted(found)}"
            )
        for resource in changed:
            made[resource.name] = _changed(resource, change)
    return made


def change_texts(changes: Sequence[Change], found: Sequence[Resource]) -> list[str]:
    """The changes in words, such as `CPU 0.500 cores -> 1.00 cores`, `24 disks -> 96 disks`."""
    parts = []
    for change in changes:
        first = of_kind(found, change.kind)[0]
        now, then = first.capacity, _changed(first, change)
        word = "" if first.unit == "disks" else f"{_WORD[change.kind]} "
        text = f"{word}{amount_text(now, first.unit)} -> {amount_text(then, first.unit)}"
        parts.append(text if now is not None else f"{word}{amount_text(then, first.unit)}")
    return parts


def amount_text(value: float | None, unit: str) -> str:
    """An amount of a resource in its unit."""
    if value is None:
        return "unknown"
    if unit == "By/s":
        return megabytes_per_s(value)
    if unit == "disks" and value == round(value):
        return plural("disk", value)
    return f"{significant(value)} {'requests/s' if unit == '1/s' else unit}"


def _where_counted(found: Sequence[Resource]) -> str:
    """How to get the missing counter; nothing helps if the machine was watched and has none."""
    if of_kind(found, "cpu"):
        return ", and its machine reports none"
    return " or any other of its machine: run again there, or with --source ssh://USER@HOST"


_WORD: Mapping[Kind, str] = {"cpu": "CPU", "disk": "disk", "network": "network"}


def _changed(resource: Resource, change: Change) -> float | None:
    if change.was is not None and resource.unit in ("disks", "By/s") and change.kind != "cpu":
        # `was` stands for the run's own amount, whatever unit the run measured it in.
        if resource.capacity is None or resource.unit == "By/s" == _unit(change):
            return change.amount
        return resource.capacity * (change.factor or 1.0)
    if change.factor is not None:
        if resource.capacity is None:
            raise InputError(
                f"the run does not record how fast its {_WORD[change.kind]} is, so {change.text} "
                f"of it is unknown; write it in full: {IN_FULL[change.kind]}"
            )
        return resource.capacity * change.factor
    if change.kind == "disk" and resource.unit != "disks":
        raise InputError(
            f"the run limited its disk to {amount_text(resource.capacity, resource.unit)}; write "
            f'how many times that: --disks 2x, not "{change.text}"'
        )
    return change.amount


def _unit(change: Change) -> str:
    return "By/s" if change.kind == "network" else change.kind


def _amount(kind: Kind, part: str, text: str) -> float:
    part = part.strip()
    try:
        if kind == "network":
            ethernet = _ETHERNET.fullmatch(part)
            if ethernet is not None:
                speed = float(ethernet[1]) * (1e9 if ethernet[2][0] in "gG" else 1e6) / 8
                if speed <= 0:
                    raise _unreadable(kind, text)
                return speed
            return bits_s(part, "--network") / 8
        if kind == "cpu":
            return cores(part, "--cpus")
        if re.fullmatch(r"[1-9][0-9]{0,5}", part):
            return float(part)
    except InputError as error:
        raise _unreadable(kind, text) from error
    raise _unreadable(kind, text)


def _unreadable(kind: Kind, text: str) -> InputError:
    return InputError(f'"{text}" cannot be read; write {EXAMPLES[kind]}')


def _checked(factor: float, text: str, kind: Kind) -> float:
    if not 1 / MOST <= factor <= MOST:
        raise InputError(
            f'"{text}" is {factor:g} times the measured amount, too far for a prediction '
            f"(write {EXAMPLES[kind]})"
        )
    return factor
