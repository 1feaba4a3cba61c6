"""Commands start fast: what only an analysis needs is loaded when one is made.

What a command loads is most of the CPU that it takes, and unlike time it is the same on every
machine.
"""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from headcount.cli.verbs import VERBS

PROGRAM = """
import json, sys
import headcount.cli
for line in json.loads(sys.argv[1]):
    headcount.cli.run_line(line)
print("modules:", json.dumps(sorted(sys.modules)))
"""
NUMBERS = ("duckdb", "numpy", "scipy")
"""Statistics and tables: with what imports them they take a second."""
MODELS = (
    "headcount._engine",
    "headcount.bundle.reader",
    "headcount.plan.plan",
    "headcount.workloads",
    "pydantic",
)
"""What reads a bundle or a workload."""
RUNS = ("headcount.controller", "headcount.live", "rich.live", "rich.progress", "textual")
"""What is there for a run, or to follow one."""
UNUSED = ("importlib.metadata", "markdown_it", "rich.markdown", "rich.traceback")
"""What Typer would load for its help, a third of the CPU."""


def loaded(*lines: Sequence[str]) -> tuple[str, set[str]]:
    """What command lines print, one after another in one interpreter, and the modules it has."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(lines)]
    printed = subprocess.check_output(command, text=True)
    text, _, modules = printed.rpartition("modules:")
    return text, set(json.loads(modules))


def among(names: Sequence[str], modules: set[str]) -> list[str]:
    return [name for name in names if name in modules]


def test_the_version_loads_no_parser_of_command_lines() -> None:
    text, modules = loaded(["--version"])
    assert text.startswith("headcount ")
    assert among(["rich", "typer", *UNUSED, *NUMBERS, *MODELS], modules) == []
    assert len(modules) <= 95  # 76, most of them for `typing`, `re` and `json`


def test_help_loads_nothing_that_it_does_not_show() -> None:
    text, modules = loaded(["--help"])
    assert "Usage: headcount" in text
    assert among([*UNUSED, *NUMBERS, *MODELS, *RUNS], modules) == []
    assert not {f"headcount.cli.{verb.room}" for verb in VERBS.values()} & modules - {
        "headcount.cli.version"
    }
    assert len(modules) <= 260  # 227: Typer and Rich with what they stand on


def test_help_of_a_verb_does_not_load_what_the_verb_needs() -> None:
    text, modules = loaded(*([verb, "--help"] for verb in VERBS))
    assert text.count("Usage: headcount") == len(VERBS)
    assert among([*UNUSED, *NUMBERS, *MODELS, *RUNS], modules) == []


@pytest.mark.parametrize("options", [[], ["--json"]], ids=["text", "json"])
def test_a_finished_run_is_shown_without_what_computes_an_answer(
    options: list[str], finished_run: Path
) -> None:
    text, modules = loaded(["show", str(finished_run), *options])
    assert text.strip()
    assert "headcount.bundle.reader" in modules
    assert among([*NUMBERS, *RUNS, "headcount.analyse.diagnosis.diagnose"], modules) == []
    assert len(modules) <= 490  # 455: Typer, Rich, Pydantic and the models of a bundle


def test_runs_are_listed_without_loading_reports(finished_run: Path) -> None:
    text, modules = loaded(["runs", "--runs", str(finished_run.parent), "--json"])
    assert finished_run.name in text
    assert among([*NUMBERS, *RUNS, "headcount.report"], modules) == []


def test_a_run_is_audited_without_what_runs_one(finished_run: Path) -> None:
    text, modules = loaded(["audit", str(finished_run)])
    assert "figures" in text
    running = (
        "headcount.controller.session",
        "headcount.controller.level",
        "headcount.counters.ssh",
    )
    # Whether `scipy.optimize` is needed depends on the levels: on a curve that goes up and down.
    assert among([*running, "headcount.live", "rich.live", "scipy.stats"], modules) == []


def test_an_audit_does_not_load_scipy_stats(finished_run: Path) -> None:
    _, modules = loaded(["audit", str(finished_run)])
    assert "scipy.special" in modules
    assert "scipy.stats" not in modules  # a second of CPU
