"""Tables of a run for other programs, against its files read again."""

import csv as reading
import io
import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import openpyxl
import pytest
from export_bundle import exported_bundle
from hypothesis import given
from hypothesis import strategies as st

from headcount.bundle import reader
from headcount.report.export import csv, levels, markdown, seconds, xlsx
from headcount.report.export.chart_data import line_data
from headcount.report.export.table import Column, Table


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return exported_bundle(tmp_path_factory.mktemp("export"))


def rows(text: str) -> list[dict[str, str]]:
    return list(reading.DictReader(io.StringIO(text, newline="")))


def test_levels_are_those_of_the_file(folder: Path) -> None:
    found = rows(csv.text(levels.levels(reader.load(folder))))
    kept = json.loads((folder / "levels.json").read_text())["levels"]
    assert [int(row["users"]) for row in found] == [level["users"] for level in kept]
    for row, level in zip(found, kept, strict=True):
        assert float(row["achieved_per_s"]) == level["achieved_per_s"]
        assert float(row["response_p95_ms"]) == level["total"]["response"]["p95_ms"]
        cpu = level["counters"]["sut"]["system.cpu.utilization"]["mean"]
        assert float(row["server_cpu_share"]) == cpu


def test_counters_and_scenarios_are_whole(folder: Path) -> None:
    bundle = reader.load(folder)
    kept = json.loads((folder / "levels.json").read_text())["levels"]
    counted = sum(len(side) for level in kept for side in level["counters"].values())
    assert len(levels.counters(bundle).rows) == counted
    assert len(levels.scenarios(bundle).rows) == sum(1 + len(one["scenarios"]) for one in kept)


def test_seconds_are_those_of_the_series(folder: Path) -> None:
    found = rows(csv.text(seconds.seconds(reader.load(folder))))
    kept = [json.loads(line) for line in (folder / "series.ndjson").read_text().splitlines()]
    assert len(found) == len(kept)
    for row, second in zip(found, kept, strict=True):
        done = sum(one["completed"] for one in second["scenarios"].values())
        assert float(row["completed_per_s"]) == pytest.approx(done / second["seconds"])
        cpu = second["counters"].get("sut", {}).get("system.cpu.utilization")
        cell = row["sut:system.cpu.utilization"]
        assert cell == ("" if cpu is None else repr(cpu))


@given(st.text(max_size=30))
def test_no_cell_is_a_formula(content: str) -> None:
    table = Table("t", "T", [Column("a", "A")], [[content], ["=1+1"], ["@SUM(A1)"]])
    cells = [row["a"] for row in rows(csv.text(table))]
    assert not any(cell.startswith(("=", "+", "-", "@", "\t")) for cell in cells)


def test_names_hold_no_control_characters() -> None:
    names = [["b\x1b]0;x\x07\x9b\x00"], ["\r=1"], ["c\td"]]
    text = csv.text(Table("t", "T", [Column("a\x1b[31m", "A")], names))
    no = "\N{REPLACEMENT CHARACTER}"
    cells = [cell for row in reading.reader(io.StringIO(text)) for cell in row]
    assert cells == [f"a{no}[31m", f"b{no}]0;x{no}{no}{no}", f"{no}=1", "c\td"]


def test_a_missing_figure_is_an_empty_cell() -> None:
    table = Table("t", "T", [Column("a", "A"), Column("b", "B")], [[None, 0], [1.5, True]])
    assert csv.text(table) == "a,b\r\n,0\r\n1.5,true\r\n"


def test_the_spreadsheet_holds_the_same_figures(folder: Path, tmp_path: Path) -> None:
    bundle = reader.load(folder)
    path = tmp_path / "run.xlsx"
    path.write_bytes(xlsx.spreadsheet(bundle))
    book = openpyxl.load_workbook(path)
    assert book.sheetnames[:3] == ["Answer", "Charts", "Levels"]
    table = levels.levels(bundle)
    sheet = book["Levels"]
    read = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=2)]
    for got, wanted in zip(read, table.rows, strict=True):
        for cell, value in zip(got, wanted, strict=True):
            # The format's numbers have 16 digits; Python's have 17.
            number = isinstance(value, float)
            assert cell == (pytest.approx(value, rel=1e-14) if number else value)
    assert [cell.value for cell in sheet[1]] == [column.label for column in table.columns]
    formulas = [
        cell
        for name in book.sheetnames
        for row in book[name].iter_rows()
        for cell in row
        if cell.data_type == "f"
    ]
    assert formulas == []
    assert xlsx.spreadsheet(bundle) == path.read_bytes()


def test_libreoffice_opens_it(folder: Path, tmp_path: Path) -> None:
    bundle = reader.load(folder)
    path = tmp_path / "run.xlsx"
    path.write_bytes(xlsx.spreadsheet(bundle))
    # All sheets (-1) as text, with formats off: numbers as they are.
    how = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,-1"
    home = f"-env:UserInstallation=file://{tmp_path}/office"
    command = ["soffice", home, "--headless", "--convert-to", how, "--outdir", tmp_path, path]
    subprocess.run(command, check=True, capture_output=True, timeout=150)
    text = (tmp_path / "run-Levels.csv").read_text("utf-8")
    found = list(reading.DictReader(io.StringIO(text)))
    users = [int(row["Users"]) for row in found]
    assert users == [level.users for level in bundle.levels]
    p95 = [float(row["Response, 95th percentile (ms)"]) for row in found]
    wanted = [level.total.response.p95_ms for level in bundle.levels if level.total.response]
    assert p95 == pytest.approx(wanted)


def test_charts_show_the_levels_that_count(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.xlsx"
    path.write_bytes(xlsx.spreadsheet(reader.load(folder)))
    book = openpyxl.load_workbook(path)
    rows = {
        "Chart data": book["Chart data"].max_row - 1,
        "Chart lines": book["Chart lines"].max_row - 1,
    }
    charts = book["Charts"]._charts
    assert len(charts) == 4
    for chart in charts:
        for series in chart.series:
            reference = series.yVal.numRef.f
            sheet, _, cells = reference.replace("$", "").replace("'", "").partition("!")
            assert len(book[sheet][cells]) == rows[sheet]


def test_repeated_levels_are_marks_and_the_line_has_one_value_for_each_load() -> None:
    rows = [[8, 4.0, None], [4, 2.0, 0.2], [8, 6.0, 0.5], [8, 9.0, 0.7]]
    columns = [Column(name, name) for name in ("users", "achieved_per_s", "server_cpu_share")]
    lines = line_data(Table("chart_data", "Chart data", columns, rows))
    assert lines.title == "Chart lines"
    assert lines.rows == [[4, 2.0, 0.2], [8, 6.0, 0.6]]


def test_no_line_of_the_spreadsheet_goes_back(folder: Path, tmp_path: Path) -> None:
    bundle = reader.load(folder)
    again = [level.model_copy(update={"index": level.index + 3}) for level in bundle.levels]
    repeated = SimpleNamespace(
        confirmation=None,
        tuning=None,
        failover=None,
        folder=bundle.folder,
        plan=bundle.plan,
        verdict=bundle.verdict,
        environment=bundle.environment,
        levels=[*bundle.levels, *again],
        seconds=bundle.seconds,
    )
    path = tmp_path / "run.xlsx"
    path.write_bytes(xlsx.spreadsheet(repeated))  # type: ignore[arg-type]
    book = openpyxl.load_workbook(path)
    valid = [level.users for level in repeated.levels if level.outcome != "invalid"]
    charts = book["Charts"]._charts
    for chart in (each for part in charts for each in part._charts):
        for series in chart.series:
            sheet, _, cells = series.xVal.numRef.f.replace("$", "").replace("'", "").partition("!")
            along = [cell.value for (cell,) in book[sheet][cells]]
            joined = not series.graphicalProperties.line.noFill
            assert joined == (sheet == "Chart lines")
            if joined:
                assert along == sorted(set(valid))
            else:
                assert len(along) == len(valid)


def test_markdown_is_escaped() -> None:
    hostile = "a|b <img src=x> [x](javascript:y) @all #1 `c`\n# head"
    escaped = markdown.escape(hostile)
    assert "\n" not in escaped
    for letter in "|<>[]@#`":
        assert escaped.count(f"\\{letter}") == escaped.count(letter)


def test_markdown_has_the_answer_and_every_level(folder: Path) -> None:
    bundle = reader.load(folder)
    assert bundle.verdict is not None
    text = markdown.text(bundle)
    assert markdown.escape(bundle.verdict.sentence) in text
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert len(lines) == len(bundle.levels) + 2
