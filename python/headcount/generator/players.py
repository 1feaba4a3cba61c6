"""The interface of what plays users for the controller: the engine here or agents elsewhere."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from headcount._engine import Engine, Interval
from headcount.counters.source import Source
from headcount.generator.handles import ensure_handles
from headcount.generator.large_buffers import map_large_buffers
from headcount.generator.local_ips import users_addresses
from headcount.generator.machine import AgentMachine
from headcount.generator.real_time import real_time
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.sent_files import sent_files


class Players(Protocol):
    """Plays a plan's users, and reports once a second what they did.

    Attributes:
        step_names: Names of the plan's steps, in the order in which they are counted.
        request_names: Kinds of requests that the protocol counts; empty if steps are requests.
        task_names: What the protocol times within steps; empty if nothing.

    """

    step_names: Sequence[str]
    request_names: Sequence[str]
    task_names: Sequence[str]

    @property
    def ended(self) -> bool:
        """Whether the run has ended and its last interval was taken."""
        ...

    @property
    def loss(self) -> str | None:
        """Which agents were lost since the beginning or the last recovery; None if none was."""
        ...

    def now_s(self) -> float:
        """Seconds since the run began."""
        ...

    def next(self, patience_s: float) -> Interval | None:
        """What happened since the last call; None when `patience_s` ran out or the run ended."""
        ...

    def ensure(self, users: int) -> None:
        """Raise MachineLimitError if this many users cannot be played."""
        ...

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population to `users` over `ramp_s`."""
        ...

    def stop(self, drain_s: float) -> None:
        """End the run; scenarios under way may finish within `drain_s`."""
        ...

    def recover(self) -> str:
        """Begin again without the agents that were lost; returns a sentence about who is left.

        Raises AgentError if nobody is left.
        """
        ...

    def sources(self) -> list[Source]:
        """Counters of the generator; empty if they are those of this process."""
        ...

    def facts(self) -> Mapping[str, Any] | None:
        """Who plays which users, for the record of the run; None if it is this process."""
        ...

    def machines(self) -> Sequence[AgentMachine]:
        """The machines of agents; empty if it is this process."""
        ...

    def close(self) -> None:
        """End at once; whatever is under way is dropped."""
        ...


class Here:
    """The engine in this process."""

    def __init__(
        self,
        plan: Plan,
        target: str,
        places: Sequence[str] = (),
        on_lines: Sequence[str] = (),
    ) -> None:
        """Start the engine, with no users yet.

        `target` is as the engine reads it; `places` are where it listens, as `ip:port`;
        `on_lines` are addresses of users: those on none of the plan's lines, then those on each.
        """
        local = users_addresses(plan.local_ips or (), on_lines, places)
        map_large_buffers(target)
        with real_time():
            self._engine = Engine(
                engine_plan(plan),
                plan.protocol,
                target,
                local_addresses=local,
                files=sent_files(plan.workload),
            )
        self._plan = plan
        self.step_names: Sequence[str] = self._engine.step_names
        self.request_names: Sequence[str] = self._engine.request_names
        self.task_names: Sequence[str] = self._engine.task_names
        self.loss: str | None = None
        """Always None: an engine here cannot get lost; if it fails, that is an error."""

    @property
    def ended(self) -> bool:
        """Whether the run has ended and its last interval was taken."""
        return self._engine.ended

    def now_s(self) -> float:
        """Seconds since the run began."""
        return self._engine.now_s()

    def next(self, patience_s: float) -> Interval | None:
        """What happened since the last call; None when `patience_s` ran out or the run ended."""
        return self._engine.next(patience_s)

    def ensure(self, users: int) -> None:
        """Raise MachineLimitError if this process cannot play this many users."""
        ensure_handles(self._plan.protocol, users, self._plan.local_ips)

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population to `users` over `ramp_s`."""
        self._engine.set_users(users, ramp_s)

    def stop(self, drain_s: float) -> None:
        """End the run; scenarios under way may finish within `drain_s`."""
        self._engine.stop(drain_s)

    def recover(self) -> str:
        """Nothing to recover: the engine here cannot get lost."""
        return "nobody was lost"

    def sources(self) -> list[Source]:
        """None of its own: this process is watched anyway."""
        return []

    def facts(self) -> Mapping[str, Any] | None:
        """Always None: this process plays all users."""
        return None

    def machines(self) -> Sequence[AgentMachine]:
        """There are no agents."""
        return ()

    def close(self) -> None:
        """End at once; whatever is under way is dropped."""
        self._engine.close()
