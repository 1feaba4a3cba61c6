"""What failed beside other tests is run once more alone, and reported."""

from pathlib import Path

import pytest

import suite

BESIDE = suite.BESIDE

MADE = """
from pathlib import Path

def test_good():
    pass

def test_twice():
    seen = Path({seen!r})
    with seen.open("a") as file:
        file.write("x")
    assert len(seen.read_text()) > {bad}

def test_other():
    assert {other}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.setattr(suite, "BESIDE", ("-n", "0"))  # workers take a second to start
    return tmp_path


def run_suite(folder: Path, bad: int, *, other: bool = True) -> tuple[int, int]:
    """The exit code, and how often a test ran that fails this many times."""
    seen = folder / "seen"
    (folder / "test_made.py").write_text(MADE.format(seen=str(seen), bad=bad, other=other))
    code = suite.main([str(folder), "-c", str(folder / "pytest.ini")], folder / "cache")
    return code, len(seen.read_text())


def test_what_passes_is_run_once(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_suite(folder, 0) == (0, 1)
    assert "3 passed" in capfd.readouterr().out


def test_a_test_that_passes_only_alone_is_reported(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "BESIDE", BESIDE)
    assert run_suite(folder, 1) == (0, 2)
    output = capfd.readouterr().out
    assert "1 failed, 2 passed" in output
    assert "1 passed" in output.split("once more, alone: ")[1]
    assert "passed alone, failed beside other tests" in output.splitlines()[-1]


def test_what_fails_alone_too_has_failed(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_suite(folder, 2) == (1, 2)
    assert "passed alone" not in capfd.readouterr().out


def test_one_that_fails_again_is_enough(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_suite(folder, 1, other=False) == (1, 2)
    lines = capfd.readouterr().out.splitlines()
    assert sum("passed alone" in line for line in lines) == 1


def test_many_failures_are_failures_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "MOST", 1)
    (folder / "test_more.py").write_text("def test_bad():\n    assert False\n")
    assert run_suite(folder, 1, other=False) == (1, 1)


def test_many_failures_of_one_file_are_run_once_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "MOST", 1)
    assert run_suite(folder, 1, other=False) == (1, 2)


def test_an_error_outside_tests_keeps_its_code(folder: Path) -> None:
    (folder / "test_made.py").write_text("def broken(:\n")
    assert suite.main([str(folder), "-c", str(folder / "pytest.ini")], folder / "cache") != 0


def test_workers_that_collect_different_tests_end_the_run(
    folder: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(suite, "BESIDE", BESIDE)
    (folder / "test_made.py").write_text(
        "import os, pytest\n"
        "@pytest.mark.parametrize('pid', [os.getpid()])\n"
        "def test_it(pid): pass\n"
    )
    code = suite.main([str(folder), "-c", str(folder / "pytest.ini")], folder / "cache")
    output = capfd.readouterr().out
    assert code == suite.TESTS_FAILED
    assert "Different tests were collected" in output
    assert "once more, alone" not in output
