"""A sign: the evidence for one limit at one level, with its figures."""

from dataclasses import dataclass, field

from headcount.analyse.diagnosis.observation import Observation
from headcount.bundle.diagnosis import Figure, Limit, Side
from headcount.counters.catalogue import lookup


@dataclass(frozen=True, slots=True)
class Sign:
    """Evidence for one limit at one level.

    Attributes:
        limit: The possible limit.
        detail: Its kind; None if there are no kinds.
        score: From 0 to 1: how surely it was at work.
        figures: The evidence, the strongest first.
        size: Places of a pool, ms of a lock, CPUs of a quota, users accepted; for another server
            one of the first two; None if there is no size.
        size_unit: Unit of the size.

    """

    limit: Limit
    detail: str | None
    score: float
    figures: tuple[Figure, ...] = field(default=())
    size: float | None = None
    size_unit: str | None = None


def address_of(sign: Sign) -> str | None:
    """The address of the other server that a sign is about; None if there is none."""
    if sign.limit == "upstream":
        return sign.detail
    words = (sign.detail or "").partition(" to ")
    return words[2] if words[0] == "connections" else None


def figure(
    level: Observation,
    counter: str,
    value: float,
    sentence: str,
    *,
    threshold: float | None = None,
    side: Side | None = None,
    unit: str | None = None,
) -> Figure:
    """A figure of a level; side and unit are derived if not given."""
    if side is None:
        there = [name for name in ("sut", "server") if counter in level.means.get(name, {})]
        side = "server" if there == ["server"] else "sut"
    known = lookup(counter)
    return Figure(
        counter=counter,
        side=side,
        value=value,
        unit=unit or (known.unit if known else "1"),
        threshold=threshold,
        users=level.users,
        sentence=sentence,
    )
