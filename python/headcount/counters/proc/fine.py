"""Gauges that change within a second: a thread samples them several times per second.

The thread samples ten times a second, and no gauge costs more than a set share of a core: an
expensive one is sampled less often. The cost is counted and reported.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, Protocol

INTERVAL_S = 0.1
"""Ten looks a second: bottlenecks that come and go within a second show as shares of it. Our
choice; at 50 ms the looks themselves cost twice as much and say no more about means of a level."""
DUTY = 0.02
"""Share of one core that looking may cost, in equal parts for all gauges, so that an expensive one
does not take from the others. Our choice: with a quarter of it, a level of a few seconds on a busy
machine has no look at the expensive ones."""
_GOLDEN = 0.6180339887498949
"""Looks are not equidistant: the n-th is within its tenth of a second at the fractional part of n
squared times the golden ratio, which covers any period evenly and resonates with none (H. Weyl,
"Über die Gleichverteilung von Zahlen mod. Eins", Mathematische Annalen 77, 1916, on polynomials).
At equal distances of 100 ms, all would hit the same phase of a CPU limit, whose period is 100 ms
too, and see a server always stopped or never. Without the square, there are periods, such as 63.6
ms, of which they would see only some phases: found by trying 4,000 of them."""

How = Literal["mean", "max", "share", "last"]
Look = tuple[str, How, float]
"""A counter's name, how its values in a second are combined, and its value now. ``share`` is the
share of looks in which the value was above zero."""


def of_one_look(looks: Iterable[Look]) -> dict[str, float]:
    """The figures of a single look."""
    return {name: float(value > 0) if how == "share" else value for name, how, value in looks}


class Gauge(Protocol):
    """A source of values that change within a second."""

    def look(self) -> Iterable[Look]:
        """Look now; raises OSError if that is impossible at the moment."""
        ...

    def close(self) -> None:
        """Let go of what is held."""
        ...


@dataclass(slots=True)
class _Seen:
    """The values of one counter since the last `take`."""

    how: How
    moments: int = 0
    total: float = 0.0
    largest: float = float("-inf")
    occupied: int = 0
    latest: float = 0.0

    def add(self, value: float) -> None:
        self.moments += 1
        self.total += value
        self.largest = max(self.largest, value)
        self.occupied += value > 0
        self.latest = value

    @property
    def figure(self) -> float:
        if self.how == "max":
            return self.largest
        if self.how == "last":
            return self.latest
        return (self.occupied if self.how == "share" else self.total) / self.moments


class Moments:
    """Values of gauges at many moments, combined until `take`.

    Args:
        gauges: The gauges to look at.
        duty: Share of one core that all of them may cost; each has an equal part.
        cost: Returns the CPU time of the calling thread so far, in seconds.

    """

    def __init__(
        self,
        gauges: Sequence[Gauge],
        *,
        duty: float = DUTY,
        cost: Callable[[], float] = time.thread_time,
    ) -> None:
        """Look at nothing yet."""
        self._gauges = gauges
        self._due_s = [float("-inf")] * len(gauges)
        self._duty = duty / max(1, len(gauges))
        self._cost = cost
        self._seen: dict[str, _Seen] = {}
        self._lock = threading.Lock()

    def look(self, at_s: float) -> None:
        """Look at every gauge that is due."""
        for number, gauge in enumerate(self._gauges):
            if at_s < self._due_s[number]:
                continue
            began_s = self._cost()
            looks: list[Look] = []
            with suppress(OSError):
                looks = list(gauge.look())
            with self._lock:
                for name, how, value in looks:
                    one = self._seen.get(name)
                    if one is None:
                        one = self._seen[name] = _Seen(how)
                    one.add(value)
            self._due_s[number] = at_s + (self._cost() - began_s) / self._duty

    def take(self) -> dict[str, float]:
        """Return the figures of all looks since the last call; a counter not seen is absent."""
        with self._lock:
            seen, self._seen = self._seen, {}
        return {name: one.figure for name, one in seen.items()}

    def close(self) -> None:
        """Let go of all gauges."""
        for gauge in self._gauges:
            gauge.close()


class FineSampler:
    """A thread that looks at gauges until `close`; the first `take` starts it.

    Args:
        make: Makes the gauges, when the thread starts.
        interval_s: Mean time between two looks.
        duty: Share of one core that they may cost.

    """

    def __init__(
        self,
        make: Callable[[], Sequence[Gauge]],
        *,
        interval_s: float = INTERVAL_S,
        duty: float = DUTY,
    ) -> None:
        """Start nothing yet."""
        self._make = make
        self._moments = Moments(())
        self._interval_s = interval_s
        self._duty = duty
        self._has_ended = False
        self._running = threading.Lock()
        """Held until the end: waiting for a lock costs a third of waiting for an event."""
        self._running.acquire()
        self._thread: threading.Thread | None = None
        self._cpu_s = 0.0
        self._reported_s = 0.0
        self._broken: Exception | None = None

    def take(self) -> dict[str, float]:
        """Return the figures since the last call; the first call has none.

        Raises any error of a gauge that is not an OSError: such an error is a defect.
        """
        if self._broken is not None:
            raise self._broken
        if self._thread is None and not self._has_ended:
            self._moments = Moments(self._make(), duty=self._duty)
            self._thread = threading.Thread(target=self._run, name="headcount-fine", daemon=True)
            self._thread.start()
            return {}
        return self._moments.take()

    def cost_s(self) -> float:
        """CPU time the thread used since the last call, in seconds."""
        used_s = self._cpu_s
        before_s, self._reported_s = self._reported_s, used_s
        return used_s - before_s

    def close(self) -> None:
        """End the thread and let go of all gauges."""
        if not self._has_ended:
            self._has_ended = True
            self._running.release()
        if self._thread is not None:
            self._thread.join()
        self._moments.take()
        self._moments.close()

    def _run(self) -> None:
        try:
            for at_s in moments(time.monotonic(), self._interval_s):
                if self._running.acquire(timeout=max(0.0, at_s - time.monotonic())):
                    return
                now_s = time.monotonic()
                if now_s < at_s + self._interval_s:  # skip looks that a busy machine delayed
                    self._moments.look(now_s)
                self._cpu_s = time.thread_time()
        except Exception as error:  # noqa: BLE001 - raised by take, on the caller's thread
            self._broken = error


def moments(start_s: float, interval_s: float) -> Iterable[float]:
    """Endless times of looks: once per interval, evenly over any period."""
    number = 0
    while True:
        yield start_s + (number + number * number * _GOLDEN % 1.0) * interval_s
        number += 1
