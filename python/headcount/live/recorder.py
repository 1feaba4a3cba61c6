"""The log of a watch; a full disk must not end the watch."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from headcount.counters.log.own_record import Header, Marked
from headcount.counters.log.own_writer import LogWriter
from headcount.errors import SystemLimitError
from headcount.live.monitor import Happened
from headcount.live.reading import Reading
from headcount.live.records import records


class Recorder:
    """Writes what happens to a log, and reports once when it cannot."""

    def __init__(self, path: Path, header: Header) -> None:
        """Open the log; raises InputError and SystemLimitError if that fails."""
        self._writer = LogWriter(path, header)
        self.path = path
        self.failing: str | None = None
        """Why nothing can be written at present."""
        self.dropped = 0
        """Samples and marks that could not be written."""

    @property
    def samples(self) -> int:
        """Samples written."""
        return self._writer.samples

    @property
    def bytes(self) -> int:
        """Bytes written."""
        return self._writer.bytes

    def take(self, happened: Happened) -> str | None:
        """Write what happened; returns a message if writing begins to fail, or works again."""
        return self._all(self._steps(happened))

    def mark(self, at_s: float, text: str) -> str | None:
        """Write a bookmark; returns a message as :meth:`take` does."""
        return self._all([lambda: self._writer.record(Marked(at_s=at_s, text=text))])

    def close(self) -> None:
        """Close the log."""
        self._writer.close()

    def _steps(self, happened: Happened) -> Iterable[Callable[[], None]]:
        news = happened.news
        if isinstance(news, Reading):
            yield lambda: self._writer.sample(news.source, news.at_s, news.values)
        for record in records(happened):
            yield partial(self._writer.record, record)

    def _all(self, steps: Iterable[Callable[[], None]]) -> str | None:
        message = None
        for step in steps:
            try:
                step()
            except SystemLimitError as error:
                self.dropped += 1
                if self.failing is None:
                    self.failing = str(error)
                    message = (
                        f"{error}; watching continues, and writing resumes as soon as possible"
                    )
            else:
                if self.failing is not None:
                    self.failing = None
                    message = f"writing {self.path} again; {self.dropped} lines are missing in it"
        return message
