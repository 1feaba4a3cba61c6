"""Whether the delay line between users and server, not the server, was the limit of a level."""

from collections.abc import Mapping

from headcount.analyse.generator import BUSY_SHARE
from headcount.bundle.level import CounterSummary, GeneratorResult
from headcount.counters.line import CPU, NAME
from headcount.text import share


def with_full_line(
    found: GeneratorResult, counters: Mapping[str, Mapping[str, CounterSummary]]
) -> GeneratorResult:
    """What the generator did, with a delay line that was full as the last of the reasons.

    `counters` are those of the level, by side. The line is one thread: near a whole core packets
    wait for it, and users for packets.
    """
    cpu = counters.get(NAME, {}).get(CPU)
    if cpu is None or cpu.mean <= BUSY_SHARE:
        return found
    text = (
        f"the delay line between users and server used {share(cpu.mean)} of a core, so packets "
        "waited for it; play fewer users, or use a larger machine"
    )
    return found.model_copy(update={"limited": True, "reasons": [*found.reasons, text]})
