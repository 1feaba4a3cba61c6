"""The running engine with its counters and its bundle: second by second."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from headcount._engine import Interval
from headcount.bundle import agents
from headcount.bundle.reader import environment_of
from headcount.bundle.writer import BundleWriter
from headcount.controller import second as seconds
from headcount.controller.agent_sides import with_agents
from headcount.controller.listener import Listener, Second
from headcount.controller.remote_counters import counter_origin
from headcount.controller.stacks import StackRecorder
from headcount.counters.latest import Latest
from headcount.counters.naming import is_agent
from headcount.counters.source import Sample, Source
from headcount.counters.views import ViewSource
from headcount.errors import EngineError, InputError
from headcount.generator.machine import boot_id
from headcount.generator.players import Players
from headcount.plan.plan import Plan
from headcount.plan.tasks import check_played

REPORT_S = 1.0
"""How often the engine reports."""
SILENCE_S = 30.0
"""An engine without a report for this long is broken; its workers report each second."""


@dataclass(frozen=True)
class Moment:
    """One second: what the engine counted, and each source's sample."""

    interval: Interval
    samples: dict[str, Sample]


@dataclass(frozen=True)
class Held:
    """A phase that was held: when it began, and its last second."""

    from_s: float
    last: Interval

    @property
    def seconds(self) -> float:
        """Its actual length."""
        return self.last.to_s - self.from_s


Each = Callable[[Moment], bool | None]
"""Receives each second of a phase; True ends the phase."""


class Session:
    """A run of the engine against one target."""

    def __init__(
        self,
        plan: Plan,
        players: Players,
        sources: list[Source],
        bundle: BundleWriter,
        listener: Listener,
        offset_s: float,
    ) -> None:
        """Drive `players`, who have no users yet. `offset_s`: when, in seconds of the whole run."""
        self._players = players
        self._scenarios = [scenario.name for scenario in plan.workload.scenarios]
        self._lines = plan.line_names
        self._sources = with_own(players, sources)
        self._bundle = bundle
        self._listener = listener
        self._offset_s = offset_s
        self.stacks = StackRecorder(plan.stacks, self._sources, bundle, listener)
        self.step_names = self._players.step_names
        self.request_names = self._players.request_names
        self.task_names = self._players.task_names
        try:
            check_played(plan.workload.named_tasks, self.task_names)
        except InputError:
            self._players.close()
            raise
        self.users = 0
        self._reported_s = 0.0
        """The end of the last second that was taken, on the engine's clock."""
        self.silent_s = 0.0
        """How long nothing has been answered, in seconds."""
        self.machines: Mapping[int, str] = {}
        """The machine of each agent, by number; empty if the engine is in this process."""
        self._note_agents()
        self._note_machines()

    def now_s(self) -> float:
        """Seconds of the whole run."""
        return self._offset_s + self._players.now_s()

    def set_clock(self, now_s: float) -> None:
        """Set the time, in seconds of the whole run: of two engines one starts later."""
        self._offset_s = now_s - self._players.now_s()

    @property
    def loss(self) -> str | None:
        """Which agents were lost since the start or the last recovery; None if none was."""
        return self._players.loss

    def ensure(self, users: int) -> None:
        """Raise MachineLimitError if this many users cannot be played."""
        self._players.ensure(users)

    def recover(self) -> None:
        """Continue with the remaining agents, without users. Raises EngineError without any."""
        loss = self._players.loss
        left = self._players.recover()
        self._bundle.event("agents-lost", self.now_s(), message=loss, left=left)
        self._note_agents()
        self._listener.noted(f"{loss}; {left}")
        self._sources = with_own(self._players, self._sources)
        self.users = 0

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population to `users` over `ramp_s`."""
        self._players.set_users(users, ramp_s)
        self.users = users

    def hold(
        self, phase: str, level: int, length_s: float, each: Each | None = None
    ) -> Held | None:
        """Let the run continue for `length_s`, or until `each` returns True; keep every second.

        It starts with the second under way: work between two phases takes longer on a busy machine,
        and would otherwise make each of them a second longer. None if the run had ended.
        """
        held: Held | None = None
        now_s = self._players.now_s()
        to_s = self._reported_s if now_s < self._reported_s + REPORT_S else now_s
        end_s = to_s + length_s
        while not self._players.ended and to_s < end_s - 0.05:
            moment = self._next()
            if moment is None:
                break
            self._keep(moment, phase, level)
            interval = moment.interval
            held = Held(held.from_s if held else interval.from_s, interval)
            to_s = interval.to_s
            if each is not None and each(moment):
                break
        return held

    def catch_up(self, phase: str, level: int) -> None:
        """Keep what was reported until now, as seconds of `phase`.

        What is reported while this goes on is left: a machine that takes longer than a second to
        read a second would never come to an end.
        """
        now_s = self._players.now_s()
        while not self._players.ended and self._reported_s + REPORT_S <= now_s:
            moment = self._next()
            if moment is None:
                break
            self._keep(moment, phase, level)

    def rest(self, level: int, longest_s: float) -> Held | None:
        """Send all users away, and wait for at most `longest_s` until they are gone."""
        self.set_users(0, 0.0)
        return self.hold("rest", level, longest_s, lambda moment: moment.interval.users == 0)

    def wake(self) -> dict[str, Sample]:
        """Skip what was reported in the meantime, and restart the counters.

        Returns the counters of the time since they were last read.
        """
        while self._players.next(0.0) is not None:
            pass
        return {source.name: source.sample() for source in self._sources}

    def drain(self, level: int, drain_s: float) -> None:
        """Let users finish what is under way and leave; the run ends."""
        self._players.stop(drain_s)
        self.hold("drain", level, drain_s + SILENCE_S)

    def close(self) -> None:
        """End at once; whatever is under way is dropped."""
        ended_s = self.now_s()
        self._players.close()
        self.stacks.close()
        for source in self._sources:
            source.close()
        for source in self._sources:
            if isinstance(source, Latest):
                known = counter_origin(source)
                self._bundle.event(
                    "counters",
                    ended_s,
                    side=source.name,
                    state="ended",
                    samples=source.samples,
                    missed=source.missed,
                    clock_offset_s=known.clock_offset_s,
                    clock_error_s=known.clock_error_s,
                    clock_steps=source.origin.clock_steps,
                )

    def _note_agents(self) -> None:
        """Record who plays which users, if it is not this process."""
        if (facts := self._players.facts()) is not None:
            self._bundle.event("agents", self.now_s(), **facts)
            self.machines = agents.machines(agents.agents_of(facts).values())

    def _note_machines(self) -> None:
        """Record what the agents report of their machines, beside this one's."""
        found = self._players.machines()
        if found and (known := environment_of(self._bundle.folder)) is not None:
            self._bundle.environment(with_agents(known, found, boot_id()))

    def _next(self) -> Moment | None:
        interval = self._players.next(SILENCE_S)
        if interval is None:
            if self._players.ended or self._players.loss is not None:
                return None
            raise EngineError(
                f"the load engine reported nothing for {SILENCE_S:g} s, so the level is invalid: "
                "the machine is badly overloaded, or this is a bug in Headcount"
            )
        self._reported_s = interval.to_s
        samples = ((source.name, source.sample()) for source in self._sources)
        return Moment(interval, {name: sample for name, sample in samples if sample.values})

    def _report_counters(self, t_s: float) -> None:
        """Record and show that a machine's counters are lost or back: each once."""
        for source in self._sources:
            for one in source.happenings() if isinstance(source, Latest) else ():
                self._bundle.event(
                    "counters", t_s, side=source.name, state=one.state, text=one.text
                )
                self._listener.noted(f"counters of {source.name} {one.state}: {one.text}")
            for text in source.doubts() if isinstance(source, ViewSource) else ():
                self._bundle.event("view", t_s, message=text)
                self._listener.noted(text)

    def _keep(self, moment: Moment, phase: str, level: int) -> None:
        interval = moment.interval
        counters = {name: sample.values for name, sample in moment.samples.items()}
        figures = seconds.figures(
            interval,
            self._scenarios,
            self.step_names,
            counters,
            self.task_names,
            self._lines,
            t_s=self._offset_s + interval.to_s,
            level=level,
            phase=phase,
        )
        self._report_counters(self._offset_s + interval.to_s)
        tagged = seconds.histograms(
            interval, self._scenarios, self.step_names, self.task_names, self._lines
        )
        self._bundle.second(figures, tagged)
        ended = sum(tally.completed for tally in interval.scenarios)
        self.silent_s = 0.0 if ended else self.silent_s + interval.to_s - interval.from_s
        cpu = counters.get("sut", {}).get("system.cpu.utilization")
        self._listener.second(
            Second(
                users=interval.users,
                rate_per_s=ended / max(interval.to_s - interval.from_s, 1e-9),
                p95_ms=figures["p95_ms"],
                failed=sum(tally.failed for tally in interval.scenarios),
                cpu_share=cpu,
            )
        )


def with_own(players: Players, sources: Sequence[Source]) -> list[Source]:
    """The sources, with the players' own in place of this process's."""
    own = players.sources()
    if not own:
        return list(sources)
    others = (one for one in sources if one.name != "generator" and not is_agent(one.name))
    return [*own, *others]
