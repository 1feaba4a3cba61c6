"""Settings of a lab server, given with its name."""

import pytest

from headcount import workloads
from headcount.controller.lab_settings import check_lab_settings
from headcount.errors import InputError
from headcount.plan import plan as plans
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.plan.target import parse
from headcount.protocols.registry import labs


def resolved(target: str, workload: str = "app-server", **given: str) -> Plan:
    return resolve(workloads.load(workload), target, Overrides(users=1, server=given))


@pytest.mark.parametrize("name", list(labs()))
def test_every_server_of_the_lab_takes_settings(name: str) -> None:
    target = parse(f"lab:{name}?first=1&second=two")
    assert (target.text, target.lab, target.protocol) == (f"lab:{name}", name, labs()[name].name)
    assert target.settings == {"first": "1", "second": "two"}
    assert parse(f"lab:{name}").settings == {}
    assert parse(target.text).settings == {}


def test_values_are_written_as_in_web_addresses() -> None:
    target = parse("lab:files?path=/mnt/my%20disk%26more&mode=a=b&empty=")
    assert target.settings == {"path": "/mnt/my disk&more", "mode": "a=b", "empty": ""}


@pytest.mark.parametrize(
    ("workload", "target"),
    [("app-server", "app://127.0.0.1:7410"), ("home-folders", "smb://127.0.0.1/data")],
)
def test_settings_of_other_servers_are_refused(workload: str, target: str) -> None:
    check_lab_settings(resolved(target, workload))
    with pytest.raises(InputError, match=rf"--set is for lab servers, .*; {target} is not one"):
        check_lab_settings(resolved(target, workload, threads="4"))


def test_a_lab_server_beside_another_has_settings() -> None:
    target = "imap://127.0.0.1+lab:postgresql?max_connections=50"
    asked = Overrides(users=1, client={"domain": "a.example"})
    plan = resolve(workloads.load("notes-maildb"), target, asked)
    assert plan.target == "imap://127.0.0.1+lab:postgresql"
    assert plan.server == {"sql.max_connections": "50"}
    check_lab_settings(plan)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lab:app?", "settings of the server look like lab:app?threads=4"),
        ("lab:app?threads", "quote the target"),
        ("lab:app?=4", "settings of the server look like"),
        ("lab:app?threads=4&", "settings of the server look like"),
        ("lab:app?threads=4&threads=4", "each once"),
        ("lab:samab?shares=4", 'the lab has no server "samab"; did you mean "samba"?'),
    ],
)
def test_malformed_settings_are_refused(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        parse(text)
    assert message in str(caught.value)


def test_a_plan_keeps_settings_in_its_server_table() -> None:
    plan = resolved("lab:app?threads=3&connections=16")
    assert (plan.target, plan.server) == ("lab:app", {"threads": "3", "connections": "16"})
    assert plan == resolved("lab:app", threads="3", connections="16").model_copy(
        update={"seed": plan.seed}
    )
    assert Plan.model_validate(plan.model_dump(mode="json", exclude_none=True)) == plan


def test_a_target_in_a_plan_may_have_settings() -> None:
    values = resolved("lab:app").model_dump(mode="json", exclude_none=True)
    values |= {"target": "lab:app?threads=3", "server": {"connections": "16"}}
    plan = plans.validate(Plan, values, "the plan")
    assert (plan.target, plan.server) == ("lab:app", {"threads": "3", "connections": "16"})
    del values["server"]
    assert plans.validate(Plan, values, "the plan").server == {"threads": "3"}
    for wrong in ("threads", {"threads": 4}):
        with pytest.raises(InputError, match="server"):
            plans.validate(Plan, {**values, "server": wrong}, "the plan")


def test_target_and_options_must_agree() -> None:
    with pytest.raises(InputError, match=r"has threads=3 and \[server\] \(--set\) has threads=4"):
        resolved("lab:app?threads=3", threads="4")
    assert resolved("lab:app?threads=3", threads="3").server == {"threads": "3"}


def test_shares_of_a_file_server_are_the_same_with_either() -> None:
    workload = workloads.load("home-folders")
    given = Overrides(users=1, shares=5)
    plan = resolve(workload, "lab:samba?signing=mandatory", given)
    assert plan.server == {"signing": "mandatory", "shares": "5"}
    with pytest.raises(InputError, match="has shares=6"):
        resolve(workload, "lab:samba?shares=6", given)


def test_addresses_have_no_settings() -> None:
    with pytest.raises(InputError):
        parse("app://127.0.0.1:7410?threads=4")
