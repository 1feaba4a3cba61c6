"""A stretch of a level: the intervals in it, pooled.

A scenario belongs to the stretch in which it was *decided*: completed, failed, or first became
slower than a limit while still unanswered. The last case keeps a frozen server from looking fast: a
scenario that has waited longer than the limit at the end counts as slow although no answer came,
and does not count again when the answer comes later.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from headcount._engine import Histogram, Interval, ScenarioCount
from headcount.analyse.each_second import EachSecond, each_of
from headcount.bundle.stretches import SLACK_S


@dataclass(frozen=True)
class Window:
    """Consecutive intervals, and the one before them (None at the very beginning of a run).

    The intervals of a long level are stretches of many seconds (`analyse.stretch`), which lack some
    figures: `whole` is the sum of the level with all of them, `recorded` what is known of each
    second.
    """

    intervals: Sequence[Interval]
    before: Interval | None
    whole: Interval | None = None
    recorded: EachSecond | None = None

    @property
    def sums(self) -> Sequence[Interval]:
        """The intervals to sum: they have every figure, unlike stretches."""
        return self.intervals if self.whole is None else [self.whole]

    @cached_property
    def each(self) -> EachSecond:
        """What is known of each second."""
        return each_of(self.intervals) if self.recorded is None else self.recorded

    @property
    def seconds(self) -> float:
        """Its length in seconds."""
        return self.intervals[-1].to_s - self.intervals[0].from_s if self.intervals else 0.0

    def pool(self, index: int | tuple[int, ...] | None = None) -> "Pool":
        """One scenario by its index in the plan, several, or all of them together."""
        return Pool(self, index)

    def histogram(self, pick: Callable[[Interval], Histogram]) -> Histogram:
        """The merged histogram of what `pick` takes from each interval."""
        return Histogram.merge([pick(interval) for interval in self.sums])

    @property
    def active_users(self) -> int:
        """How many of the users present at the end completed anything in the window."""
        if not self.intervals:
            return 0
        from_s = self.intervals[0].from_s
        return sum(users for began_s, users in self.intervals[-1].completed if began_s >= from_s)

    @property
    def logging_on(self) -> float:
        """The mean number of users who were opening their session, before any scenario was due."""
        if not self.intervals:
            return 0.0
        before = self.before.logging_on if self.before is not None else 0
        waited_s = 0.0
        for interval in self.intervals:
            waited_s += logging_on_s(before, interval)
            before = interval.logging_on
        return waited_s / max(self.seconds, 1e-9)

    @property
    def unserved_users(self) -> int:
        """How many users completed nothing although something failed or exceeded a limit."""
        if not self.intervals:
            return 0
        from_s = self.intervals[0].from_s
        return sum(users for since_s, users in self.intervals[-1].unserved if since_s <= from_s)

    @property
    def is_idle(self) -> bool:
        """Whether nothing was due, ended or pending: all users paused the whole time."""
        if not self.intervals:
            return False
        everything = self.pool()
        asked = everything.due() + everything.completed + everything.failed
        return not asked and not everything.unanswered(0) and not self.unserved_users

    def split(self, seconds: float) -> "list[Window]":
        """Consecutive windows of this length; a rest shorter than half of it joins the last."""
        parts: list[list[Interval]] = []
        start_s = float("-inf")
        for interval in self.intervals:
            if self._begins(interval, start_s, seconds, len(parts)):
                parts.append([])
                start_s = interval.from_s
            parts[-1].append(interval)
        if len(parts) > 1 and parts[-1][-1].to_s - parts[-1][0].from_s < seconds / 2:
            parts[-2].extend(parts.pop())
        windows = []
        before = self.before
        for part in parts:
            windows.append(Window(part, before))
            before = part[-1]
        return windows

    def _begins(self, interval: Interval, start_s: float, seconds: float, parts: int) -> bool:
        """Whether the next part begins at this interval; the last one began at `start_s`."""
        if self.whole is None:
            return interval.from_s - start_s >= seconds - SLACK_S
        # Stretches do not line up with parts: each belongs to the part that contains its middle.
        middle_s = (interval.from_s + interval.to_s) / 2 - self.intervals[0].from_s
        return middle_s >= parts * seconds


@dataclass(frozen=True)
class Pool:
    """One scenario, several, or all of them, within a window."""

    window: Window
    index: int | tuple[int, ...] | None

    def _counts(self, interval: Interval) -> list[ScenarioCount]:
        if self.index is None:
            return interval.scenarios
        some = self.index if isinstance(self.index, tuple) else (self.index,)
        return [interval.scenarios[each] for each in some]

    def sum(self, pick: Callable[[ScenarioCount], float]) -> float:
        """The sum of a count over all intervals."""
        return sum(pick(count) for i in self.window.sums for count in self._counts(i))

    def count(self, pick: Callable[[ScenarioCount], int]) -> int:
        """The sum of a whole count over all intervals."""
        return sum(pick(count) for i in self.window.sums for count in self._counts(i))

    @property
    def completed(self) -> int:
        """How many ended without a fault."""
        return self.count(lambda count: count.completed)

    @property
    def failed(self) -> int:
        """How many ended with a fault."""
        return self.count(lambda count: count.failed)

    @property
    def response(self) -> Histogram:
        """Response times of the completed."""
        return Histogram.merge([c.response for i in self.window.sums for c in self._counts(i)])

    @property
    def service(self) -> Histogram:
        """Service times of the completed."""
        return Histogram.merge([c.service for i in self.window.sums for c in self._counts(i)])

    def mean_ms(self) -> float | None:
        """The mean response time in ms; None when nothing ended.

        The total time spent waiting within the window, over the number that ended in it: the
        operational response time (Denning and Buzen, The Operational Analysis of Queueing Network
        Models, Computing Surveys 10(3), 1978). If nobody waits at either end, it is the usual mean.
        Users still waiting at the end count too, so a frozen server cannot hide them. Failures must
        not make a server look fast: a larger mean of the completed scenarios alone counts instead.
        """
        ended = self.completed + self.failed
        if not ended:
            return None
        return max(self.waited_s() * 1000 / ended, self.response.mean_us / 1000)

    def seconds_ms(self) -> list[float]:
        """The mean response time of each interval in which something ended, in ms."""
        sums = [
            (sum(c.response_s for c in counts), sum(c.completed + c.failed for c in counts))
            for counts in map(self._counts, self.window.intervals)
        ]
        return [response_s / ended * 1000 for response_s, ended in sums if ended]

    def waited_s(self) -> float:
        """Total time that users waited for answers within the window, in user-seconds."""
        before = self.window.before
        earlier_s = self._waiting_s(before) if before is not None else 0.0
        ended_s = self.sum(lambda count: count.response_s)
        return ended_s + self._waiting_s(self.window.intervals[-1]) - earlier_s

    def unanswered(self, limit_us: int) -> int:
        """How many are over the limit and still waiting at the end of the window."""
        return self._waiting(self.window.intervals[-1], limit_us)

    def slower(self, limit_us: int) -> tuple[int, int]:
        """How many were decided as failed or slower than the limit, and out of how many."""
        before = self.window.before
        earlier = self._waiting(before, limit_us) if before is not None else 0
        crossed = self.unanswered(limit_us) - earlier
        ended = self.completed + self.failed
        bad = self.response.count_above(limit_us) + self.failed + crossed
        return max(bad, 0), max(ended + crossed, bad, 0)

    def overloaded(self) -> tuple[int, int]:
        """How many were decided as failed, late or over the limit, and out of how many.

        One that is over the limit and still unanswered at the end counts here, once.
        """
        before = self.window.before
        crossed = self._overdue(self.window.intervals[-1])
        crossed -= self._overdue(before) if before is not None else 0
        bad = self.count(lambda count: count.overloaded) + crossed
        return max(bad, 0), max(self.completed + self.failed + crossed, bad, 0)

    def due(self) -> int:
        """How many fell due in the window, started or not."""
        started = self.count(lambda count: count.started)
        if self.index is not None:
            return started  # which scenario a waiting user will play is not drawn yet
        before = self.window.before
        earlier = before.backlog.count if before is not None else 0
        return started + self.window.intervals[-1].backlog.count - earlier

    def _overdue(self, interval: Interval) -> int:
        overdue = sum(count.overdue for count in self._counts(interval))
        return overdue + (interval.backlog_overdue if self.index is None else 0)

    def _waiting_s(self, interval: Interval) -> float:
        """Total time that the users pending at the end of the interval have waited so far."""
        waiting = [count.pending for count in self._counts(interval)]
        if self.index is None:
            waiting.append(interval.backlog)
        return sum(ages.mean_us * ages.count for ages in waiting) / 1e6

    def _waiting(self, interval: Interval, limit_us: int) -> int:
        waiting = sum(count.pending.count_above(limit_us) for count in self._counts(interval))
        if self.index is None:
            waiting += interval.backlog.count_above(limit_us)
        return waiting


def logging_on_s(before: int, interval: Interval) -> float:
    """Time that all users together spent opening their sessions in an interval.

    `before` of them did so at its start.
    """
    return (before + interval.logging_on) / 2 * (interval.to_s - interval.from_s)
