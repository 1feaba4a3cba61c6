"""A silent target is given as long as its users would wait, and Ctrl-C works meanwhile."""

import json
import os
import signal
import threading

import pytest

from headcount import _engine
from headcount.controller import liveness
from headcount.controller.liveness import check_alive, check_answer
from headcount.errors import TargetError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load
from processes import listening


def patient(step_timeout: str) -> Plan:
    """A plan whose users wait this long."""
    workload = load("app-server")
    run = workload.run.model_copy(update={"step_timeout": step_timeout})
    changed = workload.model_copy(update={"run": run})
    return resolve(changed, "lab:app", Overrides(users=1))


def target(address: str) -> str:
    return json.dumps({"address": address, "file_bytes": 4096, "range_bytes": 4096, "seed": 1})


@pytest.mark.parametrize(("step_timeout", "longest"), [("600ms", r"0\.6"), ("100ms", r"0\.3")])
def test_a_silent_target_is_given_up_after_the_time_limit_of_a_step(
    monkeypatch: pytest.MonkeyPatch, step_timeout: str, longest: str
) -> None:
    monkeypatch.setattr(liveness, "LEAST_S", 0.3)
    with listening() as server:
        address = "{}:{}".format(*server.getsockname())
        # By itself the engine waits for 10 s.
        with pytest.raises(TargetError, match=f"^no answer within {longest} s$"):
            check_answer(lambda: _engine.hello("app", target(address)), patient(step_timeout))


def test_errors_of_the_engine_are_passed_on() -> None:
    with listening() as server:
        address = "{}:{}".format(*server.getsockname())
    with pytest.raises(TargetError, match=address):
        check_answer(lambda: _engine.hello("app", target(address)), patient("30s"))


def test_a_target_that_answers_passes() -> None:
    asked: list[str] = []
    check_answer(lambda: asked.append("once"), patient("30s"))
    assert asked == ["once"]


RESET = "10.0.0.7:445: Connection reset by peer (os error 104)"
FULL = "sorry, too many clients already (SQLSTATE 53300)"


@pytest.mark.parametrize(
    ("answers", "can_rest", "checks", "is_alive"),
    [
        ([None], True, 1, True),
        ([FULL], True, 1, True),
        ([RESET, None], True, 2, True),
        ([RESET, FULL], True, 2, True),
        ([RESET, RESET], True, 2, False),
        ([RESET], False, 1, False),
    ],
)
def test_a_target_that_disconnects_is_checked_again_without_users(
    answers: list[str | None], can_rest: bool, checks: int, is_alive: bool
) -> None:
    asked = iter(answers)
    done: list[str] = []

    def check() -> None:
        done.append("check")
        if (message := next(asked)) is not None:
            raise TargetError(message)

    def rest() -> bool:
        done.append("rest")
        return can_rest

    try:
        check_alive(check, patient("30s"), rest)
    except TargetError:
        assert not is_alive
    else:
        assert is_alive
    assert done.count("check") == checks
    assert done.count("rest") == (0 if answers[0] in (None, FULL) else 1)


def test_ctrl_c_does_not_wait_for_the_answer() -> None:
    begun, answered = threading.Event(), threading.Event()

    def check() -> None:
        begun.set()
        assert answered.wait(60)

    def interrupt() -> None:
        if begun.wait(60):
            os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        with pytest.raises(KeyboardInterrupt):
            check_answer(check, patient("1h"))
    finally:
        answered.set()
