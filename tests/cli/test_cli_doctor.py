"""`headcount doctor`: on this machine, and as it shows machines that lack something."""

import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console

from headcount.cli import POINTER, run_line
from headcount.doctor import examine
from headcount.doctor import machine as machines
from headcount.doctor.checks.table import CHECKS
from headcount.doctor.examination import Examination
from headcount.doctor.outcome import Outcome, limited, missing, ok, stopping
from headcount.errors import ExitCode
from headcount.report.terminal import examination as terminal
from headcount.schemas import SCHEMAS
from processes import Headcount

LONG = "a busy server on this machine delays the generator's timers"
CHECKED: Mapping[str, Outcome] = {
    "user": ok("root", "Nothing."),
    "processes": limited("only this user's", f"{LONG}.", "first", "second"),
    "control groups": missing("none", "No limits.", "mount them"),
    "memory": stopping("64.0 MiB", "No run works.", "add some"),
    "clock": ok("tsc", "Quick."),
}


def examined(outcomes: Mapping[str, Outcome]) -> Examination:
    checks = {name: lambda _, found=outcome: found for name, outcome in outcomes.items()}
    return examine.examination(machines.Machine(), checks)


def shown(outcomes: Mapping[str, Outcome], width: int = 80) -> list[str]:
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(file=nowhere, width=width, record=True, highlight=False, soft_wrap=True)
        terminal.show(examined(outcomes), console)
        return [line.rstrip() for line in console.export_text().splitlines()]


def test_problems_come_first_each_with_its_fixes() -> None:
    assert shown(CHECKED) == [
        "missing  memory              64.0 MiB. No run works.",
        "         fix:                add some",
        "missing  control groups      none. No limits.",
        "         fix:                mount them",
        "limited  processes           only this user's. a busy server on this machine",
        "                             delays the generator's timers.",
        "         fix:                first",
        "         fix:                second",
        "ok       user                root",
        "ok       clock               tsc",
        "",
        "A plain run does not work here. Fix first: memory.",
    ]


def test_the_last_line_says_what_works() -> None:
    assert shown({"user": CHECKED["user"], "processes": CHECKED["processes"]})[-1] == (
        "A plain run works here: headcount run app-server --target lab:app --quick"
    )


def test_a_check_that_is_denied_does_not_end_the_others() -> None:
    def denied(_: machines.Machine) -> Outcome:
        raise PermissionError(13, "Permission denied", "/sys/x")

    found = examine.examination(machines.Machine(), {"a": denied, "b": lambda _: ok("b", "B.")})
    assert [check.verdict for check in found.checks] == ["limited", "ok"]
    assert found.checks[0].read == "not readable: /sys/x Permission denied"
    assert found.plain_run_works


def test_another_system_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platform, "system", lambda: "Darwin")
    assert run_line(["doctor"]) == ExitCode.UNSUITABLE
    printed = capsys.readouterr()
    assert printed.out == ""
    assert " ".join(printed.err.split()).startswith(
        "error: Headcount runs on Linux, and this is Darwin;"
    )
    assert POINTER not in printed.err


def test_this_machine_for_programs_and_for_people(headcount: Headcount) -> None:
    headcount.home.mkdir()
    ended = headcount.run("doctor", "--json")
    Draft202012Validator(SCHEMAS["doctor"]()).validate(ended.json)
    found = Examination.model_validate(ended.json)
    assert ended.code == 0, "the tests of runs pass on this machine"
    assert found.plain_run_works
    assert [check.name for check in found.checks] == list(CHECKS)
    assert all(check.fixes for check in found.problems)
    assert found.seconds < 20, "two on a quiet machine"
    people = headcount.run("doctor")
    assert people.code == 0
    assert "\x1b[" not in people.out
    assert people.out.splitlines()[-1].startswith("A plain run works here: ")
    assert headcount.leftovers() == []


def test_doctor_leaves_nothing_behind(headcount: Headcount) -> None:
    command = headcount.start("doctor")
    assert command.ended().code == 0
    pid = command.process.pid
    groups = Path("/sys/fs/cgroup").glob(f"**/headcount-{pid}-*")
    networks = Path("/run/netns").glob(f"headcount-{pid}-*")
    assert [*groups, *networks] == []
    assert not list(headcount.home.glob("**/.headcount-*"))


def test_a_tiny_limit_of_handles_stops_runs_as_doctor_says(headcount: Headcount) -> None:
    ended = headcount.run("doctor", "--json", ulimit="-n 300")
    assert ended.code == 5
    stops = [check["name"] for check in ended.json["checks"] if check["stops_runs"]]
    assert stops == ["open files"]


def test_folders_that_cannot_be_written_stop_runs_as_doctor_says(headcount: Headcount) -> None:
    for variable in ("XDG_CACHE_HOME", "HEADCOUNT_RUNS", "TMPDIR"):
        ended = headcount.run("doctor", **{variable: "/proc"})
        assert ended.code == 5
        assert ended.out.splitlines()[-1] == "A plain run does not work here. Fix first: folders."


WITHOUT_RIGHTS = """
import encodings.ascii, encodings.idna, os, sys
import headcount._engine, headcount.cli.doctor, headcount.doctor.examine
import headcount.report.terminal.examination
if os.geteuid() == 0:
    os.setgroups([])
    os.setresgid(65534, 65534, 65534)
    os.setresuid(65534, 65534, 65534)
sys.exit(headcount.cli.run_line(["doctor", "--json"]))
"""
"""Rights are given up late: nobody may not read root's Python."""


def test_a_user_without_rights() -> None:
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, 65534, 65534)
        ended = subprocess.run(
            [sys.executable, "-c", WITHOUT_RIGHTS],
            cwd=folder,
            env={**os.environ, "XDG_CACHE_HOME": folder, "TMPDIR": folder},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
    assert ended.stderr == ""
    assert ended.returncode == 0
    checks = {check["name"]: check for check in json.loads(ended.stdout)["checks"]}
    assert checks["user"]["read"].endswith(", not root")
    assert checks["network namespaces"]["read"] == "need root"
    assert checks["network namespaces"]["fixes"] == ["sudo headcount run ..."]
    assert checks["folders"]["verdict"] != "missing"
