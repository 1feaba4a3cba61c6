"""The plan of the second of two targets: what it takes over from the first, and what not."""

from collections.abc import Mapping
from typing import Any

import pytest

from headcount import workloads
from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.cost import parse_cost
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.versus import Opponent, opponent


def first(name: str = "web-static", target: str = "lab:nginx", **changed: Any) -> Plan:
    overrides = Overrides(users=8, seed=3, **changed)
    return resolve(workloads.load(name), target, overrides)


def second(plan: Plan, own: Mapping[str, str] | None = None, **given: Any) -> Plan:
    return opponent(plan, Opponent(**given), own or {})


def test_users_do_the_same_on_both() -> None:
    one = first(server={"workers": "1"}, limits={"cpu": "0.5"})
    other = second(one, server={"workers": "2"})
    assert other.server == {"workers": "2"}
    assert other.limits == one.limits
    assert other == one.model_copy(update={"server": {"workers": "2"}})


def test_the_same_program_keeps_the_settings_that_are_not_compared() -> None:
    one = first(server={"workers": "1", "gzip": "on"})
    assert second(one, target="lab:nginx", server={"workers": "2"}).server == {
        "workers": "2",
        "gzip": "on",
    }


def test_settings_in_a_target_are_for_that_target_alone() -> None:
    text = "lab:nginx?gzip=on"
    one = first(target=text, server={"workers": "1"})
    own = targets.parse(text).settings
    assert second(one, own, target="lab:nginx").server == {"workers": "1"}
    assert second(one, own, target="lab:nginx?gzip=off").server == {"workers": "1", "gzip": "off"}
    assert second(one, own, server={"workers": "2"}).server == {"workers": "2", "gzip": "on"}


def test_another_program_has_settings_of_its_own() -> None:
    one = first(server={"gzip": "on"}, limits={"cpu": "0.5"})
    other = second(one, target="lab:apache")
    assert other.server == {}
    assert other.limits == {"cpu": "0.5"}


def test_a_server_of_others_gets_no_limits_and_the_same_users() -> None:
    one = first("app-server", "lab:app", limits={"cpu": "0.5"})
    other = second(one, target="app://127.0.0.1:7410")
    assert other.limits == {}
    assert (other.workload, other.scale, other.levels) == (one.workload, one.scale, one.levels)


def test_none_removes_a_limit_of_the_first() -> None:
    one = first(limits={"cpu": "0.5", "network": "80Mbit/s"})
    assert second(one, limits={"cpu": "none"}).limits == {"network": "80Mbit/s"}


def test_client_settings_are_kept_only_for_the_same_protocol() -> None:
    one = first("home-folders", "lab:samba", client={"signing": "required"})
    assert second(one, client={"signing": "off"}).client["signing"] == "off"
    assert "signing" not in second(one, target="lab:files").client


def test_the_second_does_not_inherit_the_price() -> None:
    one = first(cost=parse_cost("100 USD"))
    assert second(one).cost is None
    found = second(one, cost="50 EUR").cost
    assert found is not None


@pytest.mark.parametrize(
    ("plan", "given", "words"),
    [
        ({}, {"target": "lab:samba"}, "the workload speaks"),
        ({}, {"target": "lab:ngin"}, "no server"),
        ({}, {"limits": {"cup": "1"}}, "no limit"),
        ({}, {"target": "lab:nginx?gzip=on", "server": {"gzip": "off"}}, "remove one of them"),
        ({"limits": {"generator-cpu": "0.5"}}, {"limits": {"generator-cpu": "1"}}, "one load gene"),
        (
            {},
            {"target": "http://127.0.0.1/x", "limits": {"cpu": "1"}},
            "limits are for lab servers",
        ),
    ],
)
def test_conflicting_options_are_named(
    plan: dict[str, Any], given: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        second(first(**plan), **given)
