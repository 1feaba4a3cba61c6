"""The summary in the terminal: what it says, and that it fits every console."""

import io
import re
from dataclasses import replace

import pytest
from report_cases import Case, cases, hostile, nothing_completed, on_one_machine
from report_factory import content, level, verdict
from rich.console import Console

from headcount.report.chart.scale import from_zero
from headcount.report.chart.tick import rate_tick
from headcount.report.terminal import summary
from headcount.report.terminal.glyphs import ASCII, BLOCKS
from headcount.report.terminal.plot import HEIGHT_ROWS, Plot, draw
from headcount.text import unbroken

EVERY_CASE = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


def printed(case: Case, width: int = 80, encoding: str = "utf-8", **options: bool) -> str:
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding=encoding, write_through=True)
    console = Console(file=file, width=width, **options)
    summary(case.content.verdict, case.content.levels, console, case.content.environment)
    return raw.getvalue().decode(encoding)


@EVERY_CASE
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("width", [30, 60, 80, 96, 120, 140, 200])
def test_the_summary_fits_every_console(case: Case, width: int, encoding: str) -> None:
    text = printed(case, width, encoding)
    assert max(len(line) for line in text.splitlines()) <= width
    assert case.content.verdict.sentence[:10] in text


def test_the_answer_comes_first() -> None:
    lines = printed(Case("usual", content()), 120).splitlines()
    assert lines[0] == "files01 holds 918 users of home folders with p95 under 1 s."
    assert lines[1].startswith("95% confidence interval 918 to 957 users; estimate 939")
    assert lines[2].startswith("What broke first: At 950 users")
    assert lines[3].startswith("Doubt: The load generator ran on the same machine")
    assert lines[-1] == "13 levels, 1,204,551 operations, 55 min 15 s"


def test_saturation_points_follow_the_answer() -> None:
    case = next(case for case in cases() if case.name == "saturated")
    text = printed(case, 120)
    assert "Scenarios/s: Throughput flattened out at 1,000 users." in text
    assert text.index("Bytes/s: Throughput was still rising") < text.index("Doubt: ")


def test_every_level_has_its_row_and_an_invalid_one_its_reason() -> None:
    lines = printed(Case("usual", content()), 120).splitlines()
    rows = [line.split() for line in lines]
    found = [row for row in rows if len(row) > 2 and row[2] in ("passed", "failed", "invalid")]
    users = sorted(one.users for one in content().levels)
    assert [row[0] for row in found] == [f"{number:,}" for number in users]
    assert "Level 8, 900 users, invalid: The load generator was the limit" in "\n".join(lines)


def test_a_narrow_console_names_the_rows_of_every_part() -> None:
    lines = printed(Case("usual", content()), 30).splitlines()
    heads = [line.split() for line in lines if line.startswith("Users ")]
    assert len(heads) > 3
    assert {"Outcome", "p95", "CPU"} <= {name for head in heads for name in head}


def row_of(text: str, users: str) -> dict[str, str]:
    """Return the row of the table that begins with some users, by its headings."""
    lines = text.splitlines()
    header = next(line for line in lines if line.startswith("Users"))
    row = next(line for line in lines if line.startswith(f"{users} ") or f" {users} " in line[:8])
    names = re.split(r" {2,}", header.strip())
    return dict(zip(names, re.split(r" {2,}", row.strip()), strict=True))


def test_a_wide_console_has_the_resources_too() -> None:
    # 918 / 1010 of the factory's 58.4 MB/s of disk and 82 of network, or 82.5 over the loopback.
    row = row_of(printed(Case("usual", content()), 160), "918")
    assert (row["Overload"], row["Errors"], row["Errors %"]) == ("4.1%", "3", "0.01%")
    assert (row["CPU"], row["Memory"]) == ("76.3%", "13.4 GiB")
    assert (row["Disk MB/s"], row["Net MB/s"]) == ("53.1", "74.5")
    here = row_of(printed(Case("here", on_one_machine()), 160), "918")
    assert (here["Disk MB/s"], here["Net MB/s"]) == ("53.1", "75.0")


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_no_column_is_left_out(width: int) -> None:
    usual = next(case for case in cases() if case.name == "search")
    heads = [line for line in printed(usual, width).splitlines() if line.startswith("Users ")]
    shown = " ".join(heads)
    for heading in (
        *("Purpose", "Outcome", "Offered/s", "Done/s", "p50", "p95", "p99", "Overload", "Errors"),
        *("Errors %", "CPU", "Memory", "Disk MB/s", "Net MB/s", "Steady"),
    ):
        assert heading in shown
    assert len(heads) == 1 or width < 200


def test_columns_without_figures_take_no_room() -> None:
    header = next(
        line
        for line in printed(Case("nothing", nothing_completed()), 200).splitlines()
        if line.startswith("Users")
    )
    assert "Memory" not in header
    assert "MB/s" not in header


def test_without_the_environment_the_network_is_left_out() -> None:
    file = io.StringIO()
    usual = content()
    summary(usual.verdict, usual.levels, Console(file=file, width=200))
    row = row_of(file.getvalue(), "918")
    assert row["Disk MB/s"] == "53.1"
    assert "Net MB/s" not in row


def test_only_a_terminal_gets_colours() -> None:
    case = Case("usual", content())
    assert "\x1b" not in printed(case)
    assert "\x1b[" in printed(case, force_terminal=True)


def test_text_of_a_server_is_neither_command_nor_style() -> None:
    text = printed(Case("hostile", hostile()))
    assert "\x1b" not in text
    assert "\u202e" not in text
    bracketed = verdict().model_copy(update={"sentence": "[bold]Not a style[/bold] [/]"})
    brackets = Case("brackets", replace(content(), verdict=bracketed))
    assert "[bold]Not a style[/bold] [/]" in printed(brackets)


def test_block_characters_only_where_they_can_be_shown() -> None:
    case = Case("usual", content())
    assert "\N{FULL BLOCK}" in printed(case)
    plain = printed(case, encoding="ascii")
    assert "#####" in plain
    assert "^" in plain


def plot(values: list[tuple[int, float]], capacity: int | None = None) -> Plot:
    return Plot("Rate", values, from_zero, rate_tick, 100, capacity)


def test_the_area_grows_with_the_values() -> None:
    lines = draw(plot([(10, 10.0), (100, 100.0)]), 66, ASCII)
    rows = [line.partition("|")[2] for line in lines[1 : 1 + HEIGHT_ROWS]]
    heights = [sum(row[column : column + 1] == "#" for row in rows) for column in range(60)]
    assert heights == sorted(heights)
    # 0 to 120 on the axis: the largest value takes 100 / 120 of the height.
    assert max(heights) == round(HEIGHT_ROWS * 100 / 120)
    assert heights[0] == 0  # nothing is drawn below the first level


def test_a_small_value_is_drawn_and_zero_is_not() -> None:
    lines = draw(plot([(20, 0.001), (60, 100.0), (100, 0.0)]), 66, BLOCKS)
    bottom = lines[HEIGHT_ROWS].partition(BLOCKS.upright)[2]
    assert bottom.strip()[0] == BLOCKS.fills[1]
    assert len(bottom) == 60  # of 61 columns; in the last nothing was completed
    assert draw(plot([]), 60, BLOCKS) == []


@pytest.mark.parametrize("capacity", [1, 30, 80, 99, 100])
def test_the_capacity_is_pointed_at(capacity: int) -> None:
    lines = draw(plot([(1, 1.0), (100, 100.0)], capacity), 60, ASCII)
    assert "^" in lines[-1]
    assert str(capacity) in lines[-1]
    assert "100 users" in lines[-1]


def test_one_level_is_a_table_without_a_chart() -> None:
    one = Case("one", content())
    raw = io.StringIO()
    summary(one.content.verdict, [level(1, 918)], Console(file=raw, width=80))
    assert "Scenarios per second" not in raw.getvalue()
    assert "951 ms" in raw.getvalue()


def test_a_number_stays_with_its_unit() -> None:
    assert unbroken("under 1 s at 918 users") == "under 1\xa0s at 918\xa0users"
    assert unbroken("in 3 steps") == "in 3 steps"
