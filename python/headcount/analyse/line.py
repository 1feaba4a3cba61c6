"""Whether the delay line between users and server, not the server, was the limit of a level."""

from collections.abc import Iterator, Mapping

from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.level import CounterSummary, GeneratorResult
from headcount.counters.line import CPU, NAME, OF_USERS, is_line
from headcount.text import share

DROPPED_SHARE = 0.001
"""Share of packets that a full line may drop by itself; more would make TCP slow down."""


def with_full_line(
    found: GeneratorResult, counters: Mapping[str, Mapping[str, CounterSummary]]
) -> GeneratorResult:
    """The generator's result with a full delay line, if any, as its last reason.

    `counters` are those of the level, by side. The line is one thread: near a whole core packets
    wait for it, and users wait for packets.
    """
    reasons = [
        reason
        for side in sorted(filter(is_line, counters))
        for reason in _reasons(_name(side), counters[side])
    ]
    if not reasons:
        return found
    return found.model_copy(update={"limited": True, "reasons": [*found.reasons, *reasons]})


def _name(side: str) -> str:
    own = "" if side == NAME else f" {side.removeprefix(OF_USERS)}"
    return f"the delay line{own} between users and server"


def _reasons(name: str, figures: Mapping[str, CounterSummary]) -> Iterator[str]:
    means = {counter: figure.mean for counter, figure in figures.items()}
    cpu, packets = means.get(CPU, 0.0), means.get("line.packets", 0.0)
    dropped = means.get("line.dropped", 0.0) / packets if packets else 0.0
    if cpu > BUSY_SHARE:
        yield (
            f"{name} used {share(cpu)} of a core, so packets waited for it; play fewer users, or "
            "use a larger machine"
        )
    if dropped > DROPPED_SHARE:
        yield (
            f"{name} was full and dropped {share(dropped)} of the packets; limit the network's "
            "rate, or play fewer users"
        )
