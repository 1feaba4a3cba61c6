"""The published schemas of comparisons, gates and histories are current, and schemas."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from runs_made import make

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.gate import judge, margins
from headcount.analyse.compare.history import history
from headcount.analyse.compare.schema import RECORDS, published
from headcount.analyse.compare.subject import side
from headcount.bundle import reader

FOLDER = Path(__file__).parents[2] / "docs" / "schemas"


@pytest.mark.parametrize("name", RECORDS)
def test_the_published_schema_is_current(name: str) -> None:
    again = f"python -m headcount.analyse.compare.schema {name} > docs/schemas/{name}.schema.json"
    path = FOLDER / f"{name}.schema.json"
    assert path.read_text("utf-8") == published(name), f"run: {again}"


@pytest.mark.parametrize("name", RECORDS)
def test_it_is_a_schema_with_a_version(name: str) -> None:
    schema = json.loads(published(name))
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == f"urn:headcount:schema:{name}:1"
    assert schema["version"] == 1


def test_what_is_printed_meets_them(tmp_path: Path) -> None:
    paths = [make(tmp_path / name, (10, 20), seed=at) for at, name in enumerate("AB")]
    found = compare([side(path.name, [path]) for path in paths])
    printed = {
        "comparison": found,
        "gate": judge(found, margins([])),
        "history": history([reader.load(path) for path in paths]),
    }
    for name, record in printed.items():
        Draft202012Validator(json.loads(published(name))).validate(record.model_dump(mode="json"))
