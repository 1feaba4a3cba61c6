"""The trial before a search: it reports what one user cannot play before others start."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from broken_site import SLOW_S, serving
from headcount.bundle.level import FaultResult
from headcount.controller.access import Secrets
from headcount.controller.access.open import allowed_target, target_access
from headcount.controller.one_user import one_user
from headcount.controller.trial import _explained, _service_ms, try_all
from headcount.errors import TargetError
from headcount.plan.plan import engine_plan, validate
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.plan.workload import Workload


def scenario(name: str, weight: float, **step: Any) -> dict[str, Any]:
    steps = [{"name": f"{name}-page", "op": "get", "path": "/", **step}]
    return {"name": name, "weight": weight, "limit": "5s", "steps": steps}


def shop(*scenarios: dict[str, Any], errors: str = "1%") -> Workload:
    values = {
        "name": "shop",
        "title": "A shop",
        "protocol": "http",
        "recreates": "nothing",
        "description": "People look at a page.",
        "sources": [],
        "deviations": [],
        "criteria": ["p95<=5s", f"errors<={errors}"],
        "pace": {"kind": "closed", "time": {"draw": "fixed", "mean": "1h"}},
        "run": {"duration": "2s"},
        "scenarios": list(scenarios) or [scenario("look", 1)],
    }
    return validate(Workload, values, "the workload")


def trial_failure(workload: Workload, way: str, one_in: int = 1) -> str | None:
    with serving(way, one_in) as address:
        plan = resolve(workload, address, Overrides())
        access = target_access(plan, allowed_target(plan, parse(address)), Secrets())
        trial = try_all(plan, access.engine_target())
        assert trial is not None
        return trial.failure


REFUSED = {
    "redirect": ("sends users to a log-in page", "Location: /login"),
    "missing": ("The page does not exist on this server", "status 404 Not Found instead of 200"),
    "forbidden": ("The server forbids it", "status 403"),
    "error": ("The application fails while it answers", 'body: "hello world'),
}
"""Why a search is refused, and what of the answer is quoted. Written before any of them was run."""


@pytest.mark.parametrize("way", REFUSED)
def test_scenarios_that_nobody_can_play_are_refused_in_the_servers_words(way: str) -> None:
    with pytest.raises(TargetError) as error:
        trial_failure(shop(), way)
    message = str(error.value)
    assert "a single user fails at every scenario (100% of what users do)" in message
    assert '"look-page" failed every time' in message
    assert "GET /: " in message
    assert all(words in message for words in REFUSED[way])
    assert "--users 1" in message


@pytest.mark.parametrize(("way", "one_in"), [("well", 1), ("error", 2), ("rate", 1)])
def test_a_server_that_answers_or_turns_users_away_may_be_searched(way: str, one_in: int) -> None:
    assert trial_failure(shop(), way, one_in) is None


def test_a_scenario_that_criteria_allow_to_fail_is_noted() -> None:
    often, rare = scenario("look", 95), scenario("buy", 5, expect=201)
    noted = trial_failure(shop(often, rare, errors="10%"), "well")
    assert noted is not None
    assert "fails at buy (5% of what users do)" in noted
    assert "status 200 OK instead of 201" in noted
    with pytest.raises(TargetError, match=r"buy \(5% of what users do\)"):
        trial_failure(shop(often, rare), "well")


def test_only_scenarios_that_fail_are_named_not_those_turned_away() -> None:
    """One scenario is turned away, another has a mistake once and gets through later."""
    plan = resolve(shop(scenario("look", 1), scenario("buy", 1)), "http://127.0.0.1:1", Overrides())

    def fault(step: str, message: str) -> FaultResult:
        return FaultResult(step=step, kind="refused", count=3, examples=[message])

    busy = fault("buy-page", "GET /: status 429 Too Many Requests instead of 200")
    wrong = fault("look-page", "GET /: status 404 Not Found instead of 200")
    assert _explained(plan, [1], [wrong, busy]) == {}
    assert _explained(plan, [0, 1], [wrong, busy])[0][0] == "look-page"
    assert list(_explained(plan, [0, 1], [wrong, busy])) == [0]


def test_the_trial_measures_what_a_scenario_takes_with_one_user() -> None:
    workload = shop(scenario("wait", 1, path="/slow"))
    with serving("well") as address:
        plan = resolve(workload, address, Overrides())
        access = target_access(plan, allowed_target(plan, parse(address)), Secrets())
        trial = try_all(plan, access.engine_target(), is_search=False)
    assert trial is not None
    assert trial.service_ms is not None
    assert trial.service_ms >= 1000 * SLOW_S
    assert trial.completed >= 1


@dataclass
class Count:
    completed: int = 0
    service_s: float = 0.0
    failed: int = 0


@dataclass
class Second:
    scenarios: list[Count]


def test_the_mean_is_weighted_as_users_draw_and_leaves_the_first_time_out() -> None:
    """Looking takes 10 ms in three of four cases, buying 50 ms; the first of each took a second."""
    plan = resolve(shop(scenario("look", 3), scenario("buy", 1)), "http://127.0.0.1:1", Overrides())
    seconds: list[Any] = [
        Second([Count(), Count()]),
        Second([Count(1, 1.0), Count()]),
        Second([Count(2, 0.02), Count(1, 1.0)]),
        Second([Count(1, 0.01), Count(2, 0.1)]),
    ]
    assert _service_ms(plan, seconds) == (pytest.approx((3 * 10 + 1 * 50) / 4), 5)
    assert _service_ms(plan, seconds[:3]) == (None, 0)  # buying was not repeated
    assert _service_ms(plan, seconds[:1]) == (None, 0)


def test_the_request_and_the_reply_are_shown_without_passwords() -> None:
    workload = shop(scenario("look", 1), scenario("buy", 1, expect=201))
    step = workload.scenarios[1].steps[0]
    form = {"user": "ada", "password": "geheim-17"}
    sends = step.model_copy(update={"op": "post"}).model_dump() | {"op": "post", "form": form}
    values = workload.model_dump(mode="json", exclude_none=True)
    values["scenarios"][1]["steps"] = [sends]
    with pytest.raises(TargetError) as error:
        trial_failure(validate(Workload, values, "the workload"), "well")
    message = str(error.value)
    assert "buy / buy-page  " in message
    assert "\n  > POST /\n" in message
    assert "user=ada" in message
    assert "geheim-17" not in message
    assert "\n  < " in message
    assert "--no-trial" in message


def test_a_trial_takes_the_last_of_rows_that_are_used_once(tmp_path: Path) -> None:
    file = tmp_path / "codes.csv"
    file.write_text("code\nA\nB\nC\n", "utf-8")
    values = shop().model_dump(mode="json", exclude_none=True)
    values["variables"] = {"v": {"file": str(file), "order": "once"}}
    plan = resolve(validate(Workload, values, "it"), "http://127.0.0.1:1", Overrides())
    rows = json.loads(one_user(plan))["variables"][0]["rows"]
    assert rows == [["C"], ["B"], ["A"]]
    assert json.loads(engine_plan(plan))["variables"][0]["rows"] == rows[::-1]
