"""An agent obeys while its controller lives, and no longer."""

import time
from collections.abc import Callable

import pytest
from generator_agents import Script, null_plan, start_order

from headcount import __version__
from headcount.generator.agent import EARLY_S, LEASE_S, LEAVE_S, Agent
from headcount.generator.message import Message
from processes import wait_for


@pytest.fixture
def script() -> Script:
    return Script()


def users(script: Script) -> int:
    """The users in the last second that was reported."""
    return int(
        [one for one in script.sent if one.kind == "second"][-1].values["counters"]["agent.users"]
    )


def seconds(script: Script) -> int:
    return sum(one.kind == "second" for one in script.sent)


def until(true: Callable[[], bool]) -> Callable[[], None]:
    return lambda: wait_for(true, 30)


def ping() -> Message:
    return Message("ping", {"asked_s": 1.5})


def test_an_agent_introduces_itself_and_reports_its_clock(script: Script) -> None:
    script.orders += [Message("hello"), 2.0, ping()]
    Agent(script, script.clock).run()
    hello, pong = script.sent
    assert hello.values["version"] == __version__
    assert hello.values["cpus"] >= 1
    assert pong.values == {"asked_s": 1.5, "now_s": 1002.0}


def test_an_agent_plays_as_long_as_its_controller_lives(script: Script) -> None:
    script.orders += [
        start_order(time.monotonic()),
        Message("users", {"at_s": 1000.0, "generation": 1, "users": 7, "ramp_s": 0.0}),
        until(lambda: seconds(script) > 3),
    ]
    for _ in range(5):
        script.orders += [LEASE_S - 0.5, ping()]
    before = [0]
    script.orders += [
        lambda: before.__setitem__(0, seconds(script)),
        until(lambda: seconds(script) > before[0] + 3),
        # The controller is silent: nothing is played after that.
        LEASE_S + 0.5,
        lambda: before.__setitem__(0, seconds(script)),
        lambda: time.sleep(0.5),
        lambda: before.append(seconds(script)),
        ping(),
    ]
    Agent(script, script.clock).run()
    assert users(script) == 7
    assert before[0] == before[1], "it went on without a controller"
    kinds = [kind for kind in script.kinds() if kind != "pong"]
    assert kinds == ["started", "obeyed", "lapsed"]


def test_an_agent_leaves_when_no_controller_comes_back(script: Script) -> None:
    script.orders += [LEAVE_S + 1, ping()]
    Agent(script, script.clock).run()
    assert script.sent == []
    assert list(script.orders) == [ping()], "it had left"


def test_orders_wait_for_their_moment_and_come_in_its_order(script: Script) -> None:
    script.orders += [
        start_order(time.monotonic()),
        Message("users", {"at_s": 1002.0, "generation": 1, "users": 9, "ramp_s": 0.0}),
        Message("users", {"at_s": 1001.0, "generation": 1, "users": 5, "ramp_s": 0.0}),
        0.5,
        until(lambda: seconds(script) > 2),
        lambda: script.send(Message("nobody yet" if users(script) == 0 else "too early")),
        0.4985,
        until(lambda: users(script) == 5),
        1.0,
        until(lambda: users(script) == 9),
    ]
    Agent(script, script.clock).run()
    assert script.kinds() == ["started", "nobody yet", "obeyed", "obeyed"]
    late = [one.values["late_s"] for one in script.sent if one.kind == "obeyed"]
    assert all(abs(one) <= EARLY_S for one in late), late


def test_an_engine_begins_at_its_moment_however_early_or_late_it_is_ready(script: Script) -> None:
    begin_s = time.monotonic() + 0.5
    script.orders += [start_order(begin_s), until(lambda: seconds(script) > 2)]
    Agent(script, script.clock).run()
    started, second = script.sent[0], next(one for one in script.sent if one.kind == "second")
    assert started.values["ready_s"] < begin_s
    assert second.values["from_s"] == 0.0
    ends_s = [one.values["to_s"] for one in script.sent if one.kind == "second"]
    # Whatever the machine does, reports are of the same tenths of a second.
    assert all(abs(end_s * 10 - round(end_s * 10)) < 0.4 for end_s in ends_s[:2])


def test_an_order_to_an_engine_that_has_ended_is_ignored(script: Script) -> None:
    script.orders += [
        start_order(time.monotonic()),
        Message("close", {"generation": 1}),
        start_order(time.monotonic(), generation=2),
        Message("users", {"at_s": 1000.0, "generation": 1, "users": 5, "ramp_s": 0.0}),
        until(lambda: seconds(script) > 3),
    ]
    Agent(script, script.clock).run()
    assert script.kinds() == ["started", "closed", "started"]
    assert users(script) == 0


def test_errors_are_answers(script: Script) -> None:
    script.orders += [
        start_order(0.0, plan="{"),
        start_order(0.0, plan=null_plan(lane=3, of=2)),
        Message("ensure", {"generation": 1, "protocol": "app", "users": 10**9, "local_ips": []}),
        Message("ensure", {"generation": 1, "protocol": "app", "users": 1, "local_ips": []}),
    ]
    Agent(script, script.clock).run()
    assert script.kinds() == ["failed", "failed", "failed", "ensured"]
    errors = [one.values["error"] for one in script.sent[:3]]
    assert errors == ["PlanError", "PlanError", "MachineLimitError"]


def test_a_run_ends_when_asked_to(script: Script) -> None:
    stop = Message("stop", {"at_s": 1000.0, "generation": 1, "drain_s": 1.0})
    script.orders += [
        start_order(time.monotonic()),
        stop,
        until(lambda: script.kinds()[-1:] == ["ended"]),
    ]
    Agent(script, script.clock).run()
    assert script.kinds() == ["started", "ended"]


def test_files_that_steps_send_come_in_pieces_before_the_start() -> None:
    script = Script()
    agent = Agent(script, script.clock)

    def piece(path: str, body: bytes, *, is_first: bool = False) -> Message:
        return Message("file", {"generation": 1, "path": path, "is_first": is_first}, body)

    script.orders += [
        piece("/old", b"of a start that never came", is_first=True),
        piece("/a", b"one ", is_first=True),
        piece("/a", b"file"),
        piece("/empty", b""),
    ]
    agent.run()
    assert [message.kind for message in script.sent] == ["filed"] * 4
    assert agent.files == {"/a": b"one file", "/empty": b""}
