"""The load generator's own process, to recognise a level that the generator limited.

Also its connections to the target, whose local ends show what the network does: for any server on
any machine, even one without other counters.
"""

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from headcount.counters.proc import groups
from headcount.counters.proc.fine import Moments
from headcount.counters.proc.group_reader import GroupReader
from headcount.counters.proc.groups import Group
from headcount.counters.proc.kept_files import files_of
from headcount.counters.proc.served import ConnectionTimes, of_network
from headcount.counters.proc.serving import Place
from headcount.counters.proc.sockets import DiagTable
from headcount.counters.proc.source import SAMPLER_CPU_TIME, ProcessTree
from headcount.counters.source import Sample

CONNECTIONS_DUTY = 0.005
"""Share of one core that reading the connections may cost. Our choice: once a second for some
thousand connections, more rarely for more."""


class GeneratorSource:
    """Counters of this process with all its threads, and of its control group.

    ``process.*`` leave out its children, because a lab server started by Headcount is one of them.
    ``cgroup.*`` are present if the process is in a group that can be limited: a quota that stops
    the generator must not look like a slow server. What the engine itself knows (lateness, users,
    sockets) comes with its snapshots.

    Args:
        name: Whose counters these are.
        to: Where the target listens.
        proc: Where procfs is mounted.
        sys: Where sysfs is mounted.
        clock: Seconds that never run backwards.

    """

    def __init__(
        self,
        name: str = "generator",
        to: Sequence[Place] = (),
        *,
        proc: Path = Path("/proc"),
        sys: Path = Path("/sys"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take no reading yet."""
        self.name = name
        self._clock = clock
        self._process = ProcessTree([os.getpid()], proc=proc, descend=False)
        self._proc, self._sys = os.fspath(proc), sys
        self._files = files_of(self._proc)
        self._groups = GroupReader(self._proc, sys, self._files, self._names)
        self._previous: tuple[float, Group] | None = None
        self._table: DiagTable | None = None
        self._connections = Moments([])
        if to:
            # If the kernel refuses, nothing is known of the connections.
            with suppress(OSError):
                self._connections = self._moments(to)

    def sample(self) -> Sample:
        """Read the counters now; rates cover the time since the previous call."""
        began_s = time.thread_time()
        at_s = self._clock()
        self._connections.look(at_s)
        values = self._process.sample(at_s) | self._group(at_s) | self._connections.take()
        values[SAMPLER_CPU_TIME] = (time.thread_time() - began_s) * 1000
        return Sample(at_s, values)

    def close(self) -> None:
        """Let go of the process's files and the kernel's table of sockets."""
        self._process.close()
        self._files.close()
        if self._table is not None:
            self._table.close()

    def _moments(self, to: Sequence[Place]) -> Moments:
        table = DiagTable(None)
        self._table = table
        places = [(one.family, one.address, one.port) for one in to]
        connections = ConnectionTimes(of_network, lambda: table.times_to(places), self._clock)
        return Moments([connections], duty=CONNECTIONS_DUTY)

    def _group(self, at_s: float) -> dict[str, float]:
        now = self._groups.read(at_s, ("self",))
        self._files.turn()
        was, self._previous = self._previous, (at_s, now)
        return now.figures(None if was is None else was[1], at_s - was[0] if was else 0.0)

    def _names(self) -> dict[str, str]:
        return groups.limiting(self._sys, groups.paths(self._proc, "self"))
