"""One repetition: the fault at its moment, questions about it, and when users are back."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event, Thread

from headcount.analyse.outage.felt import Limits, served
from headcount.analyse.outage.slot import Slot
from headcount.bundle.failover import NodeState
from headcount.bundle.moments import Row, merged
from headcount.controller.session import Moment
from headcount.errors import HeadcountError
from headcount.failover import command
from headcount.failover.fault import Fault
from headcount.failover.watch import Watch

ASK_S = 0.05
"""Pause between two questions whether another node has taken over."""
PREPARE_S = 1.0
"""How long before the fault its target is looked up."""
ANSWER_S = 5.0
"""How long such a question may take."""


@dataclass(frozen=True)
class Timing:
    """When things happen in a repetition, in seconds.

    Attributes:
        at_s: Undisturbed play before the fault.
        after_s: Users are watched at least this long after it.
        longest_s: And at most this long, if they are not back.
        calm_s: They are back once they have been served for this long.
        recover_s: Recovery starts this long after the fault; None: when users have been watched.

    """

    at_s: float
    after_s: float
    longest_s: float
    calm_s: float
    recover_s: float | None


@dataclass(frozen=True)
class Questions:
    """Commands that succeed once something has happened; None without a question."""

    noticed: str | None = None
    taken_over: str | None = None


class Repetition:
    """Injects the fault while a level is played, and says when the level may end.

    Attributes:
        injected_s: When the fault began, in seconds of the run's clock; None before.
        took_s: How long the injection took.
        has_recovered: Whether the server was recovered already.
        answers: When each question first succeeded, in seconds after the fault.

    """

    def __init__(
        self,
        fault: Fault,
        timing: Timing,
        questions: Questions,
        limits: Limits,
        slot_s: float,
        now_s: Callable[[], float],
        watch: Watch | None = None,
    ) -> None:
        """Do nothing before the first call of `take`.

        `now_s` is the run's clock, `watch` what looks at the nodes, if there are any.
        """
        self._watch = watch
        self._fault = fault
        self._timing = timing
        self._questions = questions
        self._limits = limits
        self._slot_s = slot_s
        self._now_s = now_s
        self._rows: list[Sequence[float]] = []
        self._last: Moment | None = None
        self._ended = Event()
        self._error: BaseException | None = None
        self._threads: list[Thread] = []
        self.from_s: float | None = None
        self.injected_s: float | None = None
        self.took_s = 0.0
        self.has_recovered = False
        self.answers: dict[str, float] = {}

    @property
    def seen(self) -> tuple[float, float]:
        """The first and the last moment that were watched.

        Both are the present if nothing was: agents may be lost before users are measured.
        """
        if self.from_s is None or self._last is None:
            now_s = self._now_s()
            return now_s, now_s
        return self.from_s, self._last.interval.to_s

    @property
    def rows(self) -> list[Row]:
        """What happened when."""
        return merged(self._rows)

    def states(self, injected_s: float) -> list[NodeState]:
        """The state of each node when the fault began, and each change after it."""
        return [] if self._watch is None else self._watch.seen(injected_s)

    @property
    def users_lost(self) -> int:
        """Users who had completed nothing for a while at the end."""
        if self._last is None:
            return 0
        interval = self._last.interval
        since_s = interval.to_s - self._timing.calm_s
        return sum(users for at_s, users in interval.unserved if at_s <= since_s)

    def take(self, moment: Moment) -> bool:
        """Take a second of the level; returns whether it may end.

        Raises HeadcountError if the fault could not be injected.
        """
        if self._error is not None:
            raise self._error
        if self.from_s is None:
            self.from_s = moment.interval.from_s
            self._start(self._inject)
        self._rows += moment.interval.moments
        self._last = moment
        return self._is_over(moment.interval.to_s)

    def end(self) -> None:
        """Start nothing more, and wait for what is under way. Raises nothing."""
        self._ended.set()
        for one in self._threads:
            one.join()
        if self._watch is not None:
            self._watch.end()

    @property
    def error(self) -> BaseException | None:
        """Why the fault could not be injected or recovered from."""
        return self._error

    def _is_over(self, now_s: float) -> bool:
        if self.injected_s is None or now_s < self.injected_s + self._timing.after_s:
            return False
        if self._timing.recover_s is not None and not self.has_recovered:
            return False
        return self._is_calm(now_s)

    def _is_calm(self, now_s: float) -> bool:
        """Whether users have been served for a while, and hardly any still waits."""
        assert self._last is not None
        assert self.injected_s is not None
        interval = self._last.interval
        waiting = sum(users for _, users in interval.unserved)
        if waiting > self._limits.allowed * interval.users:
            return False
        slots = [Slot(*row) for row in self.rows]
        since_s = now_s - self._limits.calm_s
        if not any(one.completed for one in slots if one.at_s >= since_s):
            return False
        return served(slots, self.injected_s, now_s, self._slot_s, self._limits) is not None

    def _start(self, target: Callable[[], None]) -> None:
        thread = Thread(target=self._guarded, args=(target,), name="fault", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _guarded(self, target: Callable[[], None]) -> None:
        try:
            target()
        except (HeadcountError, OSError) as error:
            self._error = error

    def _inject(self) -> None:
        assert self.from_s is not None
        at_s = self.from_s + self._timing.at_s
        if self._waited_until(at_s - PREPARE_S):
            return
        if self._watch is not None:
            self._watch.start()
        self._fault.prepare()
        if self._waited_until(at_s):
            return
        self.injected_s = self._now_s()
        for name, asked in (
            ("noticed", self._questions.noticed),
            ("taken_over", self._questions.taken_over),
        ):
            if asked is not None:
                self._start(lambda name=name, asked=asked: self._ask(name, asked))  # type: ignore[misc]
        self._fault.inject(self._ended)
        self.took_s = self._now_s() - self.injected_s
        recover_s = self._timing.recover_s
        if recover_s is not None and not self._waited_until(self.injected_s + recover_s):
            self._fault.recover()
            self.has_recovered = True

    def _ask(self, name: str, asked: str) -> None:
        while not self._ended.is_set():
            if command.succeeds(asked, ANSWER_S, self._ended):
                assert self.injected_s is not None
                self.answers[name] = self._now_s() - self.injected_s
                return
            self._ended.wait(ASK_S)

    def _waited_until(self, at_s: float) -> bool:
        """Wait for a moment of the run's clock; returns whether the repetition ended before."""
        end_s = time.monotonic() + at_s - self._now_s()
        return self._ended.wait(max(end_s - time.monotonic(), 0.0))
