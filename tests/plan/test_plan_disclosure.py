"""Disclosure files: free names in six groups."""

from pathlib import Path

import pytest
from plan_cases import plan, workload

from headcount.errors import InputError
from headcount.plan.disclosure import Disclosure, load_disclosure
from headcount.plan.plan import load
from headcount.plan.resolve import Overrides, resolve

SHEET = """
[sut]
model = "PC Server 330"
processors = 2
raid = true
disks = [4, "of 9.1 GB"]

[auditor]
name = "nobody"
"""


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "sheet.toml"
    path.write_text(SHEET, "utf-8")
    return path


def test_a_plan_keeps_what_is_stated_as_text(sheet: Path, tmp_path: Path) -> None:
    stated = load_disclosure(sheet)
    assert stated.sut == {
        "model": "PC Server 330",
        "processors": "2",
        "raid": "yes",
        "disks": "4, of 9.1 GB",
    }
    assert (stated.auditor, stated.pricing) == ({"name": "nobody"}, {})
    made = resolve(workload(), "lab:app", Overrides(users=2, disclosure=stated))
    written = tmp_path / "plan.toml"
    written.write_text(made.to_toml(), "utf-8")
    assert load(written) == made
    assert made.disclosure == stated
    assert plan().disclosure is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[server]\nx = 1\n", "server: there is no such key"),
        ("[suts]\nx = 1\n", 'did you mean "sut"?'),
        ("[sut.cpu]\nx = 1\n", "sut.cpu:"),
        ("sut = 7\n", "sut:"),
        ("[sut\n", "is not valid TOML"),
    ],
)
def test_an_invalid_sheet_is_a_mistake(sheet: Path, text: str, message: str) -> None:
    sheet.write_text(text, "utf-8")
    with pytest.raises(InputError) as caught:
        load_disclosure(sheet)
    assert message in str(caught.value)
    assert str(sheet) in str(caught.value)


def test_a_missing_sheet_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_disclosure(tmp_path / "none.toml")
    assert Disclosure() == Disclosure(sut={})
