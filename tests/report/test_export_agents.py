"""The agents of a run for other programs: a row for each of them at each level."""

import csv as reading
import io
import json
from pathlib import Path

import openpyxl
import pytest
from report_agents import agents
from report_bundle import bundle_of
from report_cases import HOSTILE

from headcount.bundle import reader
from headcount.report.export import agents as exported
from headcount.report.export import csv, xlsx


def bundle(folder: Path, machine: str = "load") -> Path:
    made = bundle_of(agents(), folder)
    listed = [{"number": one, "machine": f"{machine}{one}", "cpus": 8} for one in (1, 2, 3)]
    event = {"at": "2026-01-01T00:00:00Z", "t_s": 0, "event": "agents", "agents": listed}
    (made / "events.ndjson").write_text(json.dumps(event) + "\n", "utf-8")
    return made


def test_rows_are_those_of_the_file(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "run")
    text = csv.text(exported.agents(reader.load(folder)))
    found = list(reading.DictReader(io.StringIO(text, newline="")))
    kept = json.loads((folder / "levels.json").read_text("utf-8"))["levels"]
    assert len(found) == 3 * len(kept)
    for place, row in enumerate(found):
        level, number = kept[place // 3], place % 3 + 1
        its = level["counters"][f"agent-{number}"]
        assert (row["level_users"], row["agent"]) == (str(level["users"]), str(number))
        assert (row["machine"], row["cpus"], row["workers"]) == (f"load{number}", "8", "")
        assert float(row["scenarios_per_s"]) == its["agent.scenarios"]["mean"]
        assert float(row["busiest_worker_share"]) == its["agent.worker.busiest"]["mean"]
        rates = [level["counters"][f"agent-{one}"]["agent.scenarios"]["mean"] for one in (1, 2, 3)]
        ratio = its["agent.scenarios"]["mean"] / (sum(rates) / 3)
        assert float(row["per_user_ratio"]) == pytest.approx(ratio)
        assert row["full"] == str(number == 2 and level["users"] >= 800).lower()


def test_the_spreadsheet_has_a_sheet_and_a_chart_of_them(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "run", HOSTILE)
    book = openpyxl.load_workbook(io.BytesIO(xlsx.spreadsheet(reader.load(folder))))
    rows = list(book["Agents"].iter_rows(values_only=True))
    assert len(rows) == 1 + 3 * 4
    assert rows[0][4] == "Machine"
    charts = book["Charts"]._charts
    names = [one.y_axis.title.tx.rich.p[0].r[0].t for one in charts]
    assert "Scenarios per user, of the mean" in names


def test_one_process_has_no_rows_and_no_sheet(tmp_path: Path) -> None:
    folder = bundle(tmp_path / "run")
    levels = json.loads((folder / "levels.json").read_text("utf-8"))
    for level in levels["levels"]:
        level["counters"] = {
            side: found for side, found in level["counters"].items() if "agent" not in side
        }
    (folder / "levels.json").write_text(json.dumps(levels), "utf-8")
    alone = reader.load(folder)
    assert exported.agents(alone).rows == []
    book = openpyxl.load_workbook(io.BytesIO(xlsx.spreadsheet(alone)))
    assert "Agents" not in book.sheetnames
