"""The engine under way with its counters and its bundle: second by second."""

from collections.abc import Callable
from dataclasses import dataclass

from headcount._engine import Engine, Interval
from headcount.bundle.writer import BundleWriter
from headcount.controller import second as seconds
from headcount.controller.listener import Listener, Second
from headcount.controller.real_time import real_time
from headcount.controller.remote_counters import counter_origin
from headcount.controller.stacks import StackRecorder
from headcount.counters.latest import Latest
from headcount.counters.source import Sample, Source
from headcount.counters.views import ViewSource
from headcount.errors import EngineError, InputError
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.tasks import check_played

REPORT_S = 1.0
"""How often the engine reports."""
SILENCE_S = 30.0
"""An engine that reports nothing for this long is broken; its workers report each second."""


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
        """How long it really took."""
        return self.last.to_s - self.from_s


Each = Callable[[Moment], bool | None]
"""Is given each second of a phase; True ends the phase."""


class Session:
    """A run of the engine against one target."""

    def __init__(
        self,
        plan: Plan,
        target: str,
        sources: list[Source],
        bundle: BundleWriter,
        listener: Listener,
        offset_s: float,
    ) -> None:
        """Start the engine, with no users yet. `offset_s`: when, in seconds of the whole run."""
        with real_time():
            self._engine = Engine(engine_plan(plan), plan.protocol, target)
        self._scenarios = [scenario.name for scenario in plan.workload.scenarios]
        self._sources = sources
        self._bundle = bundle
        self._listener = listener
        self._offset_s = offset_s
        self.stacks = StackRecorder(plan.stacks, sources, bundle, listener)
        self.step_names = self._engine.step_names
        self.request_names = self._engine.request_names
        self.task_names = self._engine.task_names
        try:
            check_played(plan.workload.named_tasks, self.task_names)
        except InputError:
            self._engine.close()
            raise
        self.users = 0
        self._reported_s = 0.0
        """The end of the last second that was taken, on the engine's clock."""
        self.silent_s = 0.0
        """How long nothing has been answered, in seconds."""

    def now_s(self) -> float:
        """Seconds of the whole run."""
        return self._offset_s + self._engine.now_s()

    def set_clock(self, now_s: float) -> None:
        """Let it be so many seconds of the whole run now: of two engines one starts later."""
        self._offset_s = now_s - self._engine.now_s()

    def set_users(self, users: int, ramp_s: float) -> None:
        """Bring the population to `users` over `ramp_s`."""
        self._engine.set_users(users, ramp_s)
        self.users = users

    def hold(
        self, phase: str, level: int, length_s: float, each: Each | None = None
    ) -> Held | None:
        """Let the run go on for `length_s`, or until `each` says so; every second is kept.

        It begins with the second under way: what is done between two phases takes longer on a busy
        machine, and would make each of them a second longer. None where the run had ended.
        """
        held: Held | None = None
        now_s = self._engine.now_s()
        to_s = self._reported_s if now_s < self._reported_s + REPORT_S else now_s
        end_s = to_s + length_s
        while not self._engine.ended and to_s < end_s - 0.05:
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
        """Keep what was reported while nobody asked, as seconds of `phase`."""
        while not self._engine.ended and self._reported_s + REPORT_S <= self._engine.now_s():
            moment = self._next()
            if moment is None:
                break
            self._keep(moment, phase, level)

    def rest(self, level: int, longest_s: float) -> Held | None:
        """Send all users away, and wait until they have gone, but no longer than so."""
        self.set_users(0, 0.0)
        return self.hold("rest", level, longest_s, lambda moment: moment.interval.users == 0)

    def wake(self) -> dict[str, Sample]:
        """Pass over what was reported while nobody was asked; counters begin anew.

        Returns the counters of the time since they were last read.
        """
        while self._engine.next(0.0) is not None:
            pass
        return {source.name: source.sample() for source in self._sources}

    def drain(self, level: int, drain_s: float) -> None:
        """Let users finish what they are doing and leave; the run ends."""
        self._engine.stop(drain_s)
        self.hold("drain", level, drain_s + SILENCE_S)

    def close(self) -> None:
        """End at once; whatever is under way is dropped."""
        ended_s = self.now_s()
        self._engine.close()
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

    def _next(self) -> Moment | None:
        interval = self._engine.next(SILENCE_S)
        if interval is None:
            if self._engine.ended:
                return None
            raise EngineError(
                f"the load engine reported nothing for {SILENCE_S:g} s, so the level is invalid: "
                "the machine is badly overloaded, or this is a bug in Headcount"
            )
        self._reported_s = interval.to_s
        samples = ((source.name, source.sample()) for source in self._sources)
        return Moment(interval, {name: sample for name, sample in samples if sample.values})

    def _report_counters(self, t_s: float) -> None:
        """Keep and show that a machine's counters are lost, or back: each once."""
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
            t_s=self._offset_s + interval.to_s,
            level=level,
            phase=phase,
        )
        self._report_counters(self._offset_s + interval.to_s)
        tagged = seconds.histograms(interval, self._scenarios, self.step_names, self.task_names)
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
