"""A thread that polls a feed once an interval, so that a silent source blocks nothing else."""

import threading
import time
from queue import SimpleQueue

from headcount.live.feed import Feed
from headcount.live.reading import News

CLOSING_S = 2.0
"""How long the end waits for a sample under way; the process ends a thread that hangs longer."""


class Sampler:
    """Polls a feed at fixed moments and puts its news into a queue.

    Moments that pass while the feed is busy are skipped, not made up for.
    """

    def __init__(self, feed: Feed, interval_s: float, news: SimpleQueue[News]) -> None:
        """Start nothing yet."""
        self._feed = feed
        self._interval_s = interval_s
        self._news = news
        self._woken = threading.Event()
        self._ended = False
        self.failure: Exception | None = None
        """The unexpected error that ended the thread: a defect, for the main thread to raise."""
        self._thread = threading.Thread(target=self._work, name=f"watch-{feed.name}", daemon=True)

    def start(self) -> None:
        """Start to poll at once."""
        self._thread.start()

    def every(self, interval_s: float) -> None:
        """Poll at this interval from now on."""
        self._interval_s = interval_s
        self._woken.set()

    def end(self) -> None:
        """Stop polling; :meth:`join` waits for that."""
        self._ended = True
        self._woken.set()

    def join(self) -> None:
        """Wait for the last poll, but not for ever."""
        self._thread.join(CLOSING_S)

    @property
    def over(self) -> bool:
        """Whether nothing more will come."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._ask()
        except Exception as error:  # noqa: BLE001 - raised again in the main thread
            self.failure = error
        finally:
            self._feed.close()

    def _ask(self) -> None:
        due_s = time.monotonic()
        while not self._ended:
            for one in self._feed.poll():
                self._news.put(one)
            if self._feed.done:
                return
            due_s += self._interval_s
            now_s = time.monotonic()
            if due_s < now_s:
                missed = int((now_s - due_s) / self._interval_s) + 1
                due_s += missed * self._interval_s
            if self._woken.wait(max(due_s - now_s, 0.0)):
                self._woken.clear()
                due_s = time.monotonic()
