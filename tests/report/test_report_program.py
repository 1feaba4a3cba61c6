"""Reports of runs in which users played a program: its name, and a table of its operations."""

import io
import re
from dataclasses import replace

import pytest
from report_factory import content
from rich.console import Console

from headcount.report.html import render
from headcount.report.selection import shown
from headcount.report.terminal import summary
from headcount.text import count, duration

PROGRAM = "the load file /tmp/a <b>/load.txt (sha256 " + "0123456789abcdef" * 4 + ")"


def printed(width: int, encoding: str = "utf-8", program: str | None = PROGRAM) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = Console(file=file, width=width)
    case = content()
    summary(case.verdict, case.levels, console, case.environment, program)
    return raw.getvalue().decode(encoding)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize("width", [30, 60, 80, 140])
def test_the_summary_fits_every_console(width: int, encoding: str) -> None:
    assert max(len(line) for line in printed(width, encoding).splitlines()) <= width


def test_each_operation_has_its_count_and_times() -> None:
    level = shown(content().verdict, content().levels)
    assert level is not None
    text = printed(120)
    table = text[text.index("Operations at") :]
    for scenario in level.scenarios:
        assert scenario.response is not None
        row = next(line for line in table.splitlines() if line.startswith(scenario.name))
        assert re.split(r" {2,}", row.strip()) == [
            scenario.name,
            count(scenario.completed + scenario.failed),
            count(scenario.failed),
            duration(scenario.response.mean_ms),
            duration(scenario.response.p95_ms),
            duration(scenario.response.max_ms),
        ]
    total = level.total
    moved = (total.read_bytes_per_s + total.written_bytes_per_s) / 1e6
    match = re.search(r"Throughput ([\d.,]+) MB/s", text)
    assert match is not None
    assert float(match[1].replace(",", "")) == pytest.approx(moved, rel=0.01)


def test_without_a_program_there_is_no_table_of_operations() -> None:
    assert "Operations at" not in printed(120, program=None)


def test_the_page_says_which_program_was_played() -> None:
    page = re.sub(r"\s+", " ", render(replace(content(), program=PROGRAM)))
    assert "Every user plays the load file /tmp/a &lt;b&gt;/load.txt (sha256 0123" in page
    assert "Every user played" not in render(content())
