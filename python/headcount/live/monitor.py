"""The state of a watch: pure, fed with readings, read by the views."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headcount.counters.recording import Bookmark
from headcount.live.alert import Alerts, Event, matches
from headcount.live.history import History
from headcount.live.line import Line
from headcount.live.reading import Back, Lost, News, Reading, Remark

POINTS = 3600
"""Samples kept for the chart: an hour of seconds, and of 100 ms six minutes."""
EVENTS = 1000
"""Alerts and bookmarks that are kept to be shown; a log has all of them."""
GAP = 2.5
"""Intervals without a sample after which something is missing: one sample may be late, not two."""
COLOURS = 8
"""Colours that lines use in turn: more cannot be distinguished in a terminal."""

STANDARD = (
    "users",
    "completed_per_s",
    "p95_ms",
    "system.cpu.utilization",
    "system.memory.utilization",
    "system.paging.faults{system.paging.fault.type=major}",
    "system.disk.utilization.busiest",
    "system.network.io{network.io.direction=receive}",
    "system.network.io{network.io.direction=transmit}",
    "process.cpu.utilization",
    "process.memory.usage",
)
"""The counters of a source that are shown by default, if it has them: how full processors, memory,
disks and network are."""


@dataclass
class SourceState:
    """What is known of one source.

    Attributes:
        lost: Why it gives no samples; None while it does.
        cost_ms: CPU time that all samples together cost Headcount; None if they cost nothing.

    """

    name: str
    history: History
    interval_s: float
    lost: str | None = None
    lost_s: float | None = None
    samples: int = 0
    cost_ms: float | None = None

    @property
    def cost_each_ms(self) -> float | None:
        """CPU time of one sample on average."""
        return self.cost_ms / self.samples if self.cost_ms is not None and self.samples else None


@dataclass(frozen=True, slots=True)
class Happened:
    """The effects of a reading, for those who report it."""

    news: News
    alerts: Sequence[Event] = ()


@dataclass
class Monitor:
    """Sources, lines, alerts and bookmarks.

    Attributes:
        wanted: Names, labels or patterns of the counters to show; every counter of a source that
            matches becomes a line. If empty, the default ones.

    """

    wanted: Sequence[str] = ()
    alerts: Alerts = field(default_factory=Alerts)
    points: int = POINTS
    sources: dict[str, SourceState] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    bookmarks: deque[Bookmark] = field(default_factory=lambda: deque(maxlen=EVENTS))
    events: deque[Event] = field(default_factory=lambda: deque(maxlen=EVENTS))
    _next_colour: int = 0
    _removed: set[tuple[str, str]] = field(default_factory=set)

    def expect(self, source: str, interval_s: float) -> None:
        """Expect readings of a source at about this interval."""
        state = self.sources.get(source)
        if state is None:
            self.sources[source] = SourceState(source, History(self.points), interval_s)
        else:
            state.interval_s = interval_s

    def take(self, news: News) -> Happened:
        """Take what a source reported."""
        match news:
            case Reading():
                return Happened(news, self._sample(news))
            case Lost():
                state = self.sources[news.source]
                state.lost, state.lost_s = news.reason, news.at_s
            case Back():
                self.sources[news.source].lost = None
            case Remark():
                self.bookmarks.append(Bookmark(news.at_s, news.text))
        return Happened(news)

    def _sample(self, reading: Reading) -> Sequence[Event]:
        if reading.source not in self.sources:  # a side of a run, such as an agent
            self.expect(reading.source, max(one.interval_s for one in self.sources.values()))
        state = self.sources[reading.source]
        was_s = state.history.latest_s
        late = was_s is None or reading.at_s - was_s > GAP * state.interval_s
        joined = not late and (state.lost_s is None or was_s is None or state.lost_s < was_s)
        known = len(state.history.names)
        state.history.add(reading.at_s, reading.values, joined=joined)
        state.samples += 1
        if reading.cost_ms is not None:
            state.cost_ms = (state.cost_ms or 0.0) + reading.cost_ms
        if len(state.history.names) > known:
            self._choose(reading.source, state.history.names[known:])
        events = list(self.alerts.take(reading.source, reading.at_s, reading.values))
        self.events.extend(events)
        return events

    def _choose(self, source: str, names: Iterable[str]) -> None:
        """Show those of a source's new counters that are wanted."""
        for name in names:
            if (source, name) not in self._removed and self.wants(name):
                self.add(source, name)
        # Rates come with the second sample, and belong between the others.
        self.lines.sort(key=lambda line: self._place(line.name))

    def _place(self, name: str) -> int:
        """The position of a counter among the wanted ones; those added later come last."""
        asked = self.wanted or STANDARD
        places = (at for at, one in enumerate(asked) if one == name or matches(one, name))
        return next(places, len(asked))

    def wants(self, name: str) -> bool:
        """Whether a counter is one of those to show."""
        if self.wanted:
            return any(matches(pattern, name) for pattern in self.wanted)
        return name in STANDARD

    def add(self, source: str, name: str) -> Line:
        """Show a counter; one that is shown already stays as it is."""
        for line in self.lines:
            if line.key == (source, name):
                return line
        line = Line(source, name, self._next_colour % COLOURS)
        self._next_colour += 1
        self.lines.append(line)
        self._removed.discard(line.key)
        return line

    def remove(self, line: Line) -> None:
        """Hide a counter until it is added again."""
        self.lines = [other for other in self.lines if other.key != line.key]
        self._removed.add(line.key)

    def rescale(self, line: Line, power: int | None) -> None:
        """Give a line a scale of its own, or None to fit it again."""
        self.lines = [
            replace(other, power=power) if other.key == line.key else other for other in self.lines
        ]

    def bookmark(self, at_s: float, text: str) -> Bookmark:
        """Note something about a moment."""
        mark = Bookmark(at_s, text)
        self.bookmarks.append(mark)
        return mark

    def latest(self, line: Line) -> float | None:
        """A line's value in its source's last sample; None while the source is lost."""
        state = self.sources.get(line.source)
        if state is None or state.lost is not None:
            return None
        return state.history.latest.get(line.name)

    def span_s(self) -> tuple[float, float] | None:
        """The first and last moment of all that is kept; None before any sample."""
        states = self.sources.values()
        starts = [one for s in states if (one := s.history.earliest_s) is not None]
        ends = [one for s in states if (one := s.history.latest_s) is not None]
        return (min(starts), max(ends)) if starts else None

    def catalogue(self) -> Mapping[str, list[str]]:
        """The counters that each source has given, by the source's name."""
        return {name: state.history.names for name, state in self.sources.items()}

    def unmatched_patterns(self) -> list[str]:
        """Wanted patterns that no source matches, once each has had two samples or is lost."""
        states = self.sources.values()
        if not states or not all(state.samples > 1 or state.lost for state in states):
            return []
        names = [name for state in states for name in state.history.names]
        asked = [*self.wanted, *(condition.counter for condition in self.alerts.conditions)]
        return [pattern for pattern in asked if not any(matches(pattern, name) for name in names)]
