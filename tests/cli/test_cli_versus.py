"""`headcount run --versus` on the command line: what it accepts, and how it reports mistakes."""

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount.cli import versus
from headcount.controller.access import Secrets
from headcount.errors import ExitCode, InputError
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load
from processes import Headcount

WEB = ("run", "web-static", "--target", "lab:nginx", "--users", "4", "--seed", "1", "--plan")


def plans(*options: str) -> list[dict]:
    shown = CliRunner().invoke(app, [*WEB, *options])
    assert shown.exit_code == 0, shown
    parts = shown.output.split("format = ")[1:]
    return [tomllib.loads(f"format = {part}") for part in parts]


def test_both_plans_are_shown() -> None:
    one, two = plans("--set", "gzip=off", "--versus-set", "gzip=on", "--versus-limit", "cpu=0.5")
    assert (one["server"], two["server"]) == ({"gzip": "off"}, {"gzip": "on"})
    assert (one.get("limits"), two["limits"]) == ({}, {"cpu": "0.5"})
    assert one["workload"] == two["workload"]


def test_another_target() -> None:
    one, two = plans("--versus", "lab:apache", "--versus-client", "keep-alive=off")
    assert (one["target"], two["target"]) == ("lab:nginx", "lab:apache")
    assert two["client"]["keep_alive"] == "off"


def test_without_a_second_there_is_one_plan() -> None:
    assert len(plans()) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--pairs", "4"), "there is no second target to compare with"),
        (("--versus-source", "ssh://db1"), "there is no second target to compare with"),
        (("--versus", "lab:apache", "--pair-order", "abab"), "it is one of: abba, random"),
        (("--versus-set", "gzip"), "write it like --versus-set threads=4"),
        (("--versus", "lab:samba"), "the workload speaks"),
    ],
)
def test_mistakes_are_named(headcount: Headcount, options: tuple[str, ...], message: str) -> None:
    ended = headcount.run(*WEB, *options)
    assert ended.code == ExitCode.BAD_INPUT
    assert message in ended.message
    assert headcount.bundles() == []


def smb(host: str) -> Plan:
    return resolve(load("home-folders"), f"smb://{host}/data", Overrides(seed=1))


@pytest.fixture(autouse=True)
def without_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HEADCOUNT_PASSWORD", "HEADCOUNT_VERSUS_PASSWORD"):
        monkeypatch.delenv(name, raising=False)


def test_the_second_has_the_firsts_password_or_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one, two, three = "s3cret", "an0ther", "y3t another"
    first = Secrets(token=two, password=one)
    assert versus.secrets_of(smb("127.0.0.1"), first, None) == first
    monkeypatch.setenv("HEADCOUNT_VERSUS_PASSWORD", two)
    assert versus.secrets_of(smb("127.0.0.1"), first, None) == Secrets(two, two)
    path = tmp_path / "password"
    path.write_text(f"{three}\n")
    assert versus.secrets_of(smb("127.0.0.1"), first, path) == Secrets(two, three)


def test_users_of_a_file_log_on_to_both(monkeypatch: pytest.MonkeyPatch) -> None:
    first = Secrets(logins=(("ada", "s3cret"), ("bob", "an0ther")))
    both = smb("127.0.0.1").model_copy(update={"logins": 2})
    assert versus.secrets_of(both, first, None) == first
    lab = resolve(load("home-folders"), "lab:samba", Overrides(seed=1))
    with pytest.raises(InputError, match=r"^B: --logins .*; lab:samba makes its own users"):
        versus.secrets_of(lab, first, None)
    monkeypatch.setenv("HEADCOUNT_VERSUS_PASSWORD", "y3t another")
    with pytest.raises(InputError, match=r"unset HEADCOUNT_VERSUS_PASSWORD"):
        versus.secrets_of(both, first, None)


def test_a_missing_password_says_whose_it_is() -> None:
    with pytest.raises(InputError, match=r"^B: .*set HEADCOUNT_VERSUS_PASSWORD"):
        versus.secrets_of(smb("127.0.0.1"), Secrets(), None)
