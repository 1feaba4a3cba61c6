"""Figures of a comparison as people read them."""

from headcount.analyse.compare.record import Difference
from headcount.text import DASH, count, duration, significant, storage

_NOUNS = {
    "capacity": "the capacity",
    "plateau": "throughput at the plateau",
    "score": "the score",
    "score.time": "the score",
    "marks": "marks a minute",
    "price": "the price per user",
    "throughput": "throughput",
}


def value(number: float, unit: str) -> str:
    """A figure with its unit.

    >>> [value(x, u) for x, u in ((1234.4, "users"), (0.2, "ms"), (0.0031, "s"), (4096, "By"))]
    ['1,234 users', '200 µs', '3.10 ms', '4.10 kB']
    """
    if unit == "users":
        return f"{count(number)} users"
    if unit == "ms":
        return duration(number)
    if unit == "s":
        return duration(number * 1000)
    if unit == "By":
        return storage(number)
    if unit == "1":
        return significant(number)
    return (
        f"{significant(number)}{unit[1:]}"
        if unit.startswith("1/")
        else (f"{significant(number)} {unit}")
    )


def bounds(interval: tuple[float, float] | None, unit: str) -> str:
    """An interval in brackets, the unit once; a dash where there is none."""
    if interval is None:
        return DASH
    return f"{value(interval[0], unit)}{DASH}{value(interval[1], unit)}"


def figures(one: Difference) -> tuple[str, str]:
    """Both figures of a difference."""
    return value(one.a.value, one.unit), value(one.b.value, one.unit)


def at(one: Difference) -> str:
    """Where it was measured, to follow a noun; empty of answers."""
    return "" if one.users is None else f"at {count(one.users)} users"


def noun(one: Difference) -> str:
    """The metric within a sentence."""
    if one.metric in _NOUNS:
        return _NOUNS[one.metric]
    return one.label if one.label.startswith("p") else one.label[:1].lower() + one.label[1:]
