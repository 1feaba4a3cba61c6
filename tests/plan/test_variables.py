"""Variables of a workload: what files and secrets become for the engine."""

from pathlib import Path

import pytest

from headcount.errors import InputError
from headcount.plan.variables import Variable, engine_form, most_users, rows_of, with_folder


def write_file(folder: Path, name: str, text: str) -> Path:
    """A file with this text."""
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def test_rows_come_from_csv_and_json_lines(tmp_path: Path) -> None:
    table = write_file(tmp_path, "a.csv", '\ufeffname, id\nada,1\n\n"b,\nob",2\n')
    assert rows_of(table, "it") == (["name", "id"], [["ada", "1"], ["b,\nob", "2"]])
    lines = write_file(
        tmp_path, "a.jsonl", '{"name": "ada", "id": 1}\n\n{"id": null, "name": "b"}\n'
    )
    assert rows_of(lines, "it") == (["name", "id"], [["ada", "1"], ["b", "null"]])


def test_a_line_of_json_ends_only_at_a_line_break(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"a": "b\u2028c\x85d"}\r\n{"a": "e"}\r{"a": "f"}'.encode())
    assert rows_of(path, "it") == (["a"], [["b\u2028c\x85d"], ["e"], ["f"]])


def test_a_whole_pair_of_surrogates_is_text(tmp_path: Path) -> None:
    path = write_file(tmp_path, "a.jsonl", r'{"a": "\ud83d\ude00 \\ud83d"}')
    assert rows_of(path, "it") == (["a"], [["\U0001f600 \\ud83d"]])


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.csv", "", "has no rows"),
        ("a.csv", "name\n", "has no rows"),
        ("a.csv", "a,b\n1\n", "line 2 has 1 values, and the header line has 2"),
        ("a.csv", 'a\n"b', "is not CSV"),
        ("a.jsonl", "{", "line 1 is not JSON"),
        ("a.jsonl", "[1]", "line 1 is not a JSON object"),
        ("a.jsonl", '{"a": 1}\n{"a": "\\ud83d"}', "line 2 has half of a surrogate pair"),
        ("a.jsonl", '{"a": 1}\n{"b": 1}\n', "line 2 does not have the keys of the first"),
    ],
)
def test_the_error_of_an_invalid_file_names_the_line(
    tmp_path: Path, name: str, text: str, part: str
) -> None:
    with pytest.raises(InputError, match=part):
        rows_of(write_file(tmp_path, name, text), "it")


def test_a_binary_or_missing_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"a\n\xff\n")
    with pytest.raises(InputError, match="line 2 is not UTF-8"):
        rows_of(tmp_path / "a.csv", "it")
    with pytest.raises(InputError, match=r"none\.csv"):
        rows_of(tmp_path / "none.csv", "it")


def test_files_are_found_from_the_folder_of_the_workload(tmp_path: Path) -> None:
    values = {"variables": {"a": {"file": "a.csv"}, "b": "text", "c": {"file": 5}}, "name": "x"}
    found = with_folder(values, tmp_path)
    assert found["variables"]["a"]["file"] == str(tmp_path / "a.csv")
    assert found["variables"]["b"] == "text"
    assert with_folder({"variables": 5}, tmp_path) == {"variables": 5}


def test_the_engine_gets_rows_and_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_KEY", "{not a placeholder}")
    file = write_file(tmp_path, "a.csv", "name\nada\nbob\n")
    variables = {
        "key": Variable.model_validate({"secret": "SHOP_KEY"}),
        "who": Variable(file=str(file), order="unique", each="user"),
        "number": Variable(int=(1, 5)),
    }
    assert engine_form(variables) == [
        {"name": "key", "each": "scenario", "value": "{not a placeholder}"},
        {
            "name": "who",
            "each": "user",
            "columns": ["name"],
            "rows": [["ada"], ["bob"]],
            "order": "unique",
        },
        {"name": "number", "each": "scenario", "int": [1, 5]},
    ]
    assert most_users(variables) == (2, str(file))
    assert most_users({"number": Variable(int=(1, 5))}) is None


def test_a_missing_secret_says_how_to_set_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_KEY", raising=False)
    with pytest.raises(InputError, match="export SHOP_KEY="):
        engine_form({"key": Variable.model_validate({"secret": "SHOP_KEY"})})
