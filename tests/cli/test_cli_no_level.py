"""A run that ends before its first level: its folder names the reason, and verbs read it."""

import json
from pathlib import Path

import pytest

from broken_site import serving
from headcount.cli import run_line
from headcount.errors import ExitCode

SHOP = """
name = "shop"
title = "Our shop"
protocol = "http"
criteria = ["p95<=500ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "2s" }

[[scenarios]]
name = "look"
weight = 1
limit = "500ms"
steps = [{ name = "home", op = "get", path = "/" }]
"""
WHY = 'a single user fails at every scenario (100% of what users do): "home" failed every time'


def test_the_folder_names_the_reason_and_every_verb_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.toml").write_text(SHOP, "utf-8")
    with serving("missing") as address:
        line = ["run", "shop.toml", "--target", address, "--quick"]
        assert run_line(line) == ExitCode.UNREACHABLE
    shown = capsys.readouterr().err
    assert WHY in " ".join(shown.split())
    assert "look / home" in shown
    assert "> GET /" in shown
    assert "< 404, " in shown
    (folder,) = (tmp_path / "runs").iterdir()
    verdict = json.loads((folder / "verdict.json").read_text("utf-8"))
    assert verdict["sentence"] == f"No level was run: {WHY}."
    assert verdict["outcome"] == "unfinished"
    name = str(folder)
    for read in (["show", name], ["runs"], ["audit", name], ["report", name]):
        assert run_line(read) == ExitCode.PASSED, read
        output = capsys.readouterr()
        assert output.err == ""
        if read[0] == "show":
            assert WHY in " ".join(output.out.split())
    for refused in (["compare", name, name], ["diagnose", name], ["history", name]):
        assert run_line(refused) == ExitCode.BAD_INPUT
        assert capsys.readouterr().err.count("error:") == 1


def test_a_search_without_a_trial_begins_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.toml").write_text(SHOP, "utf-8")
    line = ["run", "shop.toml", "--target", "http://127.0.0.1:9/", "--no-trial", "--plan"]
    assert run_line(line) == ExitCode.PASSED
    assert "trial = false" in capsys.readouterr().out
