"""The published schemas: current, valid, and met by the files that runs write."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from null_run import Run, record, serve, workload

import confirmation_file
import failover_file
import latency_file
import shares_file
import tuning_file
import versus_file
from headcount.analyse.verdict import of_levels
from headcount.bundle.environment import EnvironmentFile, Side
from headcount.bundle.level import SCHEMA_VERSION, Levels, LineResult
from headcount.bundle.manifest import Manifest, manifest_entry, manifest_text
from headcount.schemas import BUNDLE, SCHEMAS, text, write

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.fixture(scope="module")
def written_files() -> dict[str, Any]:
    """The files that a run writes, by name."""
    run: Run = record(workload("closed", "20ms", serve(0.001), criteria=["p95<=200ms"]), 5, 2.6)
    level = run.level(run.between(0.2, 2.5))
    line = LineResult(
        name="branch",
        users=2,
        started=9,
        completed=8,
        failed=1,
        overloaded=1,
        rate_per_s=3.5,
        response=level.total.response,
    )
    level = level.model_copy(update={"lines": [line]})
    verdict = of_levels(run.plan, [level], 3.0, "finished")
    side = Side(role="both", host={"cores": 2}, programs={"server": "1"}, settings={})
    environment = EnvironmentFile(
        headcount="0.1.0",
        build="release",
        started_at="2026-01-01T00:00:00.000+00:00",
        target="lab:app",
        sides=[side],
    )
    models = {
        "levels": Levels(levels=[level]),
        "verdict": verdict,
        "environment": environment,
        "confirmation": confirmation_file.confirmation(),
        "failover": failover_file.complete_failover(),
        "shares": shares_file.shares_result(),
        "latency": latency_file.latency_record(),
        "tuning": tuning_file.complete_tuning(),
        "versus": versus_file.versus(),
        "manifest": Manifest.model_validate_json(
            manifest_text({"plan.toml": manifest_entry(b"format = 1")})
        ),
    }
    return {name: json.loads(model.model_dump_json()) for name, model in models.items()}


def test_published_schemas_are_current_and_complete(tmp_path: Path) -> None:
    again = "run: python -m headcount.schemas docs/schemas"
    fresh = {path.name: path.read_text("utf-8") for path in write(tmp_path)}
    assert {path.name: path.read_text("utf-8") for path in PUBLISHED.iterdir()} == fresh, again
    assert fresh == {f"{name}.schema.json": text(schema()) for name, schema in SCHEMAS.items()}


@pytest.mark.parametrize("name", SCHEMAS)
def test_each_is_a_valid_schema_with_its_version(name: str) -> None:
    schema = SCHEMAS[name]()
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:headcount:schema:{name}:{schema['version']}"


@pytest.mark.parametrize("name", BUNDLE)
def test_a_schema_has_the_version_of_the_files(name: str) -> None:
    schema = SCHEMAS[name]()
    assert schema["version"] == SCHEMA_VERSION
    assert schema["properties"]["schema_version"]["const"] == SCHEMA_VERSION


@pytest.mark.parametrize("name", BUNDLE)
def test_written_files_meet_their_schema(name: str, written_files: dict[str, Any]) -> None:
    Draft202012Validator(SCHEMAS[name]()).validate(written_files[name])


@pytest.mark.parametrize("name", BUNDLE)
def test_files_that_break_their_schema_are_refused(
    name: str, written_files: dict[str, Any]
) -> None:
    validator = Draft202012Validator(SCHEMAS[name]())
    for spoil in ({"schema_version": 99}, {"unknown": 1}):
        with pytest.raises(ValidationError):
            validator.validate(written_files[name] | spoil)
    for key in written_files[name]:
        with pytest.raises(ValidationError):
            validator.validate({k: v for k, v in written_files[name].items() if k != key})
