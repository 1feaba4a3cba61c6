"""`headcount compare`, `gate` and `history` on real runs, and on anything else."""

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import Draft202012Validator
from typer.testing import CliRunner

from command_line import app
from headcount.errors import ExitCode, InputError
from headcount.schemas import SCHEMAS
from processes import Headcount

RUN = (
    *("run", "app-processor", "--target", "lab:app", "--users", "4", "--duration", "5s"),
    *("--ramp", "0s", "--settle", "0s", "--think", "10ms", "--scale", "0.001", "--json"),
    *("--criteria", "p95<=1000s", "--seed", "3"),
)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory):
    made = Headcount(tmp_path_factory.mktemp("home"))
    ends = []
    while len(made.bundles()) < 2:
        ends.append(made.run(*RUN))
        if ends[-1].code == ExitCode.INVALID and len(ends) < 5:  # the machine was too busy
            shutil.rmtree(made.bundles()[-1])
        else:
            assert ends[-1].code == 0, ends
    yield made
    made.close()


def call(*arguments: str):
    """Call a command in this process: starting one takes a second."""
    return CliRunner().invoke(app, arguments, env={"COLUMNS": "100"})


def mistake(*arguments: str) -> str:
    """The error of a command."""
    error = call(*arguments).exception
    assert isinstance(error, InputError), error
    return str(error)


@pytest.fixture(scope="module")
def runs(home: Headcount) -> list[str]:
    return [str(path) for path in home.bundles()]


def test_two_real_runs_are_compared(home: Headcount, runs: list[str]) -> None:
    found = home.run("compare", *runs, "--json").json
    Draft202012Validator(SCHEMAS["comparison"]()).validate(found)
    assert [subject["name"] for subject in found["subjects"]] == ["A", "B"]
    assert {one["users"] for one in found["differences"]} == {4}
    metrics = {one["metric"] for one in found["differences"]}
    assert {"throughput", "response.p95", "cpu.each"} <= metrics
    assert all(one["interval"] for one in found["differences"] if one["metric"] == "throughput")
    assert found["unlike"] == []


def test_people_see_a_table_and_a_page(runs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    ended = call("compare", f"old={runs[0]}", f"new={runs[1]}", "--html", str(path))
    assert ended.exit_code == 0
    assert "At 4 users, new against old" in ended.output
    assert str(path) in ended.output
    assert path.read_text("utf-8").startswith("<!doctype html>")
    assert "| At 4 users | A | B |" in call("compare", *runs, "--markdown").output


def test_equality_is_shown_within_a_margin_only(runs: list[str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ended = call("compare", *runs, "--within", "90%", "--html", str(page))
    assert ended.exit_code == 0, ended.output
    assert "Within 90%" in ended.output
    assert "hroughput at 4 users: " in ended.output
    assert "Within 90%" in page.read_text("utf-8")
    assert "Within 90%" in call("compare", *runs, "--within", "90", "--markdown").output
    wide = json.loads(call("compare", *runs, "--within", "90%", "--json").output)
    for one in wide["equalities"]:
        low, high = one["interval"] or (0, 0)
        assert (one["result"] == "equal") == (low >= 1 / 1.9 and high <= 1.9), one
    found = json.loads(call("compare", *runs, "--within", "0.01%", "--json").output)
    Draft202012Validator(SCHEMAS["comparison"]()).validate(found)
    assert found["margin"] == pytest.approx(0.0001)
    assert [one["metric"] for one in found["equalities"]] == [
        one["metric"] for one in found["differences"]
    ]
    assert all(one["result"] != "equal" for one in found["equalities"])
    for wrong in ("0", "101%", "two"):
        assert mistake("compare", *runs, "--within", wrong) == (
            f"--within {wrong}: give a percentage above 0, at most 100, such as 2%"
        )


def test_several_runs_of_a_side_are_given_with_commas_or_as_a_folder(
    runs: list[str], tmp_path: Path
) -> None:
    for name, run in (("before", runs[0]), ("after", runs[1])):
        for copy in "12":
            shutil.copytree(run, tmp_path / name / copy)
    found = json.loads(
        call("compare", str(tmp_path / "before"), str(tmp_path / "after"), "--json").output
    )
    assert [subject["name"] for subject in found["subjects"]] == ["before", "after"]
    assert [len(subject["bundles"]) for subject in found["subjects"]] == [2, 2]
    listed = json.loads(call("compare", f"x={runs[0]},{runs[1]}", f"y={runs[1]}", "--json").output)
    assert [len(subject["bundles"]) for subject in listed["subjects"]] == [2, 1]


def test_a_run_against_itself_is_no_regression(runs: list[str], tmp_path: Path) -> None:
    path = tmp_path / "gate.xml"
    ended = call("gate", runs[0], "--baseline", runs[0], "--junit", str(path), "--github")
    assert ended.exit_code == ExitCode.PASSED
    assert ended.output.splitlines()[-1].startswith("::notice title=headcount gate::No regression")
    assert ET.parse(path).getroot().attrib["failures"] == "0"  # noqa: S314 - our own
    gate = json.loads(call("gate", runs[0], "--baseline", runs[0], "--json").output)
    assert gate["outcome"] in ("passed", "inconclusive")
    strict = call("gate", runs[0], "--baseline", runs[0], "--strict")
    expected = {"passed": ExitCode.PASSED, "inconclusive": ExitCode.INVALID}
    assert strict.exit_code == expected[gate["outcome"]]


def test_half_of_the_throughput_fails_the_gate(runs: list[str], tmp_path: Path) -> None:
    slow = tmp_path / "slow"
    shutil.copytree(runs[0], slow)
    levels = json.loads((slow / "levels.json").read_text("utf-8"))
    for level in levels["levels"]:
        level["achieved_per_s"] /= 20
    (slow / "levels.json").write_text(json.dumps(levels), "utf-8")
    series = (slow / "series.ndjson").read_text("utf-8").splitlines()
    seconds = [json.loads(line) for line in series]
    for second in seconds:
        for counts in second["scenarios"].values():
            counts["completed"] /= 20
    (slow / "series.ndjson").write_text("\n".join(map(json.dumps, seconds)) + "\n", "utf-8")
    ended = call("gate", str(slow), "--baseline", runs[0])
    assert ended.exit_code == ExitCode.FAILED
    assert ended.output.startswith("Regression: Throughput at 4 users")


def test_the_history_of_two_runs_is_a_table(home: Headcount, runs: list[str]) -> None:
    ended = call("history", str(home.runs))
    assert "too few to find a change;" in ended.output
    found = json.loads(call("history", str(home.runs), "--json").output)
    assert [run["bundle"] for run in found["series"][0]["runs"]] == runs
    assert "has no runs to show" in mistake("history", str(home.runs), "--workload", "nothing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("compare", "RUN", "nowhere"), "nowhere is not a bundle"),
        (("compare", "RUN"), "two runs or more"),
        (("compare", "x=RUN", "x=RUN"), 'called "x"'),
        (("compare", "x=", "RUN"), "names no bundle"),
        (("compare", "RUN", "RUN", "--json", "--markdown"), "give one of them"),
        (("compare", "RUN", "RUN", "--html", "/no/such/folder/x.html"), "there is no folder"),
        (("gate", "RUN", "--baseline", "nowhere"), "nowhere is not a bundle"),
        (("gate", "RUN", "--baseline", "RUN", "--margin", "3"), "write 5%"),
        (("gate", "RUN", "--baseline", "RUN", "--margin", "speed=3%"), "there is no metric"),
        (("gate", "RUN", "--baseline", "RUN", "--margin", "100%"), "a margin is a share"),
        (("history", "nowhere"), "is not a folder of runs"),
    ],
)
def test_mistakes_are_reported_in_a_sentence(
    runs: list[str], arguments: tuple[str, ...], message: str
) -> None:
    assert message in mistake(*(each.replace("RUN", runs[0]) for each in arguments))


def test_a_run_without_levels_and_a_damaged_one_are_errors(
    home: Headcount, runs: list[str], tmp_path: Path
) -> None:
    empty, torn = tmp_path / "empty", tmp_path / "torn"
    for path in (empty, torn):
        shutil.copytree(runs[0], path)
    (empty / "levels.json").unlink()
    (torn / "levels.json").write_text('{"levels": [', "utf-8")
    assert "has no finished level to compare" in mistake("compare", str(empty), runs[0])
    assert "is damaged" in mistake("compare", str(torn), runs[0])
    shown = home.run("history", str(tmp_path))
    assert shown.code == 0
    assert "left out" in shown.err
