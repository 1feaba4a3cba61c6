"""What a second of sampling costs: the CPU time of each source, sampled as in a run."""

import time
from collections.abc import Callable
from contextlib import ExitStack, closing

from bench.figure import Figure
from headcount.counters.generator import GeneratorSource
from headcount.counters.proc.serving import Place
from headcount.counters.proc.source import SAMPLER_CPU_TIME, HostSource
from headcount.counters.source import Source
from headcount.protocols.registry import start_lab

SECONDS = 20
SETTLE_S = 2
"""Seconds that are left out: the first readings open files and look up what hardly changes."""
BAR_MS = 10.0
"""One percent of a core, for a server's machine with the generator."""


def sampling() -> list[Figure]:
    """CPU time a second of the machine's counters, of a server's beside them, and of our own."""
    server = start_lab("app", {})
    try:
        place = Place.of(server.address)
        made: dict[str, Callable[[], Source]] = {
            "a machine without a server": lambda: HostSource("sut"),
            "a machine and its server": lambda: HostSource("sut", server.pids, places=[place]),
            "the generator": lambda: GeneratorSource("generator", [place]),
        }
        with ExitStack() as opened:
            sources = {name: opened.enter_context(closing(make())) for name, make in made.items()}
            costs = _costs_ms(sources)
    finally:
        server.stop()
    figures = [Figure("sampling", name, cost, "ms CPU/s") for name, cost in costs.items()]
    both = costs["a machine and its server"] + costs["the generator"]
    return [*figures, Figure("sampling", "a server and the generator", both, "ms CPU/s", BAR_MS)]


def _costs_ms(sources: dict[str, Source]) -> dict[str, float]:
    """The cost that each source reports, the mean of all seconds but the first ones.

    They are sampled once a second and not in a loop: with warm caches it costs half as much.
    """
    spent_ms = dict.fromkeys(sources, 0.0)
    begin_s = time.monotonic()
    for second in range(SETTLE_S + SECONDS):
        for name, source in sources.items():
            cost_ms = source.sample().values[SAMPLER_CPU_TIME]
            spent_ms[name] += cost_ms if second >= SETTLE_S else 0.0
        time.sleep(max(0.0, begin_s + second + 1 - time.monotonic()))
    return {name: spent / SECONDS for name, spent in spent_ms.items()}
