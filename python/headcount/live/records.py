"""What happens, as lines of Headcount's own log."""

from collections.abc import Iterator

from headcount.counters.log.own_record import (
    Alerted,
    Header,
    Interrupted,
    Line,
    Marked,
    Taken,
    line,
)
from headcount.counters.log.own_writer import columns_of, rounded_value
from headcount.live.monitor import Happened
from headcount.live.reading import Back, Lost, Reading, Remark


def records(happened: Happened) -> Iterator[Line]:
    """The log lines of one thing that happened, without its sample."""
    match happened.news:
        case Lost(source, at_s, reason):
            yield Interrupted(at_s=at_s, source=source, state="lost", reason=reason)
        case Back(source, at_s):
            yield Interrupted(at_s=at_s, source=source, state="back")
        case Remark(at_s, text):
            yield Marked(at_s=at_s, text=text)
    for event in happened.alerts:
        yield Alerted(
            at_s=event.at_s,
            source=event.source,
            alert=event.condition.text,
            counter=event.name,
            state=event.state,
            value=event.value,
        )


class Objects:
    """Everything as self-contained lines of JSON: a log whose samples have counters' names.

    Args:
        header: The first line.
        shown: Whether a counter of a source is printed.

    """

    def __init__(self, header: Header) -> None:
        """Nothing printed yet."""
        self._header = header
        self._is_printed = False
        self._named: dict[str, list[str]] = {}

    def lines(self, happened: Happened, shown: set[tuple[str, str]] | None) -> Iterator[str]:
        """What to print for one thing that happened; of a sample only `shown`, None for all."""
        news = happened.news
        if isinstance(news, Reading):
            header = self._header.with_source(news.source)
            self._is_printed = self._is_printed and header is self._header
            self._header = header
        if not self._is_printed:
            self._is_printed = True
            yield line(self._header)
        if isinstance(news, Reading):
            values = {
                name: rounded_value(value) or 0.0
                for name, value in news.values.items()
                if shown is None or (news.source, name) in shown
            }
            named = self._named.setdefault(news.source, [])
            if new := [name for name in values if name not in set(named)]:
                named += new
                yield line(columns_of(news.source, news.at_s, named))
            if values:
                yield line(Taken(at_s=news.at_s, source=news.source, values=values))
        for record in records(happened):
            yield line(record)
