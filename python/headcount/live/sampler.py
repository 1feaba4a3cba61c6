"""A thread that asks a feed once an interval, so that a silent source holds up nothing else."""

import threading
import time
from queue import SimpleQueue

from headcount.live.feed import Feed
from headcount.live.reading import News

CLOSING_S = 2.0
"""How long the end waits for a sample under way; a thread that hangs longer ends with us."""


class Sampler:
    """Asks a feed on a grid of moments and puts what it reads into a queue.

    A moment that has passed while the feed was busy is left out, not made up for.
    """

    def __init__(self, feed: Feed, interval_s: float, news: SimpleQueue[News]) -> None:
        """Start nothing yet."""
        self._feed = feed
        self._interval_s = interval_s
        self._news = news
        self._woken = threading.Event()
        self._ended = False
        self.failure: Exception | None = None
        """What ended the thread and should not have: a defect, for the main thread to raise."""
        self._thread = threading.Thread(target=self._work, name=f"watch-{feed.name}", daemon=True)

    def start(self) -> None:
        """Begin to ask, at once."""
        self._thread.start()

    def every(self, interval_s: float) -> None:
        """Ask so often from now on."""
        self._interval_s = interval_s
        self._woken.set()

    def end(self) -> None:
        """Ask no more; :meth:`join` waits."""
        self._ended = True
        self._woken.set()

    def join(self) -> None:
        """Wait for the last question to be answered, though not for ever."""
        self._thread.join(CLOSING_S)

    @property
    def over(self) -> bool:
        """Whether nothing comes any more."""
        return not self._thread.is_alive()

    def _work(self) -> None:
        try:
            self._ask()
        except Exception as error:  # noqa: BLE001 - raised again where it can be seen
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
