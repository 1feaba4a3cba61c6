"""The functions that formulas of checks can call."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Any

from headcount.analyse.prices import consistency


class Shared:
    """The prices that fit all quotes of a system; false if there is none."""

    def __init__(self, found: consistency.Range | None) -> None:
        """Wrap the range of shared prices; None if there is none."""
        self._found = found

    def __bool__(self) -> bool:
        """Whether there is such a price."""
        return self._found is not None

    def __format__(self, _spec: str) -> str:
        """For a person."""
        if self._found is None:
            return "no price"
        return f"${self._found.low:,.0f} to ${self._found.high:,.0f}"


def unit_of(printed: Decimal) -> Decimal:
    """One unit of the last printed digit: 0.01 for 17.40."""
    return Decimal((0, (1,), int(printed.as_tuple().exponent)))


def rounds(value: Decimal, printed: Decimal) -> bool:
    """Whether a value rounds to what is printed, to half a unit of its last digit."""
    return abs(value - printed) <= unit_of(printed) / 2


def near(value: Decimal, other: Decimal, most: Decimal) -> bool:
    """Whether two values differ by at most `most`."""
    return abs(value - other) <= most


def quote(printed: Decimal, figure: Decimal) -> consistency.Quote:
    """A printed unit price, and the figure by which the price was divided for it."""
    return consistency.Quote("each", printed, figure)


def shared(quotes: Sequence[consistency.Quote]) -> Shared:
    """The prices of a system that fit all quotes."""
    return Shared(consistency.shared(quotes))


def deviations(values: Sequence[Decimal], index: int | Decimal) -> float:
    """How many robust standard deviations one of the values is from the median of all."""
    rows = consistency.peers({str(i): float(value) for i, value in enumerate(values)})
    return rows[int(index)].deviations


def steps(values: Sequence[Decimal]) -> list[Decimal]:
    """The differences between successive values."""
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
