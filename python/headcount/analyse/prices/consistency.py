"""Whether the prices and throughputs that a table prints can be true together.

Two checks that need nothing but the table itself, so they also work on published results:

- A unit price is one price, divided. A printed `13.45` per user at 2,200 users means a price
  from 13.445 x 2,200 to 13.455 x 2,200; all such ranges of one system must share a price.
- The same script makes every user do the same work, so throughput per user hardly differs between
  servers that keep up. A row far from the others has a mistyped figure, or another script.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from statistics import median

FAR = 5.0
"""Robust standard deviations from the median from which a row no longer belongs to its peers. Our
choice: in a table of twelve audited results the mistyped row is 11 and 18 away and every other one
under 3.5."""
SCALE = 1.4826
"""Factor from the median absolute deviation to the standard deviation of normal values: one over
the normal distribution's 75% quantile (Rousseeuw and Croux, 1993)."""
FEWEST_PEERS = 4
"""Fewest rows for a comparison of throughputs: with three, a median absolute deviation may be that
of two values which happen to be alike."""


@dataclass(frozen=True, slots=True)
class Range:
    """From `low` to `high`, both included."""

    low: Decimal
    high: Decimal

    def __contains__(self, value: object) -> bool:
        """Whether a value lies in it."""
        return isinstance(value, Decimal) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Quote:
    """A printed unit price, and the figure by which a price was divided for it.

    Attributes:
        of: The unit: `user`, `NotesMark`.
        printed: The unit price, with as many decimals as are printed: `Decimal("13.45")`.
        figure: How many units there are, above 0; taken as exact.

    """

    of: str
    printed: Decimal
    figure: Decimal

    @property
    def implied(self) -> Range:
        """The system prices that round to what is printed, at half a unit of its last digit."""
        half = Decimal((0, (5,), int(self.printed.as_tuple().exponent) - 1))
        return Range((self.printed - half) * self.figure, (self.printed + half) * self.figure)

    def recomputed(self, price: Decimal) -> Decimal:
        """The unit price that follows from a price, with the decimals of the printed one."""
        return (price / self.figure).quantize(self.printed)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Whether one price fits all quotes of a system.

    Attributes:
        name: The system.
        shared: The prices that fit all quotes; None if there are none.
        misfits: Quotes that do not follow from the stated price, each with the value that does;
            empty if no price is stated.
        matches: Whether there is a shared price and the stated one is it.
        sentence: The finding for people.

    """

    name: str
    shared: Range | None
    misfits: tuple[tuple[Quote, Decimal], ...]
    matches: bool
    sentence: str


@dataclass(frozen=True, slots=True)
class Peer:
    """A row's throughput per user compared with that of its peers.

    Attributes:
        name: The row.
        per_user: Throughput divided by users.
        median: Median of all rows.
        deviations: Robust standard deviations from the median; infinite if all others agree.
        matches: Whether that is at most `FAR`.
        sentence: The finding for people.

    """

    name: str
    per_user: float
    median: float
    deviations: float
    matches: bool
    sentence: str


def shared(quotes: Sequence[Quote]) -> Range | None:
    """The system prices that fit all quotes; None if there are none, or no quotes."""
    ranges = [quote.implied for quote in quotes]
    if not ranges:
        return None
    found = Range(max(one.low for one in ranges), min(one.high for one in ranges))
    return found if found.low <= found.high else None


def agreement(name: str, quotes: Sequence[Quote], stated: Decimal | None = None) -> Agreement:
    """Check that the quotes of a system share one price, and that it is the one stated."""
    common = shared(quotes)
    misfits = () if stated is None else _misfits(quotes, stated)
    matches = not misfits and (common is not None or not quotes)
    return Agreement(name, common, misfits, matches, _statement(name, quotes, common, stated))


def _misfits(quotes: Sequence[Quote], stated: Decimal) -> tuple[tuple[Quote, Decimal], ...]:
    return tuple(
        (quote, quote.recomputed(stated)) for quote in quotes if stated not in quote.implied
    )


def _statement(
    name: str, quotes: Sequence[Quote], common: Range | None, stated: Decimal | None
) -> str:
    if stated is not None and (wrong := _misfits(quotes, stated)):
        text = "; ".join(
            f"{quote.printed:,} per {quote.of} is printed, {right:,} is right"
            for quote, right in wrong
        )
        return f"{name}: a price of {stated:,} does not give what is printed: {text}"
    if common is None:
        text = "; ".join(
            f"{quote.printed:,} per {quote.of} x {quote.figure:,} is {_span(quote.implied)}"
            for quote in quotes
        )
        return (
            f"{name}: no one price gives what is printed: {text}"
            if quotes
            else f"{name}: no prices"
        )
    return f"{name}: a price of {_span(common)} gives all that is printed"


def _span(found: Range) -> str:
    return f"{found.low:,.0f} to {found.high:,.0f}"


def peers(per_user: Mapping[str, float]) -> list[Peer]:
    """Compare throughputs per user, by name, with their median; empty with too few rows.

    The mistyped row is in the sample; median and median absolute deviation tolerate that as long as
    fewer than half of the rows are wrong.
    """
    if len(per_user) < FEWEST_PEERS:
        return []
    middle = median(per_user.values())
    spread = SCALE * median(abs(value - middle) for value in per_user.values())
    return [_peer(name, value, middle, spread) for name, value in per_user.items()]


def _peer(name: str, value: float, middle: float, spread: float) -> Peer:
    off = abs(value - middle)
    deviations = off / spread if spread > 0 else (float("inf") if off > 0 else 0.0)
    matches = deviations <= FAR
    far = (
        "like its peers"
        if matches
        else "far from its peers: a mistyped figure or a different script"
    )
    sentence = f"{name}: {value:.4g} for each user, median {middle:.4g}; {far}"
    return Peer(name, value, middle, deviations, matches, sentence)
