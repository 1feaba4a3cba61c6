"""Steps at every level of a ladder, in the page and in the terminal, each figure recomputed."""

import io
from dataclasses import replace
from itertools import takewhile

from report_cases import saturated
from report_factory import content, level
from report_page import read
from rich.console import Console

from headcount.bundle.level import LevelResult
from headcount.report.content import ReportContent
from headcount.report.course import course
from headcount.report.terminal import summary
from headcount.text import duration


def ladder() -> ReportContent:
    """Two levels of 100 s with connections, the larger first."""
    plain = saturated()
    levels = [level(1, 900, steady_s=100.0), level(2, 300, steady_s=100.0)]
    counted = [one.model_copy(update={"requests": {"CONNECT": one.users * 10}}) for one in levels]
    return replace(plain, levels=counted)


def rows(made: ReportContent) -> list[list[str]]:
    page = read(made)
    start = next(i for i, row in enumerate(page.rows) if "Connections /s" in row)
    return list(takewhile(lambda row: len(row) == 8, page.rows[start:]))


def by_users(made: ReportContent, users: int) -> LevelResult:
    return next(one for one in made.levels if one.users == users)


def test_each_level_with_its_bytes_connections_and_times() -> None:
    made = ladder()
    found = rows(made)
    assert found[0] == [
        *("Users", "Scenarios /s", "Moved", "Connections /s", "open", "read", "write", "close")
    ]
    assert [row[0] for row in found[1:]] == ["300", "900"]
    for row in found[1:]:
        one = by_users(made, int(row[0]))
        moved = (one.total.read_bytes_per_s + one.total.written_bytes_per_s) / 1e6
        assert float(row[2].removesuffix(" MB/s")) == float(f"{moved:.3g}")
        assert float(row[3]) == one.users * 10 / 100
        for cell, step in zip(row[4:], one.steps, strict=True):
            assert step.service is not None
            assert cell == duration(step.service.mean_ms) + duration(step.service.p95_ms)


def test_only_ladders_of_few_steps_have_the_section() -> None:
    assert course(content().verdict, content().levels) is None
    assert "Steps at every level" not in read(content()).headings
    made = ladder()
    step = made.levels[0].steps[0]
    many = [step.model_copy(update={"name": f"s{n}"}) for n in range(7)]
    busy = [one.model_copy(update={"steps": many}) for one in made.levels]
    assert course(made.verdict, busy) is None
    none = [one.model_copy(update={"steps": []}) for one in made.levels]
    assert course(made.verdict, none) is None
    assert course(made.verdict, []) is None


def test_uncounted_figures_have_no_column() -> None:
    plain = replace(ladder(), levels=[level(1, 300), level(2, 900)])
    columns = course(plain.verdict, plain.levels)
    assert columns is not None
    assert not columns.connections
    page = read(plain)
    assert "Steps at every level" in page.headings
    assert not any("Connections /s" in row for row in page.rows)


def printed(made: ReportContent, width: int) -> list[str]:
    file = io.StringIO()
    console = Console(file=file, width=width)
    summary(made.verdict, made.levels, console, made.environment)
    return file.getvalue().splitlines()


def test_the_terminal_shows_the_mean_times() -> None:
    made = ladder()
    lines = printed(made, 120)
    start = lines.index("Mean time of each step:")
    assert lines[start + 1].split() == ["Users", "MB/s", "Conn/s", "open", "read", "write", "close"]
    row = next(line for line in lines[start:] if line.split()[:1] == ["300"])
    one = by_users(made, 300)
    times = [duration(step.service.mean_ms) for step in one.steps if step.service]
    assert row.split()[2] == "30.0"
    assert row.endswith("   ".join(times)) or all(text in row for text in times)
    narrow = printed(made, 34)
    start = narrow.index("Mean time of each step:")
    heads = [line.split() for line in narrow[start:] if line.split()[:1] == ["Users"]]
    assert len(heads) > 1
    assert {name for head in heads for name in head} >= {"open", "read", "write", "close"}
