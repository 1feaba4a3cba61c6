"""Where readings come from: the interface between sources of counters and their viewers."""

import time
from collections.abc import Callable
from typing import Protocol

from headcount.counters.source import Source
from headcount.errors import HeadcountError
from headcount.live.reading import Back, Lost, News, Reading
from headcount.live.wall import Wall

PATIENCE_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Waits before a lost source is tried again; the last one repeats. A restarted server is back in
seconds; one that stays away must not be polled every second all night."""


class Feed(Protocol):
    """Reports news of one or more sources.

    Attributes:
        name: The name of the thread that polls it.

    """

    name: str

    @property
    def done(self) -> bool:
        """Whether nothing can come any more, as from a log that was read to its end."""
        ...

    def poll(self) -> list[News]:
        """The news, in order of time; called once an interval. An exception is a defect."""
        ...

    def close(self) -> None:
        """Release all resources; it is not polled afterwards."""
        ...


class SourceFeed:
    """Samples of one source, which is reopened when it stops answering.

    Args:
        name: The source's name.
        opens: Opens it; may raise errors of Headcount and of the system.
        wall: The time of day.
        clock: Seconds that never run backwards.
        first: The source, if it is open already.

    """

    def __init__(
        self,
        name: str,
        opens: Callable[[], Source],
        wall: Wall,
        clock: Callable[[], float] = time.monotonic,
        *,
        first: Source | None = None,
    ) -> None:
        """Open nothing yet."""
        self.name = name
        self._opens = opens
        self._wall = wall
        self._clock = clock
        self._source = first
        self._lost = False
        self._failures = 0
        self._retry_s = float("-inf")

    @property
    def done(self) -> bool:
        """Never: a silent source may come back."""
        return False

    def poll(self) -> list[News]:
        """One sample; or, once each, that the source is lost or back."""
        if self._clock() < self._retry_s:
            return []
        began_s = time.thread_time()
        try:
            if self._source is None:
                self._source = self._opens()
            sample = self._source.sample()
        except (HeadcountError, OSError) as error:
            return self._fail(_error_text(error))
        if not sample.values:
            return self._fail("it gives no figures")
        cost_ms = (time.thread_time() - began_s) * 1000
        at_s = self._wall.at(sample.at_s)
        reading = Reading(self.name, at_s, sample.values, cost_ms)
        self._failures = 0
        if self._lost:
            self._lost = False
            return [Back(self.name, at_s), reading]
        return [reading]

    def close(self) -> None:
        """Close the source."""
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def _fail(self, reason: str) -> list[News]:
        self.close()
        wait_s = PATIENCE_S[min(self._failures, len(PATIENCE_S) - 1)]
        self._failures += 1
        self._retry_s = self._clock() + wait_s
        if self._lost:
            return []
        self._lost = True
        return [Lost(self.name, self._wall.now(), reason)]


def _error_text(error: Exception) -> str:
    text = error.strerror if isinstance(error, OSError) else str(error)
    return text or str(error) or type(error).__name__
