"""How far another machine's clock is from ours, with a bound of what can be wrong with that.

A machine that is asked for its time answers between the moments when we asked and when we heard
it. Its time was then within what it said, so its clock is ahead of ours by no less than what it
said minus when we heard it, and by no more than what it said minus when we asked. Every answer
gives such an interval, and the truth is in all of them: their intersection. The middle of the
narrowest alone would be Cristian's estimate (F. Cristian, "Probabilistic clock synchronization",
Distributed Computing 3, 1989): half the round trip, of the fastest answer. Intersecting is never
worse, and it works for clocks that give whole seconds only, which no single answer can.
(K. Marzullo and S. Owicki, "Maintaining the time in a distributed system", 1985.)

The bound assumes nothing of the network but that answers follow questions.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

DRIFT = 5e-4
"""How much two clocks may part in a second: the most that Linux corrects a clock by (`adjtimex`,
500 ppm); a quartz alone is within 100 ppm. Older answers are trusted less by that."""


@dataclass(frozen=True, slots=True)
class ClockOffset:
    """How far a clock is ahead of ours.

    Attributes:
        seconds: Its time less ours; negative where it is behind.
        error_s: The truth is within this many seconds of it.

    """

    seconds: float
    error_s: float


class ClockEstimate:
    """What is known of another machine's clock, better with every answer.

    Args:
        wall: Seconds since 1970 of our clock.
        steady: Seconds that never run backwards.

    """

    def __init__(
        self,
        wall: Callable[[], float] = time.time,
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is known yet. Our own clock is taken as it is now, steps of it left out."""
        self._wall_s = wall() - steady()
        self._low_s = float("-inf")
        self._high_s = float("inf")
        self._at_s = 0.0
        self.steps = 0
        """How often answers contradicted each other: the other clock was set meanwhile."""

    def observe(
        self, asked_s: float, heard_s: float, remote_s: float, resolution_s: float = 0.0
    ) -> None:
        """Take an answer: asked and heard by our steady clock, and the time it gave (since 1970).

        ``resolution_s`` says that its clock cuts off: it was then between that time and so much
        later.
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
        """The moment on our steady clock when the other's was this, between asking and hearing."""
        offset = self.offset
        if offset is None:
            return (asked_s + heard_s) / 2
        return min(heard_s, max(asked_s, remote_s - offset.seconds - self._wall_s))
