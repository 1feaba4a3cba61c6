"""A counter's value in words, by its unit."""

import math
from collections.abc import Callable, Mapping

from headcount.text import DASH, clean, duration, memory, share, significant


def value(number: float | None, unit: str | None) -> str:
    """A value with its unit, as short as possible.

    >>> [value(0.5, "1"), value(3 * 2**30, "By"), value(2.0, "ms"), value(7.0, "{process}")]
    ['50.0%', '3.00 GiB', '2.00 ms', '7']
    >>> [value(1.5e6, "By/s"), value(250.0, "{fault}/s"), value(3.0, "1/s"), value(2.5, "GHz")]
    ['1.43 MiB/s', '250/s', '3/s', '2.50 GHz']
    """
    if number is None or not math.isfinite(number):
        return DASH
    if unit in _KNOWN:
        return _KNOWN[unit](number)
    if unit is None:
        return short(number)
    if unit.startswith("{"):
        return short(number) + clean(unit.partition("}")[2])
    return f"{short(number)} {clean(unit)}"


def short(number: float) -> str:
    """A number without unit; whole ones as such.

    >>> [short(7.0), short(0.0123), short(1234567.0)]
    ['7', '0.0123', '1,234,567']
    """
    if number == round(number) and abs(number) < 1e6:
        return f"{number:,.0f}"
    return significant(number)


_KNOWN: Mapping[str | None, Callable[[float], str]] = {
    "1": share,
    "By": memory,
    "By/s": lambda number: f"{memory(number)}/s",
    "1/s": lambda number: f"{short(number)}/s",
    "s": lambda number: duration(number * 1000),
    "ms": duration,
    "us": lambda number: duration(number / 1000),
}
"""Formats of values, by unit."""


def unit_name(unit: str | None) -> str:
    """A unit as a column's head or a list has it.

    >>> [unit_name(u) for u in ("1", "By", "{process}", "{fault}/s", None)]
    ['share, 0 to 1', 'bytes', 'processes', 'faults/s', '']
    """
    if unit is None:
        return ""
    known = {"1": "share, 0 to 1", "By": "bytes", "By/s": "bytes/s", "1/s": "per second"}
    if unit in known:
        return known[unit]
    if unit.startswith("{"):
        noun, _, per = unit[1:].partition("}")
        ending = "es" if noun.endswith(("s", "x", "ch")) else "s"
        return f"{clean(noun)}{ending}{per}"
    return clean(unit)
