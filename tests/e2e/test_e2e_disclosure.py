"""A disclosure sheet and a price, from the command line to the report of a real run."""

import hashlib
from pathlib import Path

import pytest

from headcount.bundle import reader
from paper import check_row, laid_out, plain, row_of, text_of
from processes import Headcount

pytestmark = pytest.mark.e2e

LIGHT = Path(__file__).with_name("light.toml")
SHEET = """
[sut]
model = "PC Server <330>"

[tuning]
threads = 64
"""


def test_the_report_says_what_was_stated_and_what_was_recorded(tmp_path: Path) -> None:
    headcount = Headcount(tmp_path)
    sheet = tmp_path / "sheet.toml"
    sheet.write_text(SHEET, "utf-8")
    try:
        ended = headcount.run(
            *("run", str(LIGHT), "--target", "lab:app", "--users", "5", "--seed", "77"),
            *("--duration", "2s", "--ramp", "1s", "--settle", "1s", "--cost", "29581 USD"),
            *("--disclosure", str(sheet)),
        )
        assert ended.code in (0, 4), ended  # a busy machine may make a level invalid
        found = reader.load(headcount.bundles()[-1])
        paper = tmp_path / "report.pdf"
        made = headcount.run("report", str(found.folder), "--pdf", str(paper))
        assert (made.code, made.err) == (0, "")
    finally:
        headcount.close()
    page = (found.folder / "report.html").read_text("utf-8")
    _, _, part = page.partition("<h2>Disclosure</h2>")
    part, _, _ = part.partition("</section>")
    assert "PC Server &lt;330&gt;" in part
    # Drivers, destinations, pricing and auditor were not stated.
    assert part.count("not stated") == 4
    assert hashlib.sha256(LIGHT.read_bytes()).hexdigest() in part
    assert "<dt>Seed</dt><dd>77</dd>" in part
    assert "5 users: ramp " in part
    assert found.environment is not None
    (both,) = found.environment.sides
    for name, value in {**both.settings, **both.programs}.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in part
    assert "a system of 29,581.00 USD, as stated" in part
    assert found.verdict is not None
    assert found.verdict.price is not None
    if ended.code == 0:
        assert "Price: 5,916.20 USD per user" in ended.out
        assert float(found.verdict.price.each[0].value) == pytest.approx(29_581 / 5)
    laid = laid_out(paper.read_bytes())
    for level in found.levels:
        check_row(row_of(laid, level), level)
    text = text_of(paper.read_bytes())
    assert "PC Server <330> stated" in text
    assert "threads 64 stated" in text
    assert "a system of 29,581.00 USD, as stated" in text
    assert plain(found.verdict.sentence) in text
