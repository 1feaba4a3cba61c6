"""A server, a load generator, counters and clocks in virtual time: what a run meets."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from random import Random
from types import SimpleNamespace
from typing import Any

from crash_histogram import histogram

from headcount.analyse.audit.second import KeptScenario, Second
from headcount.analyse.tally import NONE, Fault, Step
from headcount.counters.latest import Latest
from headcount.counters.origin import Origin
from headcount.counters.source import Sample
from headcount.errors import TargetError

BEGAN_S = 1_800_000_000.0
"""What the machine's clock shows at first."""
HAPPENINGS = ("gone", "agent lost", "clock set", "late report", "silence", "Ctrl-C")
LONGEST_S = 8
"""That a server or an agent is away."""


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happens at a second of the world, counted by reports."""

    kind: str
    at: int
    length: int
    step_s: float


class World:
    """Virtual time, and what happens in it.

    Attributes:
        now_s: A clock that never runs backwards.
        reports: Seconds that were reported.

    """

    def __init__(self, random: Random) -> None:
        self.now_s = 0.0
        self.reports = 0
        self._set_s = 0.0
        self._random = random
        self._happenings: list[Happening] = []

    def schedule(self, number: int) -> None:
        """Let this many things happen from now on, and nothing else."""
        self._happenings = [
            Happening(
                self._random.choice(HAPPENINGS),
                self.reports + self._random.randint(1, 20),
                self._random.randint(1, LONGEST_S),
                self._random.choice((-86_400.0, -2.5, 2.5, 3600.0)),
            )
            for _ in range(number)
        ]

    def has(self, kind: str) -> bool:
        """Whether something goes on now."""
        return any(
            one.kind == kind and one.at <= self.reports < one.at + one.length
            for one in self._happenings
        )

    def begins(self, kind: str) -> Happening | None:
        """What begins with this second."""
        found = (one for one in self._happenings if (one.kind, one.at) == (kind, self.reports))
        return next(found, None)

    def tick(self) -> None:
        """Go on to the next report."""
        self.reports += 1
        if (found := self.begins("clock set")) is not None:
            self._set_s += found.step_s

    def wall_s(self) -> float:
        """What the machine's clock shows, in seconds of the epoch."""
        return BEGAN_S + self.now_s + self._set_s

    def monotonic(self) -> float:
        """As of `time`."""
        return self.now_s

    def patched_time(self) -> SimpleNamespace:
        """A replacement of the module `time`."""
        return SimpleNamespace(
            time=self.wall_s,
            monotonic=self.monotonic,
            strftime=time.strftime,
            gmtime=time.gmtime,
        )

    def patched_datetime(self) -> SimpleNamespace:
        """A replacement of `datetime.datetime`."""

        def now(zone: tzinfo) -> datetime:
            return datetime.fromtimestamp(self.wall_s(), zone or UTC)

        return SimpleNamespace(now=now)


class VirtualEngine:
    """A load generator that plays a server of the world; see `headcount._engine.Engine`."""

    request_names: Sequence[str] = ()
    task_names: Sequence[str] = ()

    def __init__(self, world: World, steps: Sequence[str], number: Callable[[], int]) -> None:
        self.step_names = list(steps)
        self.ended = False
        self._world, self._number = world, number
        self._began_s = world.now_s
        self._reported_s = 0.0
        self._late_s = 0.0
        self._users = 0
        self._drain = 0

    def now_s(self) -> float:
        """Seconds since it began."""
        return self._world.now_s - self._began_s

    def set_users(self, users: int, _ramp_s: float) -> None:
        """All come, and go, at once."""
        self._users = users

    def stop(self, _drain_s: float) -> None:
        """End after two more reports."""
        self._users, self._drain = 0, 2

    def close(self) -> None:
        """End now."""
        self.ended = True

    def next(self, patience_s: float) -> Second | None:
        """The next second, when it is over; None where the engine is silent."""
        if self.ended:
            return None
        world = self._world
        to_s = self._reported_s + 1.0 + world.reports % 3 * 1e-4
        if patience_s == 0.0 and self.now_s() < to_s:
            return None
        if world.begins("silence") is not None:
            world.now_s += patience_s
            world.tick()
            return None
        if world.begins("Ctrl-C") is not None:
            world.tick()
            raise KeyboardInterrupt
        late = world.begins("late report")
        world.now_s = max(world.now_s, self._began_s + to_s + (late.length if late else 0.001))
        found = self._second(to_s)
        self._reported_s = to_s
        world.tick()
        if self._drain:
            self._drain -= 1
            self.ended = not self._drain
        return found

    def _second(self, to_s: float) -> Second:
        is_gone = self._world.has("gone")
        ended = 3 * self._users
        completed, failed = (0, ended) if is_gone else (ended, 0)
        durations = histogram(completed) if completed else NONE
        length_s = completed * 0.001
        scenario = KeptScenario(
            started=ended,
            completed=completed,
            failed=failed,
            slow=0,
            late=0,
            overloaded=failed,
            overdue=0,
            response_s=length_s,
            service_s=length_s,
            read_bytes=0,
            written_bytes=0,
            pending_count=0,
            response=durations,
            service=durations,
            pending=NONE,
        )
        steps = [Step(completed, failed, length_s, 0, 0, durations) for _ in self.step_names]
        return Second(
            line=0,
            level=0,
            phase="",
            users=self._users,
            from_s=self._reported_s,
            to_s=to_s,
            worker_cpu_s=[0.01],
            think_s=self._users - length_s,  # as Little's law has it
            sessions_opened=self._number(),
            backlog=NONE,
            backlog_count=0,
            backlog_overdue=0,
            p95_ms=None,
            scenarios=[scenario],
            steps=steps,
            tasks=[],
            lines=[],
            faults=[Fault(0, "disconnected", failed, 0, ["gone"])] if failed else [],
            timer_lateness=histogram(3, 20),
            counters={},
            completed=[(to_s - length_s, self._users)] if completed else [],
        )


class Agent:
    """Counters of another machine; see `FarSource`."""

    name = "sut"

    def __init__(self, world: World) -> None:
        self._world = world

    @property
    def origin(self) -> Origin:
        """Where they come from."""
        return Origin("ssh://web1", "sampler", "web1", "linux", None)

    def sample(self) -> Sample:
        """Some counters, unless the agent is lost."""
        if self._world.has("agent lost"):
            raise TargetError("web1 does not answer")
        return Sample(self._world.now_s, {"system.cpu.utilization": 0.5})

    def close(self) -> None:
        """Nothing is held."""


class SteppedLatest(Latest):
    """The latest sample, taken when it is asked for: no thread runs in virtual time."""

    def sample(self) -> Sample:
        """Take one, and hand it over."""
        self._take()
        return super().sample()


def no_thread(**_: Any) -> SimpleNamespace:
    """A replacement of a thread that never runs."""
    return SimpleNamespace(start=lambda: None, join=lambda _: None)
