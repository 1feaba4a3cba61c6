"""The load generator's own process, so that a level the generator limited is recognised."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from headcount.counters.proc.source import SAMPLER_CPU_TIME, ProcessTree
from headcount.counters.source import Sample


class GeneratorSource:
    """Counters ``process.*`` of this very process, all its threads, without its children.

    The children are left out because a lab server started by Headcount is one of them. What the
    engine itself knows (lateness, users, sockets) comes with its snapshots.

    Args:
        name: Whose counters these are.
        proc: Where procfs is mounted.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        name: str = "generator",
        *,
        proc: Path = Path("/proc"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take no reading yet."""
        self.name = name
        self._clock = clock
        self._process = ProcessTree([os.getpid()], proc=proc, descend=False)

    def sample(self) -> Sample:
        """Read the counters now; rates cover the time since the previous call."""
        began_s = time.thread_time()
        at_s = self._clock()
        values = self._process.sample(at_s)
        values[SAMPLER_CPU_TIME] = (time.thread_time() - began_s) * 1000
        return Sample(at_s, values)

    def close(self) -> None:
        """Nothing is held."""
