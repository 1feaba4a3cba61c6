"""A tuning for other programs: numbers as numbers, text as text, the record itself."""

import csv as reading
import io
import json
from pathlib import Path

import openpyxl
import pytest
from report_bundle import bundle_of
from report_factory import content, verdict
from report_tuning import ALL, bundle_with, tuned

from headcount.bundle import reader
from headcount.bundle.reader import Bundle
from headcount.bundle.tuning import Tuning
from headcount.errors import InputError
from headcount.report.export import answer_json, csv, markdown, tuning, xlsx

FORMULA = '=HYPERLINK("http://example.org")'


def bundle(found: Tuning, folder: Path) -> Bundle:
    return reader.load(bundle_with(found, folder / "run"))


def sheets(found: Bundle) -> dict[str, list[tuple[object, ...]]]:
    book = openpyxl.load_workbook(io.BytesIO(xlsx.spreadsheet(found)))
    return {one.title: list(one.iter_rows(values_only=True)) for one in book.worksheets}


def test_the_spreadsheet_has_a_sheet_of_the_tuning_with_numbers(tmp_path: Path) -> None:
    made = sheets(bundle(tuned(), tmp_path))
    assert list(made)[:2] == ["Answer", "Tuning"]
    assert "Charts" not in made
    rows = made["Tuning"]
    names = [row[0] for row in rows]
    proof = rows[names.index("The proof") + 2]
    assert proof[:9] == ("scenarios/s", 1000, 1400, 1.4, 1.2, 1.6, 0.99, 6, 400)
    change = rows[names.index("Changes") + 2]
    assert change[:7] == ("keepalive_timeout", "nginx", "0", "75", 1.4, 1.2, 1.6)
    races = rows[names.index("Races") + 2 : names.index("Races") + 7]
    assert [row[9] for row in races] == [1, 2, 3, 4, 5]
    kept = tuned().races[0].pairs
    assert races[0][8] == len(kept)
    assert isinstance(races[0][5], float)
    assert races[4][5] is None
    knobs = rows[names.index("Knobs") + 2 :]
    assert [row[6] for row in knobs] == [True, False]
    answer = " ".join(str(cell) for row in made["Answer"] for cell in row)
    assert tuned().sentence in answer
    assert verdict().sentence not in answer


def test_text_is_never_a_formula(tmp_path: Path) -> None:
    change = tuned().changes[0].model_copy(update={"after": FORMULA})
    found = bundle(tuned().model_copy(update={"changes": [change]}), tmp_path)
    book = openpyxl.load_workbook(io.BytesIO(xlsx.spreadsheet(found)))
    (cell,) = [one for row in book["Tuning"].iter_rows() for one in row if one.value == FORMULA]
    assert cell.data_type == "s"
    assert f"'{FORMULA[:10]}" in csv.text(tuning.changes(found))


def test_json_has_the_record_itself(tmp_path: Path) -> None:
    found = bundle(tuned(), tmp_path)
    made = json.loads(answer_json.text(found))
    assert Tuning.model_validate(made["tuning"]) == tuned()
    other = reader.load(bundle_of(content(), tmp_path / "other"))
    assert json.loads(answer_json.text(other))["tuning"] is None


def test_csv_has_a_table_of_each_part(tmp_path: Path) -> None:
    found = bundle(tuned(), tmp_path)
    races = list(reading.DictReader(io.StringIO(csv.text(tuning.races(found)), newline="")))
    assert [row["outcome"] for row in races][-2:] == ["refused", "refused"]
    assert races[4]["ratio"] == ""
    knobs = list(reading.DictReader(io.StringIO(csv.text(tuning.knobs(found)), newline="")))
    assert [row["knob"] for row in knobs] == [one.name for one in tuned().knobs]
    plain = reader.load(bundle_of(content(), tmp_path / "other"))
    for table in (tuning.changes, tuning.races, tuning.knobs):
        with pytest.raises(InputError, match="is not a tuning"):
            table(plain)


@pytest.mark.parametrize("name", ALL)
def test_markdown_has_the_answer_and_what_was_tried(tmp_path: Path, name: str) -> None:
    found = ALL[name]()
    text = markdown.text(bundle(found, tmp_path))
    assert markdown.escape(found.sentence) in text
    assert ("### Changes" in text) == bool(found.changes)
    assert ("### What was tried" in text) == bool(found.races)
    assert markdown.escape(verdict().sentence) not in text
    assert "Overload" not in text
    lengths = {line.count("|") for line in text.splitlines() if line.startswith("| ---")}
    assert lengths <= {6, 7, 8}
    assert ("2.0% of scenarios failed" in text) == bool(found.races)


def test_markdown_shows_hostile_values_as_they_are(tmp_path: Path) -> None:
    change = tuned().changes[0].model_copy(update={"after": "<script>|x"})
    text = markdown.text(bundle(tuned().model_copy(update={"changes": [change]}), tmp_path))
    assert r"\<script\>\|x" in text
    assert "<script>" not in text
