"""How far an agent's clock is ahead of the controller's, from questions and their answers.

The agent read its clock at some moment between question and answer. Assuming the middle, the offset
is wrong by at most half the round trip: the fastest of the last answers gives the best value.
"""

from collections import deque

KEPT = 60
"""Answers that are kept, two a second: machines' clocks drift by milliseconds an hour."""


class ClockOffset:
    """Of one agent's `time.monotonic` against this process's."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._found: deque[tuple[float, float]] = deque(maxlen=KEPT)

    def answer(self, asked_s: float, its_s: float, now_s: float) -> None:
        """Note an answer: when it was asked for, what the agent's clock showed, when it came."""
        self._found.append((now_s - asked_s, its_s - (asked_s + now_s) / 2))

    @property
    def answers(self) -> int:
        """How many answers are kept."""
        return len(self._found)

    @property
    def ahead_s(self) -> float:
        """How far it is ahead, in seconds; 0 if nothing is known."""
        return min(self._found)[1] if self._found else 0.0

    @property
    def error_s(self) -> float:
        """The largest error of `ahead_s`, in seconds."""
        return min(self._found)[0] / 2 if self._found else float("inf")

    @property
    def round_trip_s(self) -> float:
        """The median of the last round trips, in seconds; 0 if nothing is known."""
        trips = sorted(trip_s for trip_s, _ in self._found)
        return trips[len(trips) // 2] if trips else 0.0
