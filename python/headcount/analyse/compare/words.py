"""Figures of a comparison as people read them."""

from collections.abc import Callable, Mapping

from headcount.analyse.compare.comparison import Difference
from headcount.analyse.compare.metrics import BY_ID
from headcount.text import DASH, duration, plural, share, significant, storage

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
    if unit in _WRITTEN:
        return _WRITTEN[unit](number)
    if unit.startswith("1/"):
        return f"{significant(number)}{unit[1:]}"
    return f"{significant(number)} {unit}"


_WRITTEN: Mapping[str, Callable[[float], str]] = {
    "users": lambda number: plural("user", number),
    "ms": duration,
    "s": lambda number: duration(number * 1000),
    "By": storage,
    "share": share,
    "1": significant,
}
"""Formats of units whose figures are not written as they are."""


def directions(one: Difference) -> tuple[str, str]:
    """Both directions for a table: b relative to a, and the way back.

    For times the way back is the speed; for a cost it is how many you get for the same; for an
    amount it is a relative to b.
    """
    there, back = percent(one.ratio), percent(1 / one.ratio)
    kind = BY_ID[one.metric].kind
    if kind == "time":
        return f"{there} time", f"{significant(1 / one.ratio)}\N{MULTIPLICATION SIGN} the speed"
    if kind == "cost":
        return there, f"{significant(1 / one.ratio)}\N{MULTIPLICATION SIGN} for the same"
    return there, f"{one.first} {back}"


TWICE = 2.0
"""From here on, a multiple is easier to read than a percentage."""


def percent(ratio: float) -> str:
    """How much more or less.

    >>> [percent(x) for x in (0.781, 1.28, 4.03)]
    ['21.9% less', '28.0% more', '4.03 times as much']
    """
    if ratio >= TWICE:
        return f"{significant(ratio)} times as much"
    return f"{share(abs(ratio - 1))} {'more' if ratio >= 1 else 'less'}"


def signed(ratio: float) -> str:
    """The same with signs, if room is scarce.

    >>> [signed(x) for x in (0.781, 1.28, 4.03)]
    ['-21.9%', '+28.0%', 'x4.03']
    """
    if ratio >= TWICE:
        return f"x{significant(ratio)}"
    return f"{'+' if ratio >= 1 else '-'}{share(abs(ratio - 1))}"


def reach(one: Difference) -> str:
    """The 95% interval of the change, short; a dash without one."""
    if one.interval is None:
        return DASH
    low, high = (percent(end) for end in one.interval)
    ends = [end.removesuffix(" times as much") for end in (low, high)]
    if low.endswith("much") and high.endswith("much"):
        return f"{ends[0]} to {ends[1]} times"
    if low.split(" ")[1:] == high.split(" ")[1:]:
        return f"{low.split(' ')[0]} to {high}"
    return f"{low} to {high}"


def figures(one: Difference) -> tuple[str, str]:
    """Both figures of a difference."""
    return value(one.a.value, one.unit), value(one.b.value, one.unit)


def at(one: Difference) -> str:
    """Where it was measured, to follow a noun; empty for answers."""
    return "" if one.users is None else f"at {plural('user', one.users)}"


def noun(one: Difference) -> str:
    """The metric within a sentence."""
    if one.metric in _NOUNS:
        return _NOUNS[one.metric]
    return one.label if one.label.startswith("p") else one.label[:1].lower() + one.label[1:]
