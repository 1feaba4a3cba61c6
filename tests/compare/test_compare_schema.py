"""The published schema of a comparison is current and a schema."""

import json
from pathlib import Path

from jsonschema import Draft202012Validator

from headcount.analyse.compare.schema import comparison

PUBLISHED = Path(__file__).parents[2] / "docs" / "schemas" / "comparison.schema.json"


def test_the_published_schema_is_current() -> None:
    again = "python -m headcount.analyse.compare.schema > docs/schemas/comparison.schema.json"
    assert PUBLISHED.read_text("utf-8") == comparison(), f"run: {again}"


def test_it_is_a_schema_with_a_version() -> None:
    schema = json.loads(comparison())
    Draft202012Validator.check_schema(schema)
    assert schema["$id"] == "urn:headcount:schema:comparison:1"
    assert schema["version"] == 1
