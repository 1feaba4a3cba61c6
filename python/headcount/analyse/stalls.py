"""Times when a server answered next to nothing although users waited."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

FEW = 0.25
"""Share of the usual answers below which a second counts as having none: a stall begins and ends
within a second."""

LEAST_EXPECTED = 25.0
"""Fewest answers that a stall must have prevented. Where 25 are expected, 6 or fewer come by chance
once in 100,000 times (Poisson): a level of minutes has no stall by chance."""

WAITING = 0.3
"""Users who wait at the end of a stall, as a share of the missing answers or of all users. In a
lull, nobody waits."""


@dataclass(frozen=True, slots=True)
class Second:
    """About one second of a level: how much was answered in it, and who waited at its end."""

    seconds: float
    answered: int
    waiting: int


@dataclass(frozen=True, slots=True)
class Stall:
    """A stall: seconds from the start of the measured part, and its length."""

    after_s: float
    seconds: float


def stalls(measured: Sequence[Second], users: int) -> tuple[Stall, ...]:
    """The stalls of a level, as whole seconds."""
    rates = [second.answered / second.seconds for second in measured if second.seconds > 0]
    usual = statistics.median(rates) if rates else 0.0
    found, begun_s, now_s = [], None, 0.0
    before: Second | None = None
    for second in (*measured, None):
        is_quiet = second is not None and second.answered <= FEW * usual * second.seconds
        if begun_s is not None and not is_quiet and before is not None:
            expected = usual * (now_s - begun_s)
            if expected >= LEAST_EXPECTED and before.waiting >= WAITING * min(expected, users):
                found.append(Stall(begun_s, now_s - begun_s))
            begun_s = None
        if is_quiet and begun_s is None:
            begun_s = now_s
        if second is not None:
            now_s += second.seconds
            before = second
    return tuple(found)
