"""The page of audits lists the checks that are made."""

from pages import rows, sections, text

from headcount.analyse.audit.audit import CHECKS


def test_every_check_is_described_in_its_order() -> None:
    found = rows(sections(text("auditing.md"))["The checks"])[1:]
    assert [row[0].strip("`") for row in found] == list(CHECKS)
