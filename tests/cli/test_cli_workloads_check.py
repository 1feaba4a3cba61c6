"""`headcount workloads check`: typical mistakes, each with its line, its key and the next step."""

import json
from pathlib import Path

import pytest

from headcount import workloads
from headcount.cli import run_line
from headcount.errors import ExitCode

FILE = """name = "shop"
title = "Our shop"
protocol = "http"
criteria = ["p95<=500ms", "errors<1%"]
pace = { kind = "closed", time = { draw = "exponential", mean = "8s" } }
run = { duration = "60s" }

[variables]
user = { file = "users.csv", order = "unique", each = "user" }
word = { choice = ["a", "b"] }
key = { secret = "NEVER_SET_BY_ANYBODY" }

[[scenarios]]
name = "look"
weight = 1
limit = "500ms"
[[scenarios.steps]]
name = "log-in"
op = "post"
path = "/in"
form = { u = "{user.name}" }
[[scenarios.steps]]
if = { value = "{word}", equals = "a" }
then = [{ name = "buy", op = "get", path = "/buy", capture = { token = { css = "b" } } }]
[[scenarios.steps]]
name = "search"
op = "get"
path = "/search?q={word|lower}"
check = [{ contains = "x" }]
"""

MISTAKES: list[tuple[str, str, int, str, str]] = [
    ("limit =", "limt =", 16, "scenarios.0.limt", 'did you mean "limit"?'),
    ("limit =", "limt =", 13, "scenarios.0.limit", "is missing"),
    (
        "weight = 1",
        "weight = -1",
        15,
        "scenarios.0.weight",
        "it is -1; it must be greater than or equal",
    ),
    ("weight = 1", 'weight = "a"', 15, "scenarios.0.weight", "write a number, without quotes"),
    ("weight = 1", "weight = true\nlate = 3.5.1", 16, "", "not valid TOML"),
    ("mean =", "maen =", 5, "pace.time.maen", 'did you mean "mean"?'),
    ('"60s"', '"60x"', 6, "run.duration", "write it like 200ms, 30s"),
    ('"60s"', "true", 6, "run.duration", "write it like 200ms, 30s"),
    ('"http"', '"htp"', 3, "protocol", 'did you mean "http"?'),
    ("p95<=500ms", "p95<=500", 4, "criteria", '"p95<=500ms"'),
    ("p95<=500ms", "lok:p95<=1s", 4, "criteria", "look"),
    ('"Our shop"', "Our shop", 2, "", 'key = "text"'),
    ('"Our shop"', '"Our shop', 2, "", "three quotes"),
    ('"Our shop"', "3", 2, "title", 'write a text in quotes, such as "3"'),
    ("title =", 'name = "b"\ntitle =', 2, "", "remove one"),
    ("[variables]", "[variables", 8, "", "the bracket that closes the table's header"),
    ("[[scenarios]]\n", "[scenarios]\n", 13, "scenarios", "write [[scenarios]] for each"),
    ("users.csv", "none.csv", 9, "variables.user.file", "none.csv) cannot be read: No such file"),
    ("users.csv", "broken.csv", 9, "variables.user.file", "line 2 has 1 values"),
    ("choice =", "chioce =", 10, "variables.word.chioce", 'did you mean "choice"?'),
    ("word =", 'now = "a"\nword =', 10, "variables.now", "is not built in"),
    ('name = "look"', 'name = "look at"', 14, "scenarios.0.name", "letters, digits, _, . and -"),
    ('"get"\npath', '"fetch"\npath', 27, "scenarios.0.steps.2.op", 'no operation "fetch"'),
    ('op = "post"', "", 17, "scenarios.0.steps.0.op", "is missing"),
    ('path = "/in"', 'pth = "/in"', 20, "scenarios.0.steps.0.pth", 'did you mean "path"?'),
    ('path = "/in"', "path = 3", 20, "scenarios.0.steps.0.path", "write a text in quotes"),
    (
        'path = "/in"',
        'path = ["/in"]',
        20,
        "scenarios.0.steps.0.path",
        "a list; write a text",
    ),
    (
        'path = "/in"',
        'path = "/in"\nredirects = 300',
        21,
        "scenarios.0.steps.0.redirects",
        "0 to 255",
    ),
    ('op = "post"', 'op = "receive"', 20, "scenarios.0.steps.0.path", "there is no such key"),
    ('path = "/in"', 'path = "in"', 20, "scenarios.0.steps.0.path", "begin with a slash"),
    ("{user.name}", "{user.nam}", 21, "scenarios.0.steps.0.form.u", 'do you mean "user.name"?'),
    ("{word|lower}", "{wrd}", 28, "scenarios.0.steps.2.path", 'do you mean "word"?'),
    ("{word|lower}", "{word|lowre}", 28, "scenarios.0.steps.2.path", "the filters are url"),
    ('contains = "x"', 'matches = "(x"', 29, "scenarios.0.steps.2.check.0", "unclosed group"),
    ('contains = "x"', 'contians = "x"', 29, "scenarios.0.steps.2.check.0.contians", '"contains"?'),
    ('css = "b"', 'json = "$.["', 24, "scenarios.0.steps.1.then.0.capture.token", "$.items[0]"),
    ('css = "b"', 'css = "b[["', 24, "scenarios.0.steps.1.then.0.capture.token", "CSS selector"),
    ('css = "b"', "regex = '('", 24, "scenarios.0.steps.1.then.0.capture.token", "unclosed"),
    ('"{word}", equals', '"{word}", eqals', 23, "scenarios.0.steps.1.if.eqals", '"equals"?'),
    ('name = "search"', 'nme = "search"', 25, "scenarios.0.steps.2.name", "is missing"),
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files of the workload's variables."""
    (tmp_path / "users.csv").write_text("name\nada\n")
    (tmp_path / "broken.csv").write_text("name,password\nada\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new", "line", "key", "part"), MISTAKES, ids=[f"{m[1]}-{m[3]}" for m in MISTAKES]
)
def test_a_mistake_has_its_line_its_key_and_the_next_step(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    old: str,
    new: str,
    line: int,
    key: str,
    part: str,
) -> None:
    assert old in FILE
    (folder / "shop.toml").write_text(FILE.replace(old, new, 1), "utf-8")
    assert run_line(["workloads", "check", "shop.toml"]) == ExitCode.BAD_INPUT
    shown = capsys.readouterr()
    place = f"shop.toml:{line}: {key}: " if key else f"shop.toml:{line}: "
    found = [one for one in shown.out.splitlines() if one.startswith(place) and part in one]
    assert len(found) == 1, shown.out
    assert shown.err == ""
    # `run` reports the same before it connects, and keeps nothing.
    asked = ["run", "shop.toml", "--target", "http://127.0.0.1:9/", "--users", "1"]
    assert run_line([*asked, "--runs", "runs"]) == ExitCode.BAD_INPUT
    text = " ".join(capsys.readouterr().err.split())
    if key:
        assert found[0] in text or "NEVER_SET" in text
    assert part in text or "NEVER_SET" in text
    assert not (folder / "runs").exists()


def test_all_mistakes_are_shown_and_programs_can_read_them(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILE.replace("/buy", "buy").replace("{word|lower}", "{wrd}{nobody}")
    (folder / "shop.toml").write_text(text.replace("{user.name}", "{wrd}"), "utf-8")
    (folder / "right.toml").write_text(FILE, "utf-8")
    line = ["workloads", "check", "right.toml", "shop.toml", "--json"]
    assert run_line(line) == ExitCode.BAD_INPUT
    found = json.loads(capsys.readouterr().out)
    assert [(one["file"], one["line"], one["key"]) for one in found] == [
        ("shop.toml", 24, "scenarios.0.steps.1.then.0.path"),
        ("shop.toml", 21, "scenarios.0.steps.0.form.u"),
        ("shop.toml", 28, "scenarios.0.steps.2.path"),
        ("shop.toml", 28, "scenarios.0.steps.2.path"),
    ]


def test_a_mistake_at_a_password_is_shown_without_it(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILE.replace("{ u =", '{ user = "{usr}", password = "{pasword}", u =')
    text = text.replace('path = "/buy"', 'path = "/buy", headers = { Authorization = 918273 }')
    (folder / "shop.toml").write_text(text, "utf-8")
    for option in ((), ("--json",)):
        assert run_line(["workloads", "check", "shop.toml", *option]) == ExitCode.BAD_INPUT
        shown = capsys.readouterr().out
        assert "918273" not in shown
        assert "write a text in quotes" in shown
        assert "do you mean" in shown
        assert "password" in shown


def test_a_missing_lua_file_has_its_line_and_key(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILE + '[[scenarios.steps]]\nlua = "none.lua"\nsteps = []\n'
    (folder / "shop.toml").write_text(text, "utf-8")
    assert run_line(["workloads", "check", "shop.toml"]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().out == (
        "shop.toml:31: scenarios.0.steps.3.lua: the Lua file none.lua cannot be read: No such file "
        "or directory\n"
    )


def test_names_of_scenarios_differ(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = FILE[FILE.index("[[scenarios]]") :]
    (folder / "shop.toml").write_text(f"{FILE}\n{second}", "utf-8")
    assert run_line(["workloads", "check", "shop.toml"]) == ExitCode.BAD_INPUT
    assert '"look" is defined twice' in capsys.readouterr().out


@pytest.mark.parametrize("indent", ["\t", " "])
def test_a_file_without_mistakes_passes_with_tabs_and_without_secrets(
    folder: Path, capsys: pytest.CaptureFixture[str], indent: str
) -> None:
    text = "\n".join(indent + one.replace(" = ", f"{indent}={indent}") for one in FILE.splitlines())
    (folder / "shop.toml").write_text(text, "utf-8")
    assert run_line(["workloads", "check", "shop.toml"]) == ExitCode.PASSED
    assert capsys.readouterr().out == "shop.toml: no mistakes\n"


def test_an_invalid_file_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "empty.toml").write_text("\n")
    (folder / "notes.txt").write_text("x")
    for file, part in (
        ("empty.toml", "it is empty"),
        ("notes.txt", "those end with .toml"),
        ("none.toml", "none.toml cannot be read: No such file"),
        ("web-statc", 'did you mean "web-static"?'),
    ):
        assert run_line(["workloads", "check", file]) == ExitCode.BAD_INPUT
        assert part in capsys.readouterr().out


def test_a_plan_is_checked_as_a_plan_and_cannot_be_tried(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = ["run", "web-static", "--target", "lab:nginx", "--users", "1", "--plan"]
    assert run_line(line) == ExitCode.PASSED
    plan = capsys.readouterr().out
    (folder / "plan.toml").write_text(plan, "utf-8")
    assert run_line(["workloads", "check", "plan.toml"]) == ExitCode.PASSED
    capsys.readouterr()
    wrong = plan.replace('op = "connect"', 'op = "conect"', 1)
    number = next(n for n, one in enumerate(wrong.splitlines(), 1) if '"conect"' in one)
    (folder / "plan.toml").write_text(wrong, "utf-8")
    assert run_line(["workloads", "check", "plan.toml"]) == ExitCode.BAD_INPUT
    assert capsys.readouterr().out.startswith(f"plan.toml:{number}: scenarios.0.steps.0.op: ")
    assert run_line(["try", "plan.toml", "--target", "http://127.0.0.1:9/"]) == ExitCode.BAD_INPUT
    assert "plan.toml is a plan, not a workload; run it as it is" in capsys.readouterr().err


def test_the_included_workloads_have_no_mistakes(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[2] / "examples" / "journeys" / "web-shop.toml"
    assert run_line(["workloads", "check", str(example), *workloads.names()]) == ExitCode.PASSED
    assert len(capsys.readouterr().out.splitlines()) == len(workloads.names()) + 1


def test_a_target_decides_whether_a_workload_fits(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "shop.toml").write_text(FILE, "utf-8")
    line = ["workloads", "check", "shop.toml", "--target", "smb://fs1/data"]
    assert run_line(line) == ExitCode.BAD_INPUT
    assert 'the workload speaks "http"' in capsys.readouterr().out
