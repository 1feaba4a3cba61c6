"""Messages between a controller and its agents, and which agents are lost."""

import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import Any

from headcount import errors
from headcount.errors import AgentError, EngineError, HeadcountError
from headcount.generator.line import Deliver
from headcount.generator.member import Member, Report
from headcount.generator.message import Message

LOST_S = 3.0
"""An agent that reports no second for this long is lost: three are missing."""
PING_S = 0.5
"""How often the controller pings its agents."""
QUESTIONS = 8
"""Questions about each clock before the start."""
ANSWER_S = 10.0
"""How long an agent may take to answer."""
OPEN_AT_A_TIME = 32
"""Lines opened in parallel: an agent on another machine takes seconds to start."""
LEAD_S = 0.1
"""Orders take effect this much plus two round trips later, when all agents have them."""
MOST_LEAD_S = 0.5
MOST_STALLS = 3
"""How often a run may be repeated because this process stalled."""


class Exchange:
    """Orders to agents, and what they report.

    A thread pings them twice a second, whatever the rest of this process does. Messages wait until
    somebody receives them.

    Attributes:
        members: The agents that were not lost so far.
        generation: Which start of their engines it is, from 1.
        loss: Which agent was lost, and why; None if none was.
        failure: An error that an agent has sent.

    """

    def __init__(self, members: Sequence[Member]) -> None:
        """Nothing is open yet."""
        self.members = list(members)
        self.generation = 0
        self.loss: str | None = None
        self.failure: HeadcountError | None = None
        self._inbox: SimpleQueue[tuple[Member, Message | None, float]] = SimpleQueue()
        self._is_closed = threading.Event()
        self._beat_s = time.monotonic()
        self._lost: list[Member] = []
        self._stalls = 0
        self._stood_still_s = 0.0
        """The longest time in which agents did not hear from this process, in seconds."""
        self._heart = threading.Thread(target=self._beat, name="agents", daemon=True)

    def open(self) -> None:
        """Open all lines, many at a time. Raises HeadcountError."""
        threads = ThreadPoolExecutor(min(len(self.members), OPEN_AT_A_TIME))
        try:
            opening = [threads.submit(one.line.open, self._delivery(one)) for one in self.members]
            for one in opening:
                one.result()
        except BaseException:
            for member in self.members:  # stops those that are still opening
                member.line.close()
            raise
        finally:
            threads.shutdown(cancel_futures=True)

    def begin(self) -> None:
        """Start the pings, once agents answer: their start-up time does not count."""
        self._ask_clocks()
        self._beat_s = time.monotonic()
        self._heart.start()

    def close(self) -> None:
        """End all agents."""
        if self._is_closed.is_set():
            return
        self._is_closed.set()
        for member in self.members:
            member.line.send(Message("end"))
        for member in self.members:
            member.line.close()

    def order(self, member: Member, kind: str, body: bytes = b"", **values: Any) -> None:
        """Send an order, for now or for the moment `at_s` of its clock."""
        member.line.send(Message(kind, {"generation": self.generation, **values}, body))

    def order_all(self, kind: str, **values: Any) -> None:
        """Send an order that all obey at the same moment."""
        at_s = self.moment_s()
        for member in self.members:
            self.order(member, kind, at_s=member.its_s(at_s), **values)

    def moment_s(self) -> float:
        """The next moment for which all agents have an order in time, on this clock."""
        slowest_s = max((one.clock.round_trip_s for one in self.members), default=0.0)
        return time.monotonic() + min(LEAD_S + 2 * slowest_s, MOST_LEAD_S)

    def answers(self, kind: str, patience_s: float, what: str) -> Sequence[Mapping[str, Any]]:
        """The answer of each agent; raises HeadcountError that says what they did not do."""
        if missing := self.missing(kind, patience_s):
            raise AgentError(f"{missing[0].name} {what}")
        return [one.answers.pop(kind).values for one in self.members]

    def missing(self, kind: str, patience_s: float) -> list[Member]:
        """Wait for an answer of each agent; returns those that sent none.

        Raises the error that an agent sent instead.
        """
        until_s = time.monotonic() + patience_s
        while True:
            self.receive(0.0)
            self.check()
            missing = [one for one in self.members if kind not in one.answers]
            gone = [one for one in missing if not one.is_open]
            if not missing or gone or time.monotonic() > until_s:
                return gone or missing
            self.receive(0.1)

    def check(self) -> None:
        """Raise what an agent has sent as an error, once."""
        failure, self.failure = self.failure, None
        if failure is not None:
            raise failure

    def receive(self, patience_s: float) -> None:
        """Take all that has come; wait for the first message if there is none."""
        try:
            self._take(*self._inbox.get(block=patience_s > 0, timeout=patience_s or None))
            while True:
                self._take(*self._inbox.get(block=False))
        except Empty:
            return

    def note_lost(self) -> None:
        """Check whether an agent is lost."""
        now_s = time.monotonic()
        still_s = max(self._stood_still_s, now_s - self._beat_s)
        if self.loss is None and still_s > LOST_S:
            self.loss = (
                f"this controller stood still for {still_s:.0f} s, and agents that do not hear "
                "from it end their load"
            )
        for member in self.members:
            if self.loss is None and not member.has_ended:
                loss = _loss_of(member, now_s)
                if loss is not None:
                    self.lose(member, loss)

    def lose(self, member: Member, loss: str) -> None:
        """Note that an agent is lost: it has no part in what follows, even if it answers again."""
        self.loss = loss
        self._lost.append(member)

    def without_lost(self) -> int:
        """End the load of all, and drop those that are lost or silent; returns how many.

        Raises AgentError if nobody is left, or if this process was to blame too often.
        """
        loss = self.loss
        for member in self.members:
            member.answers.pop("closed", None)
            self.order(member, "close")
        until_s = time.monotonic() + LOST_S
        while time.monotonic() < until_s and any(
            one.is_open and "closed" not in one.answers for one in self.members
        ):
            self.receive(0.1)
        gone = [
            one
            for one in self.members
            if one in self._lost or not one.is_open or "closed" not in one.answers
        ]
        self._lost.clear()
        if not gone:
            self._stalls += 1
        if self._stalls > MOST_STALLS:
            raise AgentError(f"{loss}; it happened {self._stalls} times: use a less busy machine")
        self.members = [one for one in self.members if one not in gone]
        for member in gone:
            member.line.close()
        if not self.members:
            raise AgentError(f"no agent is left: {loss}")
        self.loss, self._stood_still_s = None, 0.0
        return len(gone)

    def _ask_clocks(self) -> None:
        """Learn how the agents' clocks differ from this one."""
        until_s = time.monotonic() + ANSWER_S
        for asked in range(1, QUESTIONS + 1):
            self._ping()
            while any(one.is_open and one.clock.answers < asked for one in self.members):
                self.receive(0.1)
                if time.monotonic() > until_s:
                    raise AgentError("the agents do not answer in time")

    def _delivery(self, member: Member) -> Deliver:
        return lambda message, at_s: self._inbox.put((member, message, at_s))

    def _take(self, member: Member, message: Message | None, at_s: float) -> None:
        if message is None:
            member.is_open = False
            return
        member.spoke_s = at_s
        try:
            self._sort(member, message, at_s)
        except (AttributeError, KeyError, TypeError, ValueError):
            member.is_open = False
            member.line.close()

    def _sort(self, member: Member, message: Message, at_s: float) -> None:
        values = message.values
        if message.kind == "pong":
            member.clock.answer(float(values["asked_s"]), float(values["now_s"]), at_s)
        elif values.get("generation", self.generation) != self.generation:
            return  # of engines that were closed
        elif message.kind == "second":
            times = (float(values["from_s"]), float(values["to_s"]))
            counters = {str(name): float(value) for name, value in values["counters"].items()}
            member.reports.append(Report(*times, counters, message.body))
            member.heard_s = at_s
        elif message.kind == "ended":
            member.has_ended = True
        elif message.kind == "failed":
            self.failure = error_of(member, values)
        else:
            member.answers[message.kind] = message

    def _beat(self) -> None:
        while not self._is_closed.wait(PING_S):
            self._stood_still_s = max(self._stood_still_s, time.monotonic() - self._beat_s)
            self._beat_s = time.monotonic()
            self._ping()

    def _ping(self) -> None:
        for member in list(self.members):
            member.line.send(Message("ping", {"asked_s": time.monotonic()}))


def _loss_of(member: Member, now_s: float) -> str | None:
    if not member.is_open:
        return f"{member.name} was lost: it ended, or its connection did"
    if member.answers.pop("lapsed", None) is not None:
        return f"{member.name} ended its load: it did not hear from this controller"
    if now_s - member.heard_s > LOST_S:
        return f"{member.name} was lost: it reported nothing for {LOST_S:g} s"
    return None


def error_of(member: Member, values: Mapping[str, Any]) -> HeadcountError:
    """An agent's error as one of this process."""
    kind = getattr(errors, str(values.get("error")), EngineError)
    if not (isinstance(kind, type) and issubclass(kind, HeadcountError)):
        kind = EngineError
    return kind(f"{member.name}: {values.get('text')}")
