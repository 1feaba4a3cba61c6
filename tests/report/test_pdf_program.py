"""`headcount report --pdf`: the file, the company's template, and what is refused."""

from pathlib import Path

import pytest
from report_bundle import bundle_of
from report_factory import content

from paper import check_row, laid_out, row_of
from processes import Headcount


@pytest.fixture
def bundle(headcount: Headcount) -> Path:
    headcount.home.mkdir(exist_ok=True)
    return bundle_of(content(), headcount.home / "run")


def test_a_report_is_written_where_it_is_wanted_and_nothing_else(
    headcount: Headcount, bundle: Path
) -> None:
    path = headcount.home / "report.pdf"
    ended = headcount.run("report", str(bundle), "--pdf", str(path))
    assert (ended.code, ended.out, ended.err) == (0, f"{path}\n", "")
    laid = laid_out(path.read_bytes())
    for level in content().levels:
        check_row(row_of(laid, level), level)
    assert not (bundle / "report.html").exists()
    again = headcount.home / "again.pdf"
    page = headcount.home / "page.html"
    wanted = ("--pdf", str(again), "--output", str(page))
    assert headcount.run("report", str(bundle), *wanted).code == 0
    assert again.read_bytes() == path.read_bytes()
    assert page.exists()


def test_a_template_that_is_wrong_leaves_no_report(headcount: Headcount, bundle: Path) -> None:
    brand = headcount.home / "brand.toml"
    brand.write_text('nam = "Example"\n')
    path = headcount.home / "report.pdf"
    asked = ("report", str(bundle), "--template", str(brand))
    ended = headcount.run(*asked, "--pdf", str(path))
    assert ended.code == 2
    assert 'nam: there is no such key; did you mean "name"?' in ended.err
    assert not path.exists()
    alone = headcount.run(*asked)
    assert alone.code == 2
    assert "give --pdf FILE as well" in alone.err
