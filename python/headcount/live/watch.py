"""One watch: its feeds, its monitor and its log, for the views."""

import time
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue

from headcount.counters.log.own_record import Header, Watched
from headcount.counters.recording import Bookmark
from headcount.live.feed import Feed
from headcount.live.monitor import Happened, Monitor
from headcount.live.reading import News
from headcount.live.recorder import Recorder
from headcount.live.sampler import Sampler
from headcount.live.wall import Wall


class Watch:
    """Polls the feeds, updates the monitor, writes the log.

    Args:
        monitor: What is known; views read it.
        feeds: Where readings come from.
        sources: What the feeds report on, for the log.
        interval_s: How often feeds are polled.
        version: Headcount's, for the log.
        wall: The time of day.

    """

    def __init__(
        self,
        monitor: Monitor,
        feeds: Sequence[Feed],
        sources: Sequence[Watched],
        interval_s: float,
        version: str,
        wall: Wall,
    ) -> None:
        """Start nothing yet."""
        self.monitor = monitor
        self.sources = sources
        self.interval_s = interval_s
        self.wall = wall
        self.recorder: Recorder | None = None
        self.messages: list[str] = []
        """Messages for people, in order; the view that shows one removes it."""
        self._version = version
        self._news: SimpleQueue[News] = SimpleQueue()
        self._samplers = [Sampler(feed, interval_s, self._news) for feed in feeds]
        for source in sources:
            monitor.expect(source.name, interval_s)
        self._began_s = time.monotonic()
        self._began_cpu_s = time.process_time()

    def start(self) -> None:
        """Start to poll."""
        for sampler in self._samplers:
            sampler.start()

    def end(self) -> list[Happened]:
        """Stop polling, and close the log; returns what came at the very end."""
        for sampler in self._samplers:
            sampler.end()
        for sampler in self._samplers:
            sampler.join()
        last = self.drain()
        self.stop_recording()
        return last

    @property
    def over(self) -> bool:
        """Whether nothing more can come, and all that came was taken."""
        return all(sampler.over for sampler in self._samplers) and self._news.empty()

    def drain(self, wait_s: float = 0.0) -> list[Happened]:
        """Take all that has come; wait at most `wait_s` for the first of it.

        Raises the unexpected error of a feed.
        """
        happened = []
        try:
            news = self._news.get(timeout=wait_s) if wait_s > 0 else self._news.get_nowait()
            while True:
                happened.append(self._take(news))
                news = self._news.get_nowait()
        except Empty:
            pass
        for sampler in self._samplers:
            if sampler.failure is not None:
                raise sampler.failure
        return happened

    def every(self, interval_s: float) -> None:
        """Poll at this interval from now on."""
        self.interval_s = interval_s
        for state in self.monitor.sources.values():
            state.interval_s = interval_s
        for sampler in self._samplers:
            sampler.every(interval_s)

    def record(self, path: Path) -> None:
        """Write a log from now on; raises InputError and SystemLimitError if that fails."""
        head = Header(
            at_s=self.wall.now(),
            headcount=self._version,
            interval_s=self.interval_s,
            sources=list(self.sources),
        )
        recorder = Recorder(path, head)
        self.stop_recording()
        self.recorder = recorder

    def stop_recording(self) -> None:
        """Close the log, if there is one."""
        if self.recorder is not None:
            self.recorder.close()
            self.recorder = None

    def bookmark(self, text: str, at_s: float | None = None) -> Bookmark:
        """Note something about a moment, by default now."""
        mark = self.monitor.bookmark(self.wall.now() if at_s is None else at_s, text)
        if self.recorder is not None:
            self._report(self.recorder.mark(mark.at_s, text))
        return mark

    def cost(self) -> float:
        """The share of one core that this process has used so far, including everything."""
        passed_s = time.monotonic() - self._began_s
        return (time.process_time() - self._began_cpu_s) / passed_s if passed_s > 0 else 0.0

    def _take(self, news: News) -> Happened:
        happened = self.monitor.take(news)
        if self.recorder is not None:
            self._report(self.recorder.take(happened))
        return happened

    def _report(self, message: str | None) -> None:
        if message is not None:
            self.messages.append(message)
