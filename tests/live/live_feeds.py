"""Feeds and sources that tests script."""

from collections.abc import Callable, Iterable, Mapping

from headcount.counters.log.own_record import Watched
from headcount.counters.source import Sample
from headcount.live.alert import Alerts, parse
from headcount.live.monitor import Monitor
from headcount.live.reading import News, Reading
from headcount.live.wall import Wall
from headcount.live.watch import Watch

BUSY = "system.cpu.utilization"
USED = "system.memory.usage{system.memory.state=used}"


class Scripted:
    """A source that gives one thing after the other: figures, or an error."""

    def __init__(self, steps: Iterable[Mapping[str, float] | Exception]) -> None:
        self.name = "scripted"
        self.steps = list(steps)
        self.closed = 0
        self.at_s = 0.0

    def sample(self) -> Sample:
        self.at_s += 1.0
        step = self.steps.pop(0)
        if isinstance(step, Exception):
            raise step
        return Sample(self.at_s, step)

    def close(self) -> None:
        self.closed += 1


class ListFeed:
    """A feed that gives a list of news, once."""

    def __init__(self, news: Iterable[News]) -> None:
        self.name = "told"
        self._news = list(news)
        self.done = False

    def poll(self) -> list[News]:
        self.done = True
        return self._news

    def close(self) -> None:
        pass


def readings(
    source: str, values: Iterable[Mapping[str, float]], start_s: float = 0.0, step_s: float = 1.0
) -> list[Reading]:
    return [
        Reading(source, start_s + number * step_s, one, 2.0) for number, one in enumerate(values)
    ]


def monitor(*news: News, alerts: tuple[str, ...] = (), **options: object) -> Monitor:
    made = Monitor(alerts=Alerts([parse(text) for text in alerts]), **options)  # type: ignore[arg-type]
    for name in dict.fromkeys(one.source for one in news if isinstance(one, Reading)):
        made.expect(name, 1.0)
    for one in news:
        made.take(one)
    return made


def watch(*news: News, clock: Callable[[], float] | None = None, **options: object) -> Watch:
    """A watch whose only feed has given all its news already."""
    empty = Monitor(**options)  # type: ignore[arg-type]
    names = dict.fromkeys(getattr(one, "source", "local") for one in news)
    sources = [Watched(name=name, address=name, host=name, system="linux") for name in names]
    wall = Wall() if clock is None else Wall(lambda: 0.0, clock)
    made = Watch(empty, [ListFeed(news)], sources, 1.0, "0", wall)
    made.start()
    while not made.over:
        made.drain(0.05)
    return made
