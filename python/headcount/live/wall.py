"""The time of day, computed from the monotonic clock."""

import time
from collections.abc import Callable

STEP_S = 1.0
"""A time of day that is off by more was set, or the machine slept; less is a clock being slewed,
which must not move samples."""


class Wall:
    """Turns seconds of `time.monotonic` into seconds since 1970 (UTC).

    Args:
        monotonic: Seconds that never run backwards.
        wall: Seconds since 1970.

    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        """Look at both clocks."""
        self._monotonic, self._wall = monotonic, wall
        self._offset_s = wall() - monotonic()

    def at(self, monotonic_s: float) -> float:
        """The time of day of a recent moment."""
        offset_s = self._wall() - self._monotonic()
        if abs(offset_s - self._offset_s) > STEP_S:
            self._offset_s = offset_s
        return monotonic_s + self._offset_s

    def now(self) -> float:
        """The time of day."""
        return self.at(self._monotonic())
