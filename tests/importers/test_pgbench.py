"""Scripts of pgbench: what becomes of their commands and statements."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from headcount.cli import run_line
from headcount.errors import ExitCode, InputError
from headcount.importers.pgbench import pgbench_journey
from headcount.importers.pgbench_expression import computed, expression
from headcount.importers.sql_journey import journey_text
from headcount.plan.plan import validate
from headcount.plan.workload import Workload


def imported(tmp_path: Path, script: str, scale: int = 1) -> dict[str, Any]:
    """The workload that a script becomes, which Headcount can load."""
    path = tmp_path / "script.sql"
    path.write_text(script, "utf-8")
    read = tomllib.loads(journey_text(pgbench_journey(path, "script", scale)))
    validate(Workload, read, "it")
    return read


def steps(tmp_path: Path, script: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = imported(tmp_path, script)["scenarios"][0]["steps"]
    return found


def left_out(tmp_path: Path, script: str) -> list[str]:
    path = tmp_path / "script.sql"
    path.write_text(script, "utf-8")
    return pgbench_journey(path).left_out


def test_numbers_are_drawn_as_the_script_says(tmp_path: Path) -> None:
    script = (
        "\\set top 100 * :scale\n\\set a random(1, :top)\n\\set b random(-3, 2 * (1 + 1))\n"
        "SELECT :a, :b, :top;\n"
    )
    read = imported(tmp_path, script, scale=7)
    assert read["variables"] == {"a": {"int": [1, 700]}, "b": {"int": [-3, 4]}}
    (step,) = read["scenarios"][0]["steps"]
    assert step["statement"] == "SELECT $1, $2, $3"
    assert step["parameters"] == ["{a}", "{b}", "700"]


def test_expressions_of_drawn_numbers_are_computed_by_the_server(tmp_path: Path) -> None:
    script = (
        "\\set a random(1, 9)\n\\set b :a * 2 + 1\n\\set a random(1, 5)\n"
        "SELECT :b, :a, :client_id;\n"
    )
    (step,) = steps(tmp_path, script)
    assert step["statement"] == "SELECT (($1::bigint * 2) + 1), $2, $3"
    assert step["parameters"] == ["{a}", "{a_2}", "{n}"]


def test_colons_in_casts_quotes_and_comments_are_kept(tmp_path: Path) -> None:
    script = """\\set d random(1, 2)
SELECT a::int, ':d', ":d", $x$ :d; $x$ -- :d;
  FROM t /* ; */
  WHERE b = :d::bigint;
"""
    (step,) = steps(tmp_path, script)
    expected = """SELECT a::int, ':d', ":d", $x$ :d; $x$  FROM t  WHERE b = $1::bigint"""
    assert step["statement"] == expected
    assert step["name"] == "select-t"


def test_blocks_become_transactions_and_others_stay(tmp_path: Path) -> None:
    script = (
        "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 1;\n\\sleep 20 ms\nCOMMIT;\n"
        "begin; DELETE FROM t; rollback;\nSELECT 2"
    )
    first, *rest = steps(tmp_path, script)
    assert first["transaction"] == "transaction"
    assert first["isolation"] == "repeatable-read"
    assert first["steps"][1] == {"pause": "0.02s"}
    assert [step["statement"] for step in rest] == [
        "BEGIN",
        "DELETE FROM t",
        "rollback",
        "SELECT 2",
    ]
    assert left_out(tmp_path, script) == [
        "the transaction around 1 statements: it ends with ROLLBACK"
    ]


def test_gset_becomes_a_capture_where_the_value_is_used(tmp_path: Path) -> None:
    script = "SELECT id, name FROM t \\gset p_\nUPDATE t SET x = 1 WHERE id = :p_id;"
    first, second = steps(tmp_path, script)
    assert first["capture"] == {"p_id": {"column": "id"}}
    assert second["parameters"] == ["{p_id}"]


def test_unread_commands_are_listed(tmp_path: Path) -> None:
    script = (
        "\\set z random_zipfian(1, 10, 1.1)\n\\if :z > 5\nSELECT 1;\n\\else\nSELECT 2;\n\\endif\n"
        "\\startpipeline\n\\set h hash(:z)\n\\shell date\nSELECT :z;\n"
    )
    assert left_out(tmp_path, script) == [
        "line 1: random_zipfian is drawn evenly here",
        "lines 2 to 6: \\if to \\endif",
        "line 7: \\startpipeline",
        "line 8: \\set h hash(:z); give h a value in [variables]",
        "line 9: \\shell date",
    ]
    assert [step["statement"] for step in steps(tmp_path, script)] == ["SELECT $1"]


def test_a_file_without_a_statement_is_an_error(tmp_path: Path) -> None:
    for text in ("", "-- nothing\n", "\\set a 1\n"):
        with pytest.raises(InputError, match=r"script\.sql has no statement that could be played"):
            imported(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("2 * (3 - 5)", -4),
        ("1.5 * 2", 3.0),
        ("1 / 0", None),
    ],
)
def test_arithmetic_is_that_of_pgbench(text: str, value: float | None) -> None:
    assert computed(expression(text), {}) == value


@pytest.mark.parametrize(
    ("command", "pause"),
    [
        ("\\sleep 10 us", "0.00001s"),
        ("\\sleep 10ms", "0.01s"),
        ("\\sleep\t2\ts", "2s"),
        ("\\SLEEP 2", "2s"),
        ("\\set d 5\n\\sleep :d ms", "0.005s"),
        ("\\sleep 5000", "5000s"),
    ],
)
def test_pauses_are_those_of_pgbench(tmp_path: Path, command: str, pause: str) -> None:
    first, _ = steps(tmp_path, f"{command}\nSELECT 1;")
    assert first == {"pause": pause}


def test_tabs_separate_the_words_of_a_command(tmp_path: Path) -> None:
    workload = imported(tmp_path, "\\set\taid\trandom(1, 9)\r\nSELECT :aid;")
    assert workload["variables"] == {"aid": {"int": [1, 9]}}


def test_commands_without_words_are_listed(tmp_path: Path) -> None:
    listed = left_out(tmp_path, "\\set\n\\sleep\nSELECT 1;")
    assert [line[:13] for line in listed] == ["line 1: \\set ", "line 2: \\sleep"[:13]]


def test_gset_takes_a_value_from_the_statement_that_names_it(tmp_path: Path) -> None:
    script = "SELECT a FROM t \\gset\nSELECT b FROM u \\gset\nUPDATE t SET x = :a WHERE y = :b;"
    first, second, _ = steps(tmp_path, script)
    assert first["capture"] == {"a": {"column": "a"}}
    assert second["capture"] == {"b": {"column": "b"}}


def test_statements_of_one_message_are_apart(tmp_path: Path) -> None:
    found = steps(tmp_path, "SELECT 1 \\; SELECT a FROM t \\gset\nSELECT :a;")
    assert [one["statement"] for one in found] == ["SELECT 1", "SELECT a FROM t", "SELECT $1"]


def test_an_escaped_quote_does_not_end_a_text(tmp_path: Path) -> None:
    (step,) = steps(tmp_path, "SELECT E'it\\'s; all', date'2026-01-01', 'a\\' FROM t;")
    assert step["statement"] == "SELECT E'it\\'s; all', date'2026-01-01', 'a\\' FROM t"


def test_variables_within_quotes_are_listed(tmp_path: Path) -> None:
    script = "\\set d random(1, 2)\nSELECT 'at :d', '12:30 d:x::d', :d;"
    assert left_out(tmp_path, script) == [
        "line 2: :d within quotes is not filled in; use '...' || $1"
    ]


def test_the_verb_lists_what_to_fix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, output = tmp_path / "script.sql", tmp_path / "script.toml"
    script.write_text("SELECT :unknown;", "utf-8")
    asked = ["import", "pgbench", str(script), "-o", str(output)]
    assert run_line(asked) == ExitCode.PASSED
    shown = " ".join(capsys.readouterr().out.split())
    assert "To fix:" in shown
    assert "{unknown}" in shown
    assert run_line([*asked, "--json"]) == ExitCode.PASSED
    (mistake,) = json.loads(capsys.readouterr().out)["to_fix"]
    assert "{unknown}" in mistake["message"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_are_counted_after_a_command_of_several(tmp_path: Path, end: str) -> None:
    script = end.join(["\\set a random(1,\\", "  9)", "\\shell date", "SELECT :a;"])
    assert left_out(tmp_path, script) == ["line 3: \\shell date"]
    assert imported(tmp_path, script)["variables"] == {"a": {"int": [1, 9]}}
