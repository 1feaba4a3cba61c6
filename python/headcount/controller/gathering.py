"""The users of a level as they come: how many at a time, until when, and how long log-ons take."""

import math
from dataclasses import dataclass

from headcount._engine import Interval
from headcount.analyse.window import logging_on_s
from headcount.controller.level_order import LevelOrder
from headcount.controller.session import Moment

GATHER_S = 30.0
"""Longest wait for users to come or go after the ramp; then the level reports that they did not."""
LOG_ON_S = 300.0
"""Longest wait for users to open their sessions, as long as one did within `GATHER_S`."""

MOST_AT_ONCE = 50
"""Users who may be logging on when more come. Real ones do not come all at once, and more than that
can overflow the queue of a listening socket (Samba's has 50 places): TCP then waits for up to a
minute before it tries again."""


class Admission:
    """How many users of a level may have come, second by second.

    About `MOST_AT_ONCE` more than have logged on, but no faster than the ramp.
    """

    def __init__(self, before: Interval | None, order: LevelOrder) -> None:
        """`before` is the last second before the users of the `order` come."""
        self._users = order.users
        self.admitted = before.users if before is not None else 0
        self._per_s = (order.users - self.admitted) / max(order.ramp_s, 1.0)
        self._in = self.admitted - (before.logging_on if before is not None else 0)

    @property
    def is_over(self) -> bool:
        """Whether all may have come."""
        return self.admitted >= self._users

    def next(self, last: Interval | None) -> int:
        """The users who may have come at the end of the next second; `last` is the one before."""
        has_come = 0
        if last is not None:
            has_come = max(last.users - last.logging_on - self._in, 0)
            self._in += has_come
        waiting = self.admitted - self._in
        more = min(has_come + max(MOST_AT_ONCE - waiting, 0), math.ceil(self._per_s))
        self.admitted = min(self.admitted + more, self._users)
        return self.admitted


@dataclass
class Gathering:
    """Whether the users of a level are present: in number, and with their sessions open."""

    users: int
    _since_s: float | None = None
    _least: int = 0

    def has_ended(self, moment: Moment) -> bool:
        """Whether all are present, or nobody came, left or logged on for `GATHER_S`."""
        last = moment.interval
        missing = abs(self.users - last.users) + last.logging_on
        if self._since_s is None or missing < self._least:
            self._since_s, self._least = last.from_s, missing
        return not missing or last.to_s - self._since_s >= GATHER_S


class LogOns:
    """How long the users who come for a level take to open their sessions.

    By Little's law: the time that all of them together spend on it, over their number. Of users who
    are not logged on when the waiting ends, the time until then counts.
    """

    def __init__(self, before: Interval | None, users: int) -> None:
        """`before` is the last second before they come; `users` are those of the level."""
        self._came = users - (before.users if before is not None else 0)
        self._logging_on = before.logging_on if before is not None else 0
        self._spent_s = 0.0

    def add(self, moment: Moment) -> None:
        """Take a second of the ramp into account."""
        self._spent_s += logging_on_s(self._logging_on, moment.interval)
        self._logging_on = moment.interval.logging_on

    @property
    def mean_s(self) -> float | None:
        """The mean time; None where nobody came, or sessions open with the first scenario."""
        return self._spent_s / self._came if self._came > 0 and self._spent_s > 0 else None
