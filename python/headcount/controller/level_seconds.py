"""The measured seconds of a level with their counters, as they arrive."""

from collections.abc import Mapping, Sequence

from headcount._engine import Interval
from headcount.analyse.amounts import SecondCounters
from headcount.analyse.seconds import seconds_of
from headcount.bundle.level import CounterSummary
from headcount.controller.session import Moment
from headcount.counters.summary import Summaries
from headcount.plan.plan import Plan


class LevelSeconds:
    """The measured seconds of a level, with the counters of all sources.

    Attributes:
        seconds: What the engine counted.
        asked: The counters of each second that a criterion needs.

    """

    def __init__(
        self, plan: Plan, tasks: Sequence[str], before: Interval | None, length_s: float
    ) -> None:
        """Start without seconds; the arguments are those of `seconds_of`."""
        self.seconds = seconds_of(plan, tasks, before, length_s)
        self.asked: list[SecondCounters] = []
        self._asked = {one.counter for one in plan.criteria if one.counter is not None}
        self._sources: dict[str, Summaries] = {}

    def add(self, moment: Moment) -> None:
        """Add the next second."""
        self.seconds.add(moment.interval)
        for side, sample in moment.samples.items():
            self._sources.setdefault(side, Summaries()).add(sample)
        if self._asked:
            self.asked.append(self._asked_of(moment))

    def counters(self) -> dict[str, dict[str, CounterSummary]]:
        """Each counter of each side over the level."""
        return {
            side: {
                name: CounterSummary(mean=of.mean, max=of.maximum, p95=of.p95, samples=of.samples)
                for name, of in source.summaries().items()
            }
            for side, source in sorted(self._sources.items())
        }

    def _asked_of(self, moment: Moment) -> SecondCounters:
        found: dict[str, Mapping[str, float]] = {}
        for side, sample in moment.samples.items():
            names = (name for of, name in self._asked if of == side and name in sample.values)
            found[side] = {name: sample.values[name] for name in names}
        return found
