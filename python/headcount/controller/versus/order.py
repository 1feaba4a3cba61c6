"""Which side begins a pair."""

import random
from typing import Literal

from headcount.bundle.versus import SideName

Order = Literal["abba", "random"]
ORDERS: tuple[Order, ...] = ("abba", "random")


def first_side(order: Order, seed: int, round_: int, place: int = 0) -> SideName:
    """Which side begins the pair at a place of a round, both from 0.

    ABBA: alternating from round to round at each place, and from place to place in each round, so
    that neither side always follows the other. Random: a coin toss for each pair, from the seed.
    Both keep a drift from looking like a difference (docs/comparing-live.md).
    """
    if order == "abba":
        return "A" if (round_ + place) % 2 == 0 else "B"
    return random.Random(f"{seed} versus {round_} {place}").choice(("A", "B"))


def in_order(first: SideName) -> tuple[SideName, SideName]:
    """Both sides, in order."""
    return ("A", "B") if first == "A" else ("B", "A")
