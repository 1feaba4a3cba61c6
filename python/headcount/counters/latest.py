"""A source of another machine that holds nobody up: a thread samples it, and the latest is at hand.

The thread learns how often it is asked and samples just before the next time, so that what is
handed over is fresh, and exactly one sample is taken for each that is asked for: the samples' rates
then cover all of the time, each second once.
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
"""What is added to the time that a sample usually takes: schedulers wake threads late."""
_CLOSING_S = 2.0
"""How long the end waits for a sample under way; the thread ends with the program anyway."""
_GAPS = 3
"""So many gaps between questions say how often it is asked; one long pause among them does not."""


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
    """Any far source as one that answers at once.

    Args:
        source: What is sampled, by the thread alone.
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
        """The latest sample that was not handed over yet; an empty one where there is none.

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
        """What has happened since this was last asked: each loss and each return once."""
        with self._lock:
            happened, self._happened = self._happened, []
        return happened

    def close(self) -> None:
        """Sample no more, and close the source."""
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
        """Wait until shortly before the next question, or until it comes early."""
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
        # A slow one is remembered for some time: the next may be slow, too.
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
