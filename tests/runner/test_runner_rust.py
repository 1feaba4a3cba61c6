"""Test programs of cargo that failed are run again only where their CPUs were stolen."""

import sys
import tomllib
from pathlib import Path

import pytest

import rust

ALL = " ".join(rust.PROGRAMS)

PROGRAM = """
import pathlib, sys
ALL = {everything!r}
seen, asked = pathlib.Path({seen!r}), " ".join(sys.argv[1:])
with seen.open("a") as file:
    print(asked, file=file)
turns = len(seen.read_text().splitlines())
failing = [name for name, times in {bad!r}.items() if turns <= times]
failing = [name for name in failing if asked == ALL or asked.endswith(name)]
for name in failing:
    print("running 3 tests", flush=True)
    which = f"-p headcount-{{name}} --test {{name}}"
    print(f"error: test failed, to rerun pass `{{which}}`", file=sys.stderr, flush=True)
sys.exit(101 if failing else 0)
"""
"""A cargo of which test programs fail so many times."""


class Machine:
    """A machine with these shares of stolen CPU, one for each test program."""

    def __init__(self, *stolen: float) -> None:
        self.stolen = list(stolen)
        self._looks = 0

    def largest(self) -> float:
        self._looks += 1
        # The first look of each test program forgets what was before it.
        return 1.0 if self._looks % 2 else self.stolen[self._looks // 2 - 1]


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    return tmp_path / "asked"


def run_rust(
    patch: pytest.MonkeyPatch, calls: Path, machine: Machine, bad: dict[str, int]
) -> tuple[int, list[str]]:
    """The exit code, and what cargo was asked for."""
    script = calls.with_name("cargo.py")
    script.write_text(PROGRAM.format(seen=str(calls), bad=bad, everything=ALL))
    patch.setattr(rust, "COMMAND", (sys.executable, str(script)))
    patch.setattr(rust, "Thief", lambda: machine)
    patch.setattr(rust, "documented", list)
    patch.setattr(rust, "EVERY_S", 0.0)
    return rust.main(calls.with_name("kept")), calls.read_text().splitlines()


def test_what_passes_is_run_once(monkeypatch: pytest.MonkeyPatch, calls: Path) -> None:
    assert run_rust(monkeypatch, calls, Machine(), {}) == (0, [ALL])


def test_a_failure_without_stolen_cpus_counts(monkeypatch: pytest.MonkeyPatch, calls: Path) -> None:
    assert run_rust(monkeypatch, calls, Machine(0.02), {"app": 1}) == (101, [ALL])


def test_a_failure_with_stolen_cpus_is_retried(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    found = run_rust(monkeypatch, calls, Machine(0.3), {"app": 1})
    assert found == (0, [ALL, "-p headcount-app --test app"])


def test_one_failure_without_stolen_cpus_is_enough(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    found = run_rust(monkeypatch, calls, Machine(0.3, 0.01), {"app": 1, "mail": 1})
    assert found == (101, [ALL])


def test_what_fails_three_times_has_failed(monkeypatch: pytest.MonkeyPatch, calls: Path) -> None:
    code, runs = run_rust(monkeypatch, calls, Machine(0.3, 0.3, 0.3), {"app": 9})
    assert (code, len(runs)) == (101, rust.TRIES)


@pytest.mark.parametrize(("times", "code"), [(1, 0), (9, 101)])
def test_what_failed_is_run_once_more(
    monkeypatch: pytest.MonkeyPatch,
    calls: Path,
    capsys: pytest.CaptureFixture[str],
    times: int,
    code: int,
) -> None:
    first, _ = run_rust(monkeypatch, calls, Machine(0.0, 0.0), {"app": times})
    assert first == 101
    assert rust.failed_again(calls.with_name("kept")) == code
    assert calls.read_text().splitlines() == [ALL, "-p headcount-app --test app"]
    is_named = "passed alone, failed beside other tests" in capsys.readouterr().out
    assert is_named == (code == 0)


def test_where_all_passed_nothing_is_run_again(
    monkeypatch: pytest.MonkeyPatch, calls: Path
) -> None:
    run_rust(monkeypatch, calls, Machine(), {})
    assert rust.failed_again(calls.with_name("kept")) is None


def test_examples_of_documentation_are_tests_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, text in (("one", "//! ```\n//! x\n//! ```\n"), ("two", "// ```\n")):
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "src" / "lib.rs").write_text(text)
    assert rust.documented(tmp_path) == ["headcount-one"]
    seen = []
    monkeypatch.setattr(rust, "documented", lambda: ["headcount-one"])
    monkeypatch.setattr(rust, "run", lambda which, _thief: (seen.append(list(which)) or 0, {}))
    assert rust.main(tmp_path / "kept") == 0
    assert seen == [list(rust.PROGRAMS), ["--doc", "--package", "headcount-one"]]


def test_each_crate_is_tested_with_overflow_checks() -> None:
    """They are off in the profile whose folder and libraries the tests share."""
    root = Path(__file__).parents[2]
    packages = tomllib.loads((root / "Cargo.toml").read_text("utf-8"))["profile"]["bench"][
        "package"
    ]
    checked = {name for name, profile in packages.items() if profile["overflow-checks"]}
    assert checked == {f"headcount-{folder.name}" for folder in (root / "crates").iterdir()}
