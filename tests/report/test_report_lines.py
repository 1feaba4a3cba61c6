"""Where users are: the lines of a level, in all reports."""

import io
from dataclasses import replace

from report_factory import content, times
from report_page import read
from rich.console import Console

from headcount.bundle.level import LevelResult, LineResult
from headcount.report.content import ReportContent
from headcount.report.document.detail import tables
from headcount.report.terminal import summary

HEAD = ["Line", "Users", "Per second", "p50", "p95", "Errors", "Overload"]
TITLE = "Where users are"


def line(name: str, users: int, p50_ms: float, failed: int) -> LineResult:
    return LineResult(
        name=name,
        users=users,
        started=1000 + failed,
        completed=1000,
        failed=failed,
        overloaded=2 * failed,
        rate_per_s=20.0,
        response=times(p50_ms, 1000) if p50_ms else None,
    )


def with_lines(one: LevelResult) -> LevelResult:
    """Give a level two thirds of its users in a branch office, and some who got no answer."""
    found = [
        line("others", one.users // 3, 10.0, 0),
        line("branch", one.users - one.users // 3 - 1, 70.0, 250),
        line("ship", 1, 0.0, 0).model_copy(update={"completed": 0, "rate_per_s": 0.0}),
    ]
    return one.model_copy(update={"lines": found})


def content_with_lines() -> ReportContent:
    plain = content()
    return replace(plain, levels=[with_lines(level) for level in plain.levels])


def printed(of: ReportContent, width: int = 120) -> str:
    file = io.StringIO()
    summary(of.verdict, of.levels, Console(file=file, width=width), of.environment)
    return file.getvalue()


def test_without_lines_there_is_no_section_on_them() -> None:
    plain = content()
    assert not any(one.startswith(TITLE) for one in read(plain).headings)
    assert TITLE not in printed(plain)
    assert not any(one.caption.startswith(TITLE) for one in tables(plain))


def test_the_page_has_each_line_at_the_capacity() -> None:
    page = read(content_with_lines())
    assert f"{TITLE}, at 918 users (passed)" in page.headings
    assert page.row("Line") == HEAD
    assert page.row("others")[1:4] == ["306", "20.0", "10.0 ms"]
    assert page.row("others")[5:] == ["0%", "0%"]
    # 250 of 1,250 failed, and as many more were slow.
    assert page.row("branch")[:4] == ["branch", "611", "20.0", "70.0 ms"]
    assert page.row("branch")[5:] == ["20.0%", "40.0%"]


def test_a_line_without_an_answer_has_dashes() -> None:
    row = read(content_with_lines()).row("ship")
    assert row[1:3] == ["1", "0"]
    assert set(row[3:]) == {"\N{EN DASH}"}


def test_the_summary_and_the_document_have_the_same_figures() -> None:
    page = read(content_with_lines())
    text = printed(content_with_lines())
    assert f"{TITLE}, at 918 users:" in text
    (table,) = (one for one in tables(content_with_lines()) if one.caption.startswith(TITLE))
    assert [column.heading for column in table.columns] == HEAD
    for name, row in zip(("others", "branch", "ship"), table.rows, strict=True):
        expected = page.row(name)
        assert [cell.text for cell in row.cells] == expected
        own = next(one for one in text.splitlines() if one.startswith(f"{name} "))
        assert own.split("  ", 1)[1].split() == " ".join(expected[1:]).split()
