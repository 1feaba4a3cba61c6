"""What formulas of checks can call."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from statistics import median
from typing import Any

SCALE = Decimal("1.4826")
"""Makes the median absolute deviation estimate the standard deviation of normal values (Rousseeuw
and Croux, Alternatives to the Median Absolute Deviation, JASA 88, 1993)."""


class Range:
    """Prices from `low` to `high`; false where none is left."""

    def __init__(self, low: Decimal, high: Decimal) -> None:
        """From `low` to `high`."""
        self.low = low
        self.high = high

    def __bool__(self) -> bool:
        """Whether anything is left."""
        return self.low <= self.high

    def __format__(self, _spec: str) -> str:
        """For a person."""
        return f"${self.low:,.0f} to ${self.high:,.0f}" if self else "no price"


def unit_of(printed: Decimal) -> Decimal:
    """One in the last digit that is printed: 0.01 of 17.40."""
    return Decimal((0, (1,), int(printed.as_tuple().exponent)))


def rounds(value: Decimal, printed: Decimal) -> bool:
    """Whether a value is what is printed, to half a unit of its last digit."""
    return abs(value - printed) <= unit_of(printed) / 2


def near(value: Decimal, other: Decimal, most: Decimal) -> bool:
    """Whether two values differ by `most` or less."""
    return abs(value - other) <= most


def quote(printed: Decimal, figure: Decimal) -> Range:
    """The prices of a system that make the price of each that is printed."""
    half = unit_of(printed) / 2
    return Range((printed - half) * figure, (printed + half) * figure)


def shared(quotes: Sequence[Range]) -> Range:
    """The prices that fit all quotes."""
    return Range(max(one.low for one in quotes), min(one.high for one in quotes))


def deviations(values: Sequence[Decimal], index: int | Decimal) -> Decimal:
    """How many robust standard deviations one of the values is from the median of all."""
    middle = median(values)
    spread = SCALE * median([abs(value - middle) for value in values])
    return abs(values[int(index)] - middle) / spread


def steps(values: Sequence[Decimal]) -> list[Decimal]:
    """From each value to the next."""
    return [later - earlier for earlier, later in pairwise(values)]


def alike(values: Sequence[Any]) -> bool:
    """Whether all values are the same."""
    return all(value == values[0] for value in values)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "alike": alike,
    "deviations": deviations,
    "hexa": lambda text: int(text, 16),
    "len": len,
    "ln": lambda value: Decimal(value).ln(),
    "max": max,
    "min": min,
    "near": near,
    "quote": quote,
    "rest": lambda values: values[1:],
    "rounds": rounds,
    "shared": shared,
    "steps": steps,
    "zip": lambda *lists: list(zip(*lists, strict=True)),
}
