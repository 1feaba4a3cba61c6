"""What went over the wire: the mix of the protocol's requests."""

from dataclasses import replace
from fractions import Fraction
from itertools import takewhile

import pytest
from report_factory import REQUESTS, content, level
from report_page import Page, read

from headcount.bundle.level import LevelResult, Levels
from headcount.report.html import wire

TITLE = "What went over the wire at 40 users (passed)"


def level_with(requests: dict[str, int], **total: float) -> LevelResult:
    """Return a level of 40 users and 200 s in which 990 scenarios were completed and 10 failed."""
    plain = level(1, 40, steady_s=200.0)
    counts = {"completed": 990, "failed": 10} | total
    changed = plain.total.model_copy(update=counts)
    return plain.model_copy(update={"requests": requests, "total": changed})


def shown(one: LevelResult) -> Page:
    return read(replace(content(), levels=[one]))


def rows(page: Page) -> list[list[str]]:
    start = page.rows.index(page.row("Request"))
    return list(takewhile(lambda row: len(row) == 6, page.rows[start:]))


def test_each_request_with_its_share_and_rates() -> None:
    one = level_with({"READ": 3000, "CREATE": 6000, "WRITE": 500, "CLOSE": 500})
    found = rows(shown(one))
    assert found[0] == [
        "Request",
        "Share",
        "Per scenario",
        "Per user and second",
        "Per second",
        "Count",
    ]
    # 10,000 requests, 1,000 scenarios, 200 s, 40 users; of equals the name decides.
    assert found[1:] == [
        ["CREATE", "60.0%", "6.00", "0.750", "30.0", "6,000"],
        ["READ", "30.0%", "3.00", "0.375", "15.0", "3,000"],
        ["CLOSE", "5.0%", "0.500", "0.0625", "2.50", "500"],
        ["WRITE", "5.0%", "0.500", "0.0625", "2.50", "500"],
        ["All together", "100%", "10.0", "1.25", "50.0", "10,000"],
    ]


def test_figures_against_exact_arithmetic() -> None:
    one = content().levels[-1]
    ended = one.total.completed + one.total.failed
    total = sum(one.requests.values())
    found = rows(read(content()))[1:]
    assert len(found) == len(REQUESTS) + 1
    for name, share, per_scenario, per_user_s, per_s, count in found:
        number = total if name == "All together" else one.requests[name]
        assert count == f"{number:,}"
        # Shares are written to a tenth or a hundredth of a percent, the rest to three digits.
        assert float(share.rstrip("%")) == pytest.approx(number * 100 / total, abs=0.051)
        for written, exact in (
            (per_scenario, Fraction(number, ended)),
            (per_s, number / Fraction(one.steady_s)),
            (per_user_s, number / Fraction(one.steady_s) / one.users),
        ):
            assert float(written.replace(",", "")) == pytest.approx(float(exact), rel=0.00501)
    assert sum(float(row[1].rstrip("%")) for row in found[:-1]) == pytest.approx(100, abs=0.5)


def test_bytes_read_and_written_are_shown_if_there_are_any() -> None:
    # 74 MB read and 46 MB written in 200 s: 120 kB a scenario, 15 kB a user and second.
    one = level_with({"READ": 1}, read_bytes_per_s=370e3, written_bytes_per_s=230e3)
    text = " ".join(shown(one).texts)
    assert "per scenario: of the 1,000 that ended in it." in text
    assert "74.0 kB read and 46.0 kB written per scenario; 15.0 kB per user and second." in text
    idle = level_with({"ECHO": 1}, read_bytes_per_s=0.0, written_bytes_per_s=0.0)
    assert "The data in them" not in " ".join(shown(idle).texts)


def test_one_kind_has_no_sum_and_none_has_no_section() -> None:
    lone = shown(level_with({"GET": 8}))
    assert TITLE in lone.headings
    assert [row[0] for row in rows(lone)] == ["Request", "GET"]
    for nothing in ({}, {"GET": 0}):
        assert wire.section(replace(content(), levels=[level_with(nothing)])) is None
    assert wire.section(replace(content(), levels=[])) is None


def test_without_scenarios_there_is_no_figure_for_each() -> None:
    found = rows(shown(level_with({"NEGOTIATE": 400}, completed=0, failed=0)))
    assert found[1] == ["NEGOTIATE", "100%", "\N{EN DASH}", "0.0500", "2.00", "400"]


def test_a_bundle_written_before_requests_were_counted_is_read() -> None:
    written = Levels(levels=[level(1, 40)]).model_dump(mode="json")
    del written["levels"][0]["requests"]
    assert Levels.model_validate(written).levels[0].requests == {}
