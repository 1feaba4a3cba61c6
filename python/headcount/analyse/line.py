"""Whether the delay line between users and server, not the server, was the limit of a level."""

from collections.abc import Mapping

from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.level import CounterSummary, GeneratorResult
from headcount.counters.line import CPU, NAME
from headcount.text import share

DROPPED_SHARE = 0.001
"""Share of packets that a full line may drop unasked; more would slow TCP down by itself."""


def with_full_line(
    found: GeneratorResult, counters: Mapping[str, Mapping[str, CounterSummary]]
) -> GeneratorResult:
    """What the generator did, with a delay line that was full as the last of the reasons.

    `counters` are those of the level, by side. The line is one thread: near a whole core packets
    wait for it, and users for packets.
    """
    means = {name: figure.mean for name, figure in counters.get(NAME, {}).items()}
    cpu, packets = means.get(CPU, 0.0), means.get("line.packets", 0.0)
    dropped = means.get("line.dropped", 0.0) / packets if packets else 0.0
    reasons = []
    if cpu > BUSY_SHARE:
        reasons.append(
            f"the delay line between users and server used {share(cpu)} of a core, so packets "
            "waited for it; play fewer users, or use a larger machine"
        )
    if dropped > DROPPED_SHARE:
        reasons.append(
            f"the delay line between users and server was full and dropped {share(dropped)} of "
            "the packets; limit the network's rate, or play fewer users"
        )
    if not reasons:
        return found
    return found.model_copy(update={"limited": True, "reasons": [*found.reasons, *reasons]})
