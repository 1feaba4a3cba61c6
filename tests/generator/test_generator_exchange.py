"""What agents send, as the controller takes it: late, wrong, or not at all."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from headcount.errors import EngineError, InputError
from headcount.generator.exchange import LOST_S, MOST_STALLS, Exchange, error_of
from headcount.generator.line import Deliver
from headcount.generator.member import Member
from headcount.generator.message import Message

SECOND = {"generation": 0, "from_s": 0.0, "to_s": 1.0, "counters": {"agent.users": 3}}


class Wire:
    """A line whose other end is the test."""

    name = "there"

    def __init__(self) -> None:
        self.sent: list[Message] = []
        self.deliver: Deliver | None = None
        self.is_closed = False

    def open(self, deliver: Deliver) -> None:
        self.deliver = deliver

    def send(self, message: Message) -> None:
        if message.kind != "ping":
            self.sent.append(message)

    def close(self) -> None:
        self.is_closed = True

    def answer(self, message: Message | None, at_s: float = 0.0) -> None:
        assert self.deliver is not None
        self.deliver(message, at_s)


@contextmanager
def opened(number: int) -> Iterator[tuple[Exchange, list[Wire]]]:
    wires = [Wire() for _ in range(number)]
    exchange = Exchange([Member(at, wire, 1) for at, wire in enumerate(wires, start=1)])
    exchange.open()
    try:
        yield exchange, wires
    finally:
        exchange.close()


@pytest.mark.parametrize(
    "message",
    [
        Message("second", {}),
        Message("second", {**SECOND, "from_s": "soon"}),
        Message("second", {**SECOND, "counters": [1, 2]}),
        Message("second", {**SECOND, "counters": {"agent.users": None}}),
        Message("pong", {"asked_s": None, "now_s": 1.0}),
        Message("pong"),
    ],
)
def test_an_agent_that_sends_nonsense_is_lost(message: Message) -> None:
    with opened(2) as (exchange, wires):
        wires[1].answer(message)
        exchange.receive(1.0)
        exchange.members[0].heard_s = float("inf")
        exchange.note_lost()
        assert exchange.loss == "agent 2 (there) was lost: it ended, or its connection did"
        assert wires[1].is_closed


def test_seconds_of_closed_engines_are_ignored() -> None:
    with opened(1) as (exchange, wires):
        wires[0].answer(Message("second", {**SECOND, "generation": 7}))
        wires[0].answer(Message("second", SECOND, b"figures"), 12.0)
        exchange.receive(1.0)
        (report,) = exchange.members[0].reports
        assert (report.figures, report.counters) == (b"figures", {"agent.users": 3.0})
        assert exchange.members[0].heard_s == 12.0


def test_an_agent_that_is_silent_for_too_long_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("headcount.generator.exchange.time.monotonic", lambda: now[0])
    member = Member(1, Wire(), 1)
    member.heard_s = 100.0
    exchange = Exchange([member])
    now[0] += LOST_S
    exchange._beat_s = now[0]
    exchange.note_lost()
    assert exchange.loss is None
    now[0] += 0.1
    exchange._beat_s = now[0]
    exchange.note_lost()
    assert exchange.loss == "agent 1 (there) was lost: it reported nothing for 3 s"


def test_errors_keep_their_kind_and_name_their_agent() -> None:
    member = Member(4, Wire(), 1)
    found = error_of(member, {"error": "InputError", "text": "no such share"})
    assert (type(found), str(found)) == (InputError, "agent 4 (there): no such share")
    for name in ("ExitCode", "IntEnum", "redacted", "nothing", None):
        assert type(error_of(member, {"error": name, "text": "x"})) is EngineError


def test_agents_that_do_not_answer_are_named() -> None:
    with opened(2) as (exchange, wires):
        wires[0].answer(Message("started", {"generation": 0}))
        with pytest.raises(EngineError, match=r"^agent 2 \(there\) did not start$"):
            exchange.answers("started", 0.0, "did not start")
        wires[1].answer(None)
        with pytest.raises(EngineError, match="agent 2"):
            exchange.answers("started", 60.0, "did not start")


def test_a_lost_agent_stays_out_even_if_it_answers_again() -> None:
    with opened(2) as (exchange, wires):
        exchange.lose(exchange.members[0], "agent 1 reported nothing")
        for one in wires:
            one.answer(Message("closed", {"generation": 0}))
        assert exchange.without_lost() == 1
        assert [one.number for one in exchange.members] == [2]


def test_a_controller_that_stands_still_too_often_ends_the_run() -> None:
    with opened(1) as (exchange, wires):
        for _ in range(MOST_STALLS):
            exchange.loss = "this controller stood still"
            wires[0].answer(Message("closed", {"generation": 0}))
            assert exchange.without_lost() == 0
        exchange.loss = "this controller stood still"
        wires[0].answer(Message("closed", {"generation": 0}))
        with pytest.raises(EngineError, match="it happened 4 times: use a less busy machine"):
            exchange.without_lost()


def test_the_remaining_agents_go_on() -> None:
    with opened(3) as (exchange, wires):
        wires[1].answer(None)
        for one in (wires[0], wires[2]):
            one.answer(Message("closed", {"generation": 0}))
        assert exchange.without_lost() == 1
        assert [one.number for one in exchange.members] == [1, 3]
        assert wires[1].is_closed
        wires[0].answer(None)
        wires[2].answer(None)
        exchange.loss = "both were lost"
        with pytest.raises(EngineError, match="no agent is left: both were lost"):
            exchange.without_lost()
