"""What the command line says about itself."""

import itertools
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from command_line import app
from headcount import __version__, workloads
from processes import Headcount

VERBS = [
    [],
    ["run"],
    ["try"],
    ["prepare"],
    ["cleanup"],
    ["cluster"],
    *(["cluster", verb] for verb in ("up", "check", "status", "down")),
    ["serve"],
    ["serve", "app"],
    ["workloads"],
    ["workloads", "show"],
    ["record"],
    ["import"],
    *(["import", kind] for kind in ("har", "curl", "postman", "openapi", "k6")),
    ["storage"],
    *(["storage", verb] for verb in ("latency", "rate", "access", "fragments", "cycles", "queue")),
    *(["storage", verb] for verb in ("bus", "interfaces", "raid", "sort-memory", "gain")),
    ["doctor"],
    ["disk"],
    ["sort"],
    ["shares"],
    ["diagnose"],
    ["tune"],
    ["knobs"],
    ["pilot"],
    ["failover"],
    ["export"],
    ["predict"],
    ["watch"],
    ["compare"],
    ["gate"],
    ["audit"],
    ["published"],
    ["history"],
    ["runs"],
    ["show"],
    ["report"],
    ["price"],
    ["resume"],
]
ANSI = "\x1b["


def sentences(text: str) -> list[str]:
    """The text outside the tables of options."""
    lines = [line.strip() for line in text.splitlines() if line.strip()[:1] not in "╭│╰"]
    return [line for line in lines if line and not line.startswith("Usage:")]


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_verb_explains_itself(verb: list[str]) -> None:
    shown = CliRunner().invoke(app, [*verb, "--help"], env={"COLUMNS": "100"})
    assert shown.exit_code == 0
    first, *_ = sentences(shown.output)
    assert len(first.split()) >= 4
    assert first[0].isupper()
    assert "--disposable" not in shown.output
    assert CliRunner().invoke(app, [*verb, "-h"], env={"COLUMNS": "100"}).output == shown.output


@pytest.mark.parametrize("verb", [["tune"], ["prepare"], ["diagnose"]], ids=" ".join)
def test_sentences_fill_the_line(verb: list[str]) -> None:
    shown = CliRunner().invoke(app, [*verb, "--help"], env={"COLUMNS": "80"})
    head = shown.output.partition("╭")[0].partition("Usage:")[2].splitlines()[1:]
    for line, next_line in itertools.pairwise(one.strip() for one in head):
        word = next_line.partition(" ")[0]
        # A line ends only where the next word does not fit any more.
        assert not line or not word or len(f"{line} {word}") > 78, line


def test_every_verb_is_in_the_list_above() -> None:
    listed = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100"}).output
    found = set(re.findall(r"^│ ([a-z]+) ", listed, re.MULTILINE))
    assert found == {verb[0] for verb in VERBS if verb}


def test_examples_of_the_help_are_valid() -> None:
    shown = CliRunner().invoke(app, ["run", "--help"], env={"COLUMNS": "200"}).output
    examples = re.findall(r"^ *headcount run (\S+) (--[^#\n]+)", shown, re.MULTILINE)
    assert len(examples) >= 3
    for name, options in examples:
        assert name in workloads.names()
        known = set(re.findall(r"--[a-z-]+", shown.split("Examples:")[0]))
        assert set(re.findall(r"--[a-z-]+", options)) <= known


@pytest.fixture(scope="module")
def script() -> str:
    path = Path(sys.executable).with_name("headcount")
    assert path.exists()
    return str(path)


def test_the_version(script: str) -> None:
    shown = subprocess.run([script, "--version"], capture_output=True, check=True, text=True)
    assert shown.stdout == f"headcount {__version__}\n"


def test_the_version_is_that_of_the_package() -> None:
    assert __version__ == version("headcount")


def test_a_verb_imports_no_other_verb() -> None:
    asked = (
        "import sys; from headcount.cli.line import app_of; app_of(['sort']); print(*sys.modules)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", asked], capture_output=True, check=True, text=True
    )
    opened = set(shown.stdout.split())
    assert "headcount.cli.sort" in opened
    assert not opened & {"headcount.cli.run", "headcount._engine", "numpy", "pydantic", "scipy"}


def test_verbs_are_completed(script: str, headcount: Headcount) -> None:
    environment = headcount.environment | {
        "_HEADCOUNT_COMPLETE": "complete_bash",
        "COMP_WORDS": "headcount r",
        "COMP_CWORD": "1",
    }
    shown = subprocess.run(
        [script], env=environment, capture_output=True, check=False, text=True, timeout=60
    )
    assert set(shown.stdout.split()) == {"run", "runs", "record", "report", "resume"}


def test_completion_is_shown_and_installed(script: str, headcount: Headcount) -> None:
    # The shell that asks is found among the parents, so a real one asks.
    def ask(option: str) -> str:
        shown = subprocess.run(
            ["bash", "-c", f'"{script}" {option}; true'],
            env=headcount.environment,
            capture_output=True,
            check=True,
            text=True,
            timeout=60,
        )
        assert shown.stderr == ""
        return shown.stdout

    headcount.home.mkdir()
    assert "_HEADCOUNT_COMPLETE=complete_bash" in ask("--show-completion")
    assert "installed" in ask("--install-completion")
    written = list((headcount.home / ".bash_completions").glob("headcount*"))
    assert len(written) == 1
    assert "_HEADCOUNT_COMPLETE=complete_bash" in written[0].read_text("utf-8")
    assert str(written[0]) in (headcount.home / ".bashrc").read_text("utf-8")


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["run", "--help"], ["workloads"], ["workloads", "show", "sys-60"], ["runs"]],
    ids=" ".join,
)
def test_no_colours_off_a_terminal(headcount: Headcount, arguments: list[str]) -> None:
    shown = headcount.run(*arguments)
    assert shown.code == 0
    assert ANSI not in shown.out
    assert shown.err == ""


def test_workloads_for_programs(headcount: Headcount) -> None:
    listed = headcount.run("workloads", "--json").json
    assert [workload["name"] for workload in listed] == workloads.names()
    assert all(workload["title"] and workload["recreates"] for workload in listed)
    shown = headcount.run("workloads", "show", "app-server", "--json").json
    assert shown["name"] == "app-server"
    assert len(shown["scenarios"]) == 5


@pytest.mark.parametrize("name", workloads.names())
def test_a_workload_is_shown_to_people(name: str) -> None:
    shown = CliRunner().invoke(app, ["workloads", "show", name], env={"COLUMNS": "100"})
    assert shown.exit_code == 0
    workload = workloads.load(name)
    for scenario in workload.scenarios:
        assert f"- {scenario.name}: " in shown.output
        assert scenario.origin in shown.output
    for text in (workload.title, *workload.sources, *workload.deviations):
        assert text in shown.output
    for written in ("{'", "True", "None"):
        assert written not in shown.output
    assert ("350 files in 100 folders per user, 79.6 MB" in shown.output) == (
        name == "home-folders"
    )


def test_brackets_in_a_workload_are_shown(tmp_path: Path) -> None:
    text = Path(workloads.__file__).with_name("app-server.toml").read_text("utf-8")
    for key in ("recreates", "title"):
        text = re.sub(
            rf"^{key} = .*$", f'{key} = "The {key} of [/api] [v2]"', text, flags=re.MULTILINE
        )
    file = tmp_path / "api.toml"
    file.write_text(text, "utf-8")
    shown = CliRunner().invoke(app, ["workloads", "show", str(file)], env={"COLUMNS": "100"})
    assert shown.exit_code == 0
    assert "Re-creates The recreates of [/api] [v2];" in shown.output
    titles = shown.output.count("The title of [/api] [v2]")
    assert titles == 1 + len(workloads.load("app-server").scenarios)


def test_no_runs_yet(headcount: Headcount) -> None:
    assert headcount.run("runs", "--json").json == []
    assert "headcount run" in headcount.run("runs").out


def test_a_plan_is_printed_and_not_run(headcount: Headcount) -> None:
    shown = headcount.run(
        *("run", "app-server", "--target", "lab:app", "--users", "3", "--seed", "9", "--plan")
    )
    assert shown.code == 0
    assert headcount.bundles() == []
    assert headcount.leftovers() == []
    plan = headcount.home / "plan.toml"
    plan.write_text(shown.out, "utf-8")
    assert headcount.run("run", str(plan), "--plan").out == shown.out
