"""The offset of another machine's clock from ours, with a bound on its error.

A machine reads its clock at some moment between our question and our receipt of the answer. So its
clock is ahead of ours by no less than its time minus that of receipt, and by no more than its time
minus that of the question. Every answer gives such an interval, and the truth is in all of them:
their intersection. The middle of the narrowest alone would be Cristian's estimate (F. Cristian,
"Probabilistic clock synchronization", Distributed Computing 3, 1989): half the round trip, of the
fastest answer. Intersecting is never worse, and it works for clocks that give whole seconds only,
which no single answer can. (K. Marzullo and S. Owicki, "Maintaining the time in a distributed
system", 1985.)

The bound assumes nothing about the network except that answers follow questions.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

DRIFT = 5e-4
"""Most drift of two clocks per second: the most by which Linux corrects a clock (`adjtimex`, 500
ppm); a quartz alone is within 100 ppm. Intervals of older answers grow by it."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """The offset of a clock from ours.

    Attributes:
        seconds: Its time less ours; negative where it is behind.
        error_s: The truth is within this many seconds of it.

    """

    seconds: float
    error_s: float


class ClockEstimate:
    """An estimate of another machine's clock, which every answer improves.

    Args:
        wall: Seconds since 1970 of our clock.
        steady: Seconds that never run backwards.

    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Know nothing yet. Our own clock is read once, so later steps of it do not matter."""
        self._wall_s = wall() - steady()
        self._low_s = float("-inf")
        self._high_s = float("inf")
        self._at_s = 0.0
        self.steps = 0
        """How often answers contradicted each other, because the other clock was set."""

    def observe(
        self, asked_s: float, heard_s: float, remote_s: float, resolution_s: float = 0.0
    ) -> None:
        """Take in an answer: when we asked and heard by our steady clock, and its time since 1970.

        ``resolution_s``: its clock truncates, so the true time is at most that much later.
        """
        low_s = remote_s - (heard_s + self._wall_s)
        high_s = remote_s + resolution_s - (asked_s + self._wall_s)
        drift_s = DRIFT * max(0.0, heard_s - self._at_s)
        self._low_s, self._high_s = self._low_s - drift_s, self._high_s + drift_s
        self._at_s = heard_s
        if low_s > self._high_s or high_s < self._low_s:
            self.steps += 1
            self._low_s, self._high_s = low_s, high_s
        else:
            self._low_s, self._high_s = max(self._low_s, low_s), min(self._high_s, high_s)

    @property
    def offset(self) -> ClockOffset | None:
        """How far the clock is ahead of ours; None before the first answer."""
        if self._high_s == float("inf"):
            return None
        return ClockOffset(
            (self._low_s + self._high_s) / 2, max(0.0, (self._high_s - self._low_s) / 2)
        )

    def local_s(self, remote_s: float, asked_s: float, heard_s: float) -> float:
        """A time of the other clock on our steady clock, kept between question and receipt."""
        offset = self.offset
        if offset is None:
            return (asked_s + heard_s) / 2
        return min(heard_s, max(asked_s, remote_s - offset.seconds - self._wall_s))
