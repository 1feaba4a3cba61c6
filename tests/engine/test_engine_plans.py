"""Plans that the engine does not accept: each raises PlanError with what is wrong."""

import json
from typing import Any

import pytest
from engine_plans import NOTHING, closed, opened, plan, scenario, serve, start

from headcount._engine import Engine
from headcount.errors import InputError, PlanError


def without(key: str) -> str:
    values = json.loads(plan(closed(1.0)))
    del values[key]
    return json.dumps(values)


def changed(**values: Any) -> dict[str, Any]:
    return scenario("work", NOTHING) | values


BAD: list[tuple[str, str]] = [
    ("", "cannot be read"),
    ("[]", "cannot be read"),
    ("{", "cannot be read"),
    (without("pace"), "missing field `pace`"),
    (plan(closed(1.0), wrokers=2), "unknown field `wrokers`"),
    (plan(closed(1.0), workers=0), "workers is 0; it must be from 1 to 1024"),
    (plan(closed(1.0), workers=70_000), "70000"),
    (plan(closed(1.0), seed=-1), "-1"),
    (plan(closed(1.0), report_every_ms=1), "report_every_ms is 1; it must be from 10"),
    (plan(closed(1.0), step_timeout_ms=0), "step_timeout_ms is 0"),
    (plan(closed(1.0), scenarios=[]), "the number of scenarios is 0"),
    (plan(closed(-1.0)), "the pace"),
    (plan(closed(1e9)), "86400"),
    (plan(opened(0.0)), "above 0 if open"),
    (plan({"pace": "sometimes"}), "sometimes"),
    (plan(closed(1.0), changed(weight=0)), 'the weight of "work" is 0'),
    (plan(closed(1.0), changed(limit_ms=0)), 'limit_ms of "work" is 0'),
    (plan(closed(1.0), changed(late_ms=1e12)), 'late_ms of "work"'),
    (plan(closed(1.0), changed(steps=[])), 'the number of steps of "work" is 0'),
    (plan(closed(1.0), scenario("work", {"op": "dance"})), "dance"),
    (plan(closed(1.0), scenario("work", {"op": "serve"})), 'step "work-0": missing field'),
    (plan(closed(1.0), scenario("work", NOTHING | {"bytes": 1})), "unknown field `bytes`"),
    (plan(closed(1.0), scenario("work", serve(-1.0))), "from 0 to 86400 s"),
]


@pytest.mark.parametrize(("text", "part"), BAD, ids=[part for _, part in BAD])
def test_a_bad_plan_is_refused_with_a_clear_text(text: str, part: str) -> None:
    with pytest.raises(PlanError) as caught:
        start(text)
    assert part in str(caught.value)
    assert isinstance(caught.value, InputError)  # the exit code of bad input


@pytest.mark.parametrize(
    ("protocol", "target", "part"),
    [
        ("smtp", "{}", 'no protocol "smtp"; it has app, files, http, mail, mail+sql, null'),
        ("null", "{", "the target cannot be used"),
        ("null", '{"stalls": 1}', "unknown field `stalls`"),
        ("null", '{"stall_every_ms": 10, "stall_lasting_ms": 10}', "shorter than the time between"),
        ("app", "{}", "missing field `address`"),
    ],
)
def test_a_bad_target_is_refused_with_a_clear_text(protocol: str, target: str, part: str) -> None:
    with pytest.raises(PlanError) as caught:
        Engine(plan(closed(1.0)), protocol, target)
    assert part in str(caught.value)


def test_a_token_is_in_no_error() -> None:
    with pytest.raises(PlanError) as caught:
        Engine(plan(closed(1.0)), "app", '{"address": "127.0.0.1:1", "token": "hunter2"}')
    assert "hunter2" not in str(caught.value)
