"""Malicious logs: columns that are almost empty, and errors that are not the log's."""

from collections.abc import Callable
from pathlib import Path

import pytest

from headcount.counters import columns
from headcount.counters.columns import Builder
from headcount.counters.log import perfmon, read
from headcount.counters.log.perfmon.header import read_header
from headcount.counters.log.perfmon.rows import read_rows
from headcount.counters.log.stack import Stack
from headcount.errors import InputError

NAMES = [f"\\\\H\\Process(p{number})\\% Processor Time" for number in range(50)]
HEADER = ",".join(['"(PDH-CSV 4.0) (UTC)(0)"', *(f'"{name}"' for name in NAMES)])


def csv(path: Path, cells: int, rows: int) -> Path:
    """A Perfmon log whose rows have this many cells after their time."""
    lines = [
        ",".join([f'"01/01/2026 00:{row // 60:02}:{row % 60:02}.000"', *['"1"'] * cells])
        for row in range(rows)
    ]
    path.write_text("\n".join([HEADER, *lines, ""]), "utf-8")
    return path


@pytest.fixture(autouse=True)
def few_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower how many cells may be empty in any log, which is tens of millions otherwise."""
    monkeypatch.setattr(columns, "_MANY_CELLS", 2_000)


def test_rows_of_perfmon_that_are_almost_empty_are_refused(tmp_path: Path) -> None:
    path = csv(tmp_path / "log.csv", cells=0, rows=100)
    with pytest.raises(InputError, match=r"log.csv is damaged \(\d+ values in 51 columns and \d+ "):
        read(path)


@pytest.mark.parametrize(("cells", "rows"), [(0, 30), (2, 100), (50, 100)])
def test_short_rows_of_perfmon_are_read_if_few_or_full_enough(
    tmp_path: Path, cells: int, rows: int
) -> None:
    path = csv(tmp_path / "log.csv", cells, rows)
    found = read_rows(path, read_header(path), range(50))
    assert len(found.times_s) == rows
    assert bool(found.notes) == (cells < len(NAMES))


def builder() -> None:
    table = Builder()
    for row in range(1_000):
        table.add(float(row), (f"counter {row}",), [1.0])
    table.unordered()


def stack() -> None:
    table: Stack[str] = Stack()
    for row in range(1_000):
        table.begin([float(row)])
        table.put(slice(None), {f"counter {row}": 1.0})


@pytest.mark.parametrize("make", [builder, stack])
def test_rows_that_each_have_another_column_are_refused(make: Callable[[], None]) -> None:
    with pytest.raises(ValueError, match="almost all are empty"):
        make()


def test_a_number_that_stands_for_many_rows_fills_them_all() -> None:
    table: Stack[str] = Stack()
    table.begin([float(row) for row in range(1_000)])
    for column in range(10):
        table.put(slice(None), {f"counter {column}": 1.0})
    assert len(table.columns()[1]) == 10


@pytest.mark.parametrize("error", [NameError("x"), AssertionError("x"), ImportError("x")])
def test_bugs_in_headcount_are_not_reported_as_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(_: Path) -> None:
        raise error

    monkeypatch.setattr(perfmon, "read", fails)
    with pytest.raises(type(error)):
        read(csv(tmp_path / "log.csv", 1, 1))


@pytest.mark.parametrize("error", [IndexError("x"), OverflowError("x"), RecursionError("x")])
def test_errors_caused_by_values_are_reported_as_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fails(_: Path) -> None:
        raise error

    monkeypatch.setattr(perfmon, "read", fails)
    with pytest.raises(InputError, match=rf"log.csv is damaged \({type(error).__name__}: x\)"):
        read(csv(tmp_path / "log.csv", 1, 1))
