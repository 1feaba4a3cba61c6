"""Square brackets in texts of users and servers are shown as they are: they are not styles."""

from pathlib import Path

import pytest

from headcount.bundle.verdict import Cost, Verdict
from headcount.bundle.writer import BundleWriter, new_folder
from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load

ANSWER = "the search stopped early: http://[fd00::7]:8080 answered [/]"
SHOP = """
name = "shop"
title = "Shop [beta] [/]"
recreates = "[our] shop"
protocol = "http"
criteria = ["p95<=1s"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "10s" }
scenarios = [{ name = "a", title = "Look [/]", weight = 1, limit = "1s", steps = [
  { name = "a", op = "get", path = "/" },
] }]
"""


def shown(capsys: pytest.CaptureFixture[str], *line: str) -> str:
    run_line(line)
    return "".join(capsys.readouterr().out.split())


def test_in_the_list_of_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    runs = tmp_path / "runs [old]"
    assert "runs[old]" in shown(capsys, "runs", "--runs", str(runs))
    runs.mkdir()
    writer = BundleWriter(new_folder(runs, "app-server", "lab:app"))
    writer.plan(resolve(load("app-server"), "lab:app", Overrides(users=1, seed=4)).to_toml())
    writer.verdict(
        Verdict(
            kind="capacity",
            outcome="failed",
            sentence=ANSWER,
            broke_first=None,
            capacity=None,
            score=None,
            flags=[],
            cost=Cost(levels=0, seconds=1.0, operations=0),
        )
    )
    writer.close()
    listed = shown(capsys, "runs", "--runs", str(runs))
    assert all(word in listed for word in ANSWER.split())  # a line of a table cuts none of them
    assert "[old]" in listed


def test_in_an_audit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "bundle"
    folder.mkdir()
    (folder / "plan.toml").write_text('format = 1\n"[/]" = 1\n')
    (folder / "events.ndjson").write_text("")
    assert "[/]:" in shown(capsys, "audit", str(folder))


def test_in_a_workload(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shop = tmp_path / "shop.toml"
    shop.write_text(SHOP)
    assert run_line(("workloads", "show", str(shop))) == ExitCode.PASSED
    printed = capsys.readouterr().out
    for text in ("Shop [beta] [/]", "[our] shop", "Look [/]"):
        assert text in printed
