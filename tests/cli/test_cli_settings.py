"""KEY=VALUE on the command line, and where it goes."""

import tomllib
from typing import Any

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount.cli.settings import client_settings, setting
from headcount.controller.access import open as opening
from headcount.controller.access import smb
from headcount.errors import InputError
from headcount.lab.samba import SambaServer
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load

SHARES = "smb://127.0.0.1/home{n}"


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("threads=4", "threads", "4"),
        (" first-user = 7 ", "first_user", "7"),
        ("folder=a=b\\{n}", "folder", "a=b\\{n}"),
        ("domain=", "domain", ""),
    ],
)
def test_a_setting(text: str, key: str, value: str) -> None:
    assert setting(text, "--client") == (key, value)


@pytest.mark.parametrize(
    ("option", "message"),
    [("--set", "write it like --set threads=4"), ("--client", "--client signing=required")],
)
def test_malformed_settings_are_refused(option: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        setting("threads", option)


def test_the_user_is_one_of_the_clients_settings() -> None:
    assert client_settings(None, None) == {}
    assert client_settings(["signing=off", "verify=off"], None) == {
        "signing": "off",
        "verify": "off",
    }
    assert client_settings(["user=ada"], "u{n}") == {"user": "u{n}"}


def planned(*options: str) -> dict[str, Any]:
    shown = CliRunner().invoke(app, ["run", "home-folders", *options, "--plan", "--seed", "1"])
    assert shown.exit_code == 0, shown
    return tomllib.loads(shown.output)


def test_options_of_a_file_server_reach_the_plan() -> None:
    options = ("--user", "u{n:04}", "--client", "signing=required", "--client", "domain=LAB")
    plan = planned("--target", SHARES, "--shares", "3", *options)
    assert plan["target"] == SHARES
    assert plan["client"] == {
        "user": "u{n:04}",
        "signing": "required",
        "domain": "LAB",
        "shares": "3",
    }
    assert plan["server"] == {}
    assert plan["scale"] == 1.0


def test_options_of_the_labs_samba_reach_the_plan() -> None:
    plan = planned("--target", "lab:samba", "--shares", "3", "--set", "strict-sync=no")
    assert plan["client"] == {"shares": "3"}
    assert plan["server"] == {"strict_sync": "no", "shares": "3"}
    assert plan["scale"] == 0.02
    assert planned("--target", "lab:samba", "--scale", "0.5")["scale"] == 0.5


def test_the_plan_names_the_users_of_the_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    places: list[Any] = []
    monkeypatch.setattr(smb, "SmbAccess", lambda _, place: places.append(place))
    server = object.__new__(SambaServer)  # it need not run to be asked where it is
    server.address, server.share, server.shares = "127.0.0.1:1", "data", 1
    server.user, server.password = "user{n:05}", "unspoken"
    server.settings, server.status = {}, None
    for client in ({}, {"user": "ada{n}"}):
        plan = resolve(load("home-folders"), "lab:samba", Overrides(client=client))
        opening.lab_access(plan, server)
    assert [place.user for place in places] == ["user{n:05}", "ada{n}"]
    assert {place.password for place in places} == {"unspoken"}
    assert "unspoken" not in repr(places)
