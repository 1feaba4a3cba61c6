"""The cost of many agents to the controller."""

import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from bench.cluster.plans import null_plan
from bench.cluster.synthetic import RECORDED_S
from headcount.generator.fleet import Fleet, Wanted
from headcount.generator.line import Deliver
from headcount.generator.message import Message
from headcount.generator.process_line import ProcessLine


class Shared:
    """The process of all synthetic agents, and who of them a message is for."""

    def __init__(self, agents: int) -> None:
        """For that many agents; the process starts when the first line opens."""
        command = (sys.executable, "-m", "bench.cluster.synthetic", str(agents))
        self._line = ProcessLine("synthetic", command)
        self._deliver: dict[int, Deliver] = {}
        self._opening = threading.Lock()
        self.bytes = 0

    def open(self, agent: int, deliver: Deliver) -> None:
        """Deliver what an agent sends."""
        with self._opening:
            self._deliver[agent] = deliver
            if len(self._deliver) == 1:
                self._line.open(self._sort)

    def send(self, agent: int, message: Message) -> None:
        """Send to an agent."""
        self._line.send(Message(message.kind, {**message.values, "agent": agent}))

    def close(self) -> None:
        """End all of them."""
        self._line.close()

    def _sort(self, message: Message | None, at_s: float) -> None:
        if message is None:
            for deliver in list(self._deliver.values()):
                deliver(None, at_s)
            return
        self.bytes += len(message.body)
        self._deliver[message.values["agent"]](message, at_s)


class SyntheticLine:
    """The way to one of them."""

    def __init__(self, shared: Shared, agent: int) -> None:
        """Of an agent, from 0."""
        self.name = f"synthetic {agent}"
        self._shared, self._agent = shared, agent

    def open(self, deliver: Deliver) -> None:
        """Deliver what it sends."""
        self._shared.open(self._agent, deliver)

    def send(self, message: Message) -> None:
        """Send to it."""
        self._shared.send(self._agent, message)

    def close(self) -> None:
        """End all, with the first that ends."""
        self._shared.close()


@dataclass(frozen=True)
class Scale:
    """What was measured with so many agents.

    Attributes:
        agents: How many.
        cpu: Of the controller, in cores.
        peak_mib: Its memory, at most, in MiB.
        sum_ms: Time that adding up a second takes, median.
        late_ms: How long after its end a second is summed up, at most.
        mib_per_s: Figures that arrive, in MiB a second.

    """

    agents: int
    cpu: float
    peak_mib: float
    sum_ms: float
    late_ms: float
    mib_per_s: float


def measured(agents: int) -> Scale:
    """Receive seconds of that many synthetic agents, as a run does."""
    shared = Shared(agents)
    lines = [SyntheticLine(shared, agent) for agent in range(agents)]
    with closing(Fleet(null_plan(agents), "{}", Wanted(lines, [1] * agents))) as fleet:
        fleet.next(10.0)
        began_s, cpu_s, before = time.monotonic(), time.process_time(), shared.bytes
        late, sums = [], []
        for at in _seconds():
            interval = fleet.next(10.0)
            if interval is None:
                raise RuntimeError(f"the fleet ended: {fleet.loss}")
            late.append(fleet.now_s() - at)
            for source in fleet.sources():
                source.sample()
            sums.append(fleet.sum_s)
        took_s = time.monotonic() - began_s
        used_s = time.process_time() - cpu_s
        moved = shared.bytes - before
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sum_ms = sorted(sums)[len(sums) // 2] * 1000
    rate = moved / took_s / 2**20
    return Scale(agents, used_s / took_s, peak_mib, sum_ms, max(late) * 1000, rate)


def _seconds() -> Iterator[int]:
    """The seconds after the first, but for the last, after which nothing comes."""
    yield from range(2, RECORDED_S - 1)
