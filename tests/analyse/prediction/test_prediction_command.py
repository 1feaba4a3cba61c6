"""`headcount predict` on a bundle on disk."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from repairman import FACTORS, plan, quota, truth
from typer.testing import CliRunner

from command_line import app
from headcount.bundle.level import Levels
from headcount.schemas import SCHEMAS


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    """A server of one CPU, 10 ms a scenario, users who think 1 s."""
    now = truth(1, 0.01, 1.0, 0.08)
    levels = quota(1, 0.01, 1.0, [now * part for part in FACTORS])
    made = plan("mean<=80ms", [each.users for each in levels])
    (tmp_path / "plan.toml").write_text(made.to_toml(), "utf-8")
    (tmp_path / "levels.json").write_text(Levels(levels=levels).model_dump_json(), "utf-8")
    return tmp_path


def predict(*arguments: str) -> tuple[int, str]:
    shown = CliRunner().invoke(app, ["predict", *arguments], env={"COLUMNS": "120"})
    if shown.exception is not None and not isinstance(shown.exception, SystemExit):
        raise shown.exception
    return shown.exit_code, shown.output


def test_the_answer_for_people(bundle: Path) -> None:
    code, output = predict(str(bundle), "--cpus", "2x", "--users", "150")
    assert code == 0
    assert output.startswith("About 2")
    assert "CPU 1.00 cores -> 2.00 cores" in output
    assert "the CPU is the limit then" in output
    assert "150 users would get" in output
    assert "A cliff of memory" in output
    assert "10.0 ms CPU" in output


def test_the_answer_for_programs(bundle: Path) -> None:
    code, output = predict(str(bundle), "--cpus", "2x", "--json")
    assert code == 0
    answer = json.loads(output)["prediction"]
    Draft202012Validator(SCHEMAS["prediction"]()).validate(answer)
    assert answer["outcome"] == "predicted"
    assert len(answer["curve"]) == len(answer["curve_now"]) == 40


def test_a_refusal_says_what_to_measure(bundle: Path) -> None:
    code, output = predict(str(bundle), "--cpus", "50x")
    assert code == 4
    assert output.startswith("No prediction")
    assert "ask for a smaller step" in output
    assert "About" not in output
