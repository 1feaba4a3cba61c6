"""`headcount prepare` where there is nothing to prepare, or too much."""

import json
from pathlib import Path

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode

SHOP = """
name = "shop"
title = "Our database"
protocol = "sql"
criteria = ["p95<=1s"]
pace = { kind = "closed", time = { draw = "fixed", mean = "1s" } }
run = { duration = "10s" }
scenarios = [{ name = "a", weight = 1, limit = "1s", steps = [
  { name = "a", op = "sql", statement = "SELECT 1" },
] }]
"""


@pytest.mark.parametrize("is_json", [False, True])
def test_statements_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_json: bool
) -> None:
    shop = tmp_path / "shop.toml"
    shop.write_text(SHOP)
    line = ["prepare", str(shop), "--target", "postgresql://127.0.0.1:9/shop"]
    assert run_line([*line, "--json"] if is_json else line) == ExitCode.PASSED
    printed = capsys.readouterr().out
    if is_json:
        made = json.loads(printed)
        assert (made["users"], made["created_users"], made["written_bytes"]) == (0, 0, 0)
    else:
        assert "there is nothing to prepare" in printed


def test_more_users_than_levels_can_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ("prepare", "home-folders", "--target", f"file://{tmp_path}", "--users", "5000000000")
    assert run_line(line) == ExitCode.BAD_INPUT
    assert "--users" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
