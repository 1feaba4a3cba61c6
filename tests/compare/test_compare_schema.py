"""Comparisons, gates and histories meet their published schemas."""

from pathlib import Path

from jsonschema import Draft202012Validator
from runs_made import make

from headcount.analyse.compare.compare import compare
from headcount.analyse.compare.gate import judge, margins
from headcount.analyse.compare.history import history
from headcount.analyse.compare.subject import side
from headcount.bundle import reader
from headcount.schemas import SCHEMAS


def test_printed_records_meet_their_schemas(tmp_path: Path) -> None:
    paths = [make(tmp_path / name, (10, 20), seed=at) for at, name in enumerate("AB")]
    found = compare([side(path.name, [path]) for path in paths])
    printed = {
        "comparison": found,
        "gate": judge(found, margins([])),
        "history": history([reader.load(path) for path in paths]),
    }
    for name, record in printed.items():
        Draft202012Validator(SCHEMAS[name]()).validate(record.model_dump(mode="json"))
