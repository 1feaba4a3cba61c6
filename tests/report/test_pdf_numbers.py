"""The numbers of the PDF are those of the run, and those of the page."""

import math
import re
from pathlib import Path

import pytest
from report_bundle import bundle_of
from report_cases import Case, cases
from report_factory import content
from report_page import Page

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from headcount.report.document.build import of_bundle, of_content
from headcount.report.html import render
from headcount.report.pdf.render import pdf
from headcount.text import duration, share, significant
from paper import check_row, laid_out, plain, row_of, text_of

WITH_LEVELS = [case for case in cases() if case.name not in ("hostile", "no levels")]


@pytest.mark.parametrize("case", WITH_LEVELS, ids=lambda case: case.name)
def test_every_level_has_its_measured_figures(case: Case) -> None:
    text = laid_out(pdf(of_content(case.content)))
    for level in case.content.levels:
        check_row(row_of(text, level), level)


def test_the_capacity_and_its_interval_are_those_of_the_run() -> None:
    text = text_of(pdf(of_content(content())))
    found = content().verdict.capacity
    assert found is not None
    assert found.low is not None
    assert found.high is not None
    match = re.search(
        r"95% confidence interval ([\d,]+) to ([\d,]+) users; estimate ([\d,]+)", text
    )
    assert match is not None
    low, high, likely = (int(number.replace(",", "")) for number in match.groups())
    assert (low, high) == (math.floor(found.low), math.ceil(found.high))
    assert likely == round(found.estimate or 0)
    assert f" {found.users:,} users files01 holds" in text  # the headline, then the sentence


def test_each_criterion_has_its_measured_value_and_limit() -> None:
    text = text_of(pdf(of_content(content())))
    level = next(one for one in content().levels if one.purpose == "official")
    for one in level.criteria:
        assert one.value is not None
        write = duration if one.unit == "ms" else share
        held = "yes" if one.passed else "no"
        row = rf"{re.escape(one.criterion)} {write(one.value)} {write(one.limit)} . {held}"
        assert re.search(row, text), row


def cells(level: LevelResult) -> list[str]:
    times = level.total.response
    assert times is not None
    return [duration(value) for value in (times.p50_ms, times.p95_ms, times.p99_ms)]


def test_the_page_and_the_pdf_agree() -> None:
    """The same figures, written the same way, in the table of levels of both."""
    run = content()
    page = plain(" ".join(" | ".join(row) for row in Page(render(run)).rows))
    paper = pdf(of_content(run))
    text, laid = text_of(paper), laid_out(paper)
    for level in run.levels:
        row = row_of(laid, level)
        assert [row["p50"], row["p95"], row["p99"]] == cells(level)
        assert all(cell in page for cell in cells(level))
        assert row["rate"] == significant(level.achieved_per_s)
    for sentence in (run.verdict.sentence, run.verdict.broke_first):
        assert sentence is not None
        assert plain(sentence) in text


def test_a_bundle_without_its_seconds_has_a_report(tmp_path: Path) -> None:
    found = reader.load(bundle_of(content(), tmp_path / "run"))
    assert found.seconds == []
    text = laid_out(pdf(of_bundle(found)))
    for level in found.levels:
        check_row(row_of(text, level), level)
    assert "Percentile spectrum" not in text
