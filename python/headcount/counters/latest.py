"""A source of another machine that never blocks: a thread samples it and keeps the latest sample.

The thread learns the interval of requests and samples just before the next one, so that samples are
fresh, and it takes exactly one sample per request: the rates then cover each second exactly once.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median

from headcount.counters.origin import FarSource, Origin
from headcount.counters.source import Sample
from headcount.errors import HeadcountError

USUAL_S = 1.0
"""How often a source is usually asked."""
_MARGIN_S = 0.02
"""Added to the usual time of a sample, because schedulers wake threads late."""
_CLOSING_S = 2.0
"""How long `close` waits for a sample in progress; the thread ends with the program anyway."""
_GAPS = 3
"""Intervals between requests whose median is used, so that one long pause does not matter."""


@dataclass(frozen=True, slots=True)
class Happening:
    """The source was lost, or is back.

    Attributes:
        state: Which of the two.
        text: For people: why, or for how long it was lost.

    """

    state: str
    text: str


class Latest:
    """Wraps any far source as one that answers at once.

    Args:
        source: The source, which only the thread samples.
        clock: Seconds that never run backwards.

    """

    def __init__(self, source: FarSource, clock: Callable[[], float] = time.monotonic) -> None:
        """Start the thread, which takes a first sample at once."""
        self.name = source.name
        self._source = source
        self._clock = clock
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = False
        self._fresh: Sample | None = None
        self._happened: list[Happening] = []
        self._asked_s: float | None = None
        self._gaps_s: deque[float] = deque([USUAL_S] * _GAPS, maxlen=_GAPS)
        self._lost_s: float | None = None
        self._took_s = 0.0
        self.samples = 0
        self.missed = 0
        self._thread = threading.Thread(
            target=self._work, name=f"{self.name}-counters", daemon=True
        )
        self._thread.start()

    @property
    def origin(self) -> Origin:
        """Where the counters come from, as far as is known now."""
        return self._source.origin

    def sample(self) -> Sample:
        """The latest sample not returned yet; an empty one if there is none.

        Returns at once, whatever the machine does.
        """
        now_s = self._clock()
        with self._lock:
            fresh, self._fresh = self._fresh, None
            if self._asked_s is not None:
                self._gaps_s.append(now_s - self._asked_s)
            self._asked_s = now_s
        self._wake.set()
        return fresh if fresh is not None else Sample(now_s)

    def happenings(self) -> list[Happening]:
        """Losses and returns since the last call, each once."""
        with self._lock:
            happened, self._happened = self._happened, []
        return happened

    def close(self) -> None:
        """Stop sampling, and close the source."""
        self._closed = True
        self._wake.set()
        self._source.close()
        self._thread.join(_CLOSING_S)

    def _work(self) -> None:
        while not self._closed:
            self._take()
            self._wake.wait()
            self._wake.clear()
            self._wait_for_next()

    def _wait_for_next(self) -> None:
        """Wait until shortly before the next request, or until it comes early."""
        with self._lock:
            gap_s = median(self._gaps_s)
            asked_s = self._asked_s or self._clock()
        lead_s = min(gap_s / 2, 2 * self._took_s + _MARGIN_S)
        wait_s = asked_s + gap_s - lead_s - self._clock()
        if wait_s > 0 and self._wake.wait(wait_s):
            self._wake.clear()

    def _take(self) -> None:
        began_s = self._clock()
        try:
            sample = self._source.sample()
        except HeadcountError as error:
            self._fail(str(error))
            return
        took_s = self._clock() - began_s
        # Remember a slow sample for some time: the next may be slow, too.
        self._took_s = max(took_s, 0.8 * self._took_s)
        with self._lock:
            self._fresh = sample
            self.samples += 1
            if self._lost_s is not None:
                self._happened.append(
                    Happening("back", f"after a gap of {self._clock() - self._lost_s:.0f} s")
                )
                self._lost_s = None

    def _fail(self, text: str) -> None:
        with self._lock:
            if self._closed:
                return
            self.missed += 1
            if self._lost_s is None:
                self._lost_s = self._clock()
                self._happened.append(Happening("lost", text))
