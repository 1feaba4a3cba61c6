"""What happens, as lines of text."""

from collections.abc import Iterator
from datetime import UTC, datetime

from headcount.counters.value_text import value
from headcount.live.alert import Event
from headcount.live.line import title, unit
from headcount.live.monitor import Happened, Monitor
from headcount.live.reading import Back, Lost, Reading, Remark
from headcount.text import clean, share, span


def clock(at_s: float) -> str:
    """A moment in local time, to a tenth of a second."""
    at = datetime.fromtimestamp(at_s, UTC).astimezone()
    return f"{at:%H:%M:%S}.{at.microsecond // 100_000}"


def lines(monitor: Monitor, happened: Happened) -> Iterator[str]:
    """What to print for one thing that happened."""
    news = happened.news
    match news:
        case Reading():
            figures = [
                f"{title(line.name)} {value(news.values[line.name], unit(line.name))}"
                for line in monitor.lines
                if line.source == news.source and line.name in news.values
            ]
            if figures:
                yield f"{clock(news.at_s)}  {clean(news.source)}  {'  '.join(figures)}"
        case Lost():
            yield f"{clock(news.at_s)}  {clean(news.source)}  LOST: {clean(news.reason)}"
        case Back():
            yield f"{clock(news.at_s)}  {clean(news.source)}  is back"
        case Remark():
            yield f"{clock(news.at_s)}  BOOKMARK  {clean(news.text)}"
    for event in happened.alerts:
        yield f"{clock(event.at_s)}  {alert(event)}"


def alert(event: Event) -> str:
    """An alert in words."""
    unit_ = unit(event.name)
    subject = f"{title(event.name)} on {clean(event.source)}"
    level = value(event.condition.level, unit_)
    now = value(event.value, unit_)
    if event.lasted_s is None:
        return f"ALERT  {subject} is {event.condition.side} {level}: {now}"
    after = f"{now}, after {span(event.lasted_s)}"
    return f"ALERT ENDED  {subject} is no longer {event.condition.side} {level}: {after}"


def ending(monitor: Monitor, own_share: float) -> str:
    """What watching cost, for the last line."""
    each = [
        f"{clean(state.name)} {state.cost_each_ms:.1f} ms a sample"
        for state in monitor.sources.values()
        if state.cost_each_ms is not None
    ]
    sampled = sum(state.samples for state in monitor.sources.values())
    reading = f"; reading {', '.join(each)} of CPU" if each else ""
    return f"{sampled} samples; watching took {share(own_share)} of one core{reading}"
