"""Lines of groups of users: how they are written, what they come to, and who can have them."""

import json
from typing import Any

import pytest

from headcount import workloads
from headcount._engine import users_by_line
from headcount.controller.run_limits import limit_settings, run_limits
from headcount.errors import InputError
from headcount.lab.squeeze import Line, UsersLine
from headcount.plan.lines import EXAMPLE, line_of, lines_of, user_lines
from headcount.plan.plan import Plan, engine_plan, load, validate
from headcount.plan.resolve import Overrides, resolve

BRANCH = {"share": "40%", "latency": "30ms", "loss": "0.1%"}


def plan(target: str = "lab:nginx", workload: str = "web-static", **changes: Any) -> Plan:
    given = {"users": 10, "lines": {"branch": BRANCH}, **changes}
    return resolve(workloads.load(workload), target, Overrides(**given))


def test_a_line_is_read_from_the_command_line() -> None:
    assert line_of(EXAMPLE) == ("branch", BRANCH)
    assert line_of(" branch = 40% , latency=30ms,loss=0.1%") == ("branch", BRANCH)
    assert lines_of([EXAMPLE, "ship=1%,network=2Mbit/s"]) == {
        "branch": BRANCH,
        "ship": {"share": "1%", "network": "2Mbit/s"},
    }
    assert lines_of(None) is None


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["branch"], "--line branch: write it like --line branch=40%,latency=30ms"),
        (["branch=40%,latency"], "write it like --line"),
        (["branch=40%,,latency=1ms"], "write it like --line"),
        (["a=1%,loss=1%,loss=2%"], "it has loss twice"),
        (["a=1%,share=2%"], "it has share twice"),
        (["a=1%,loss=1%", "a=2%,loss=1%"], "--line gives a twice; give each line a name"),
    ],
)
def test_malformed_lines_on_the_command_line_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        lines_of(texts)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ({"a": {**BRANCH, "latencie": "1ms"}}, 'the line a: there is no "latencie".*latency'),
        ({"a": {**BRANCH, "cpu": "1"}}, r'the line a: there is no "cpu".*\(there is: share, lat'),
        ({"a": {"latency": "1ms"}}, "the line a needs a share of the users, such as 40%"),
        ({"a": {"share": "40%"}}, "the line a limits nothing; say what it is like"),
        ({"a": {**BRANCH, "share": "0.4"}}, 'share of the line a is "0.4"; write it like 40%'),
        ({"a": {**BRANCH, "share": "0%"}}, "from 0.1% to 100%"),
        ({"a": {**BRANCH, "share": "101%"}}, "from 0.1% to 100%"),
        ({"a": {**BRANCH, "latency": "30"}}, 'the latency of the line a is "30"; write it like'),
        ({"a": {**BRANCH, "loss": "51%"}}, 'the loss of the line a is "51%"; write it like'),
        ({"a": {"share": "1%", "jitter": "1ms"}}, "the line a: .*jitter needs.*add latency=30ms"),
        ({"others": BRANCH}, '"others" cannot be the name of a line'),
        ({"a b": BRANCH}, '"a b" cannot be the name of a line'),
        (
            {"a": {**BRANCH, "share": "60%"}, "b": {**BRANCH, "share": "40.5%"}},
            r"have 100.5% of the users together \(a 60% and b 40.5%\); give at most 100%",
        ),
        ({f"l{n}": {**BRANCH, "share": "1%"} for n in range(17)}, "17 lines; give at most 16"),
    ],
)
def test_invalid_lines_are_refused(lines: dict[str, dict[str, str]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        user_lines(lines)
    with pytest.raises(InputError, match=message):
        plan(lines=lines)


def test_shares_may_add_up_to_all_users() -> None:
    lines = {f"l{n}": {"share": "10%", "loss": "1%"} for n in range(10)}
    found = users_by_line(1000, plan(lines=lines).line_shares)
    assert found[0] == 0
    assert all(abs(number - 100) <= 3 for number in found[1:])


@pytest.mark.parametrize("users", [1, 2, 5, 10, 37, 500, 20_000])
def test_a_level_has_the_share_of_each_line(users: int) -> None:
    lines = {"branch": BRANCH, "ship": {"share": "5%", "latency": "600ms"}}
    found = users_by_line(users, plan(lines=lines).line_shares)
    assert sum(found) == users
    for number, share in zip(found, (0.55, 0.4, 0.05), strict=True):
        assert abs(number - share * users) < 3


def test_lines_become_lines_of_the_network() -> None:
    lines = {"branch": BRANCH, "ship": {"share": "1%", "network": "2Mbit/s"}}
    found = run_limits({"latency": "1ms"}, lines)
    assert found.line == Line(0.001)
    assert found.lines == (
        UsersLine("branch", Line(0.03, loss=0.001)),
        UsersLine("ship", None, 2_000_000),
    )
    assert run_limits({}, lines).is_link
    assert not run_limits({}).is_link
    assert limit_settings({}, {"branch": BRANCH}) == {
        "line branch": "40% of the users, latency=30ms, loss=0.1%"
    }


def test_a_plan_keeps_its_lines_and_may_have_none(tmp_path: Any) -> None:
    made = plan()
    file = tmp_path / "plan.toml"
    file.write_text(made.to_toml(), "utf-8")
    again = load(file)
    assert again == made
    assert again.lines == {"branch": BRANCH}
    assert again.line_names == ["others", "branch"]
    assert json.loads(engine_plan(again))["lines"] == [0.4]
    plain = plan(lines=None)
    assert "lines" not in json.loads(engine_plan(plain))
    assert "lines" not in plain.to_toml()
    assert plain.line_names == []


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"target": "http://127.0.0.1:1"},
            "lines are for lab servers, which Headcount starts itself; http://127.0.0.1:1 is not",
        ),
        (
            {"target": "lab:files", "workload": "file-copy"},
            "lab:files has no network between users and files",
        ),
        ({"local_ips": ["127.0.0.1"]}, "--local-ips and lines exclude each other"),
        ({"agents": 2, "cluster": "ray://a:1"}, "--cluster and lines exclude each other"),
    ],
)
def test_targets_and_options_that_exclude_lines(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(**changes)


def test_a_plan_without_text_in_its_lines_is_refused() -> None:
    values = plan().model_dump(mode="json", exclude_none=True)
    values["lines"]["branch"]["share"] = 0.4
    with pytest.raises(InputError, match=r"lines\.branch\.share"):
        validate(Plan, values, "the plan")
