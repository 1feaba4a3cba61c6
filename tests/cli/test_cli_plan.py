"""Which files `headcount run` takes for plans."""

from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode
from headcount.plan.resolve import Overrides, resolve
from headcount.workloads import load

SHOP = """
name = "shop"
title = "A shop"
protocol = "http"
description = \"\"\"
Answers have the
format = JSON\"\"\"
criteria = ["p95<=1s"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "10s" }
scenarios = [{ name = "a", weight = 1, limit = "1s", steps = [
  { name = "a", op = "get", path = "/" },
] }]
"""


@pytest.mark.parametrize("written", ["format=1", "format   = 1", '"format" = 1', "# none"])
def test_a_plan_is_known_by_its_keys(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], written: str
) -> None:
    text = resolve(load("app-server"), "lab:app", Overrides(users=1, seed=4)).to_toml()
    path = tmp_path / "plan.toml"
    path.write_text(text.replace("format = 1", written, 1))
    assert run_line(("run", str(path), "--plan")) == ExitCode.PASSED
    assert capsys.readouterr().out == text


def test_a_text_in_a_workload_does_not_make_it_a_plan(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shop.toml"
    path.write_text(SHOP)
    assert run_line(("run", str(path), "-t", "lab:nginx", "--plan")) == ExitCode.PASSED
    assert 'target = "lab:nginx"' in capsys.readouterr().out
