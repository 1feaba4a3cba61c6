"""The server on another machine to read counters of."""

from dataclasses import dataclass

from headcount.counters.proc.named import NOBODY, Named
from headcount.counters.proc.serving import Place


@dataclass(frozen=True, slots=True)
class FarQuery:
    """A server of the other machine.

    Attributes:
        places: Where it listens.
        named: What somebody said that it is.

    """

    places: tuple[Place, ...] = ()
    named: Named = NOBODY
