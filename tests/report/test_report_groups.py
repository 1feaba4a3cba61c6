"""Throughput and mean response times of groups of scenarios, level by level."""

import io
from dataclasses import replace
from fractions import Fraction

import pytest
from report_cases import grouped, saturated
from report_factory import content, verdict
from report_page import read
from rich.console import Console

from headcount.bundle.level import LevelResult
from headcount.report.groups import figures, sent_share, stress_point
from headcount.report.terminal import summary

TITLE = "Throughput and mean response times"


def moving(read_bytes_per_s: float, written_bytes_per_s: float) -> LevelResult:
    plain = grouped().levels[0]
    moved = {
        "read_bytes_per_s": read_bytes_per_s,
        "written_bytes_per_s": written_bytes_per_s,
    }
    total = plain.total.model_copy(update=moved)
    return plain.model_copy(update={"total": total, "achieved_per_s": 12.5})


def cells(*levels: LevelResult) -> list[dict[str, str]]:
    """What is written for each level, by the heading."""
    found = figures(levels)
    return [{each.heading: each.cell(level) for each in found} for level in levels]


def test_a_workload_without_groups_has_no_such_figures() -> None:
    assert figures(content().levels) == []
    assert TITLE not in read(content()).headings


def test_each_figure_of_a_level() -> None:
    (row,) = cells(moving(30e6, 10e6))
    assert row == {
        "Reported": "300",
        "Scenarios/s": "12.5",
        "MB/s": "40.0",
        "From the server": "75.0%",
        "Ratio": "3.00:1",
        "Mean files-64k": "1.50 ms",
        "Mean files-1m": "3.00 ms",
    }


def test_failures_alone_have_no_mean() -> None:
    plain = moving(30e6, 10e6)
    first, *others = plain.groups
    refused = first.model_copy(update={"completed": 0, "failed": 40, "mean_ms": 0.3})
    (row,) = cells(plain.model_copy(update={"groups": [refused, *others]}))
    assert row["Mean files-64k"] == "\N{EN DASH}"
    assert row["Mean files-1m"] == "3.00 ms"


@pytest.mark.parametrize(("sent", "got"), [(4, 1), (3, 1), (1, 3), (7, 5)])
def test_the_servers_share_is_that_of_the_bytes_it_sent(sent: int, got: int) -> None:
    level = moving(sent * 1e6, got * 1e6)
    share = sent_share(level.total)
    assert share is not None
    assert Fraction(share).limit_denominator(100) == Fraction(sent, sent + got)


def test_traffic_in_one_direction_or_none_has_no_ratio() -> None:
    nothing, one_way = moving(0, 0), moving(5e6, 0)
    assert sent_share(nothing.total) is None
    assert "MB/s" not in cells(nothing)[0]
    dash, sent = cells(nothing, one_way)
    assert dash["From the server"] == dash["Ratio"] == sent["Ratio"] == "\N{EN DASH}"
    assert sent["From the server"] == "100%"


def test_levels_of_older_bundles_have_dashes() -> None:
    old = moving(1, 1).model_copy(update={"users_reported": None, "groups": []})
    row = cells(old, moving(1, 1))[0]
    assert row["Reported"] == row["Mean files-64k"] == "\N{EN DASH}"


def test_each_level_has_a_row_with_the_number_of_users_who_reported() -> None:
    page = read(grouped())
    assert TITLE in page.headings
    start = next(index for index, row in enumerate(page.rows) if "Mean files-64k" in row)
    rows = page.rows[start + 1 : start + 5]
    assert [row[0] for row in rows] == ["300", "900", "1,000", "1,200"]
    assert [row[2] for row in rows] == ["300", "900", "1,000", "1,193"]
    assert [row[-1] for row in rows] == ["3.00 ms", "6.00 ms", "9.00 ms", "12.0 ms"]
    assert "Stress point: 1,000 users by scenarios/s; every larger level" in "".join(page.texts)


def test_the_terminal_has_the_same_figures() -> None:
    file = io.StringIO()
    made = grouped()
    summary(made.verdict, made.levels, Console(file=file, width=120), made.environment)
    text = file.getvalue()
    (row,) = [line.split() for line in text.splitlines() if " 1,193 " in line]
    assert row[0] == "1,200"
    assert row[-4:] == ["6.00", "ms", "12.0", "ms"]
    assert "Stress point: 1,000 users by scenarios/s" in text


def test_the_stress_point_or_its_absence_is_stated() -> None:
    assert stress_point(verdict()) is None  # a search has other things to say
    sentence = stress_point(saturated().verdict)
    assert sentence == (
        "Stress point: not reached; no larger level had measurably less throughput than the best."
    )
    both = saturated().verdict.plateaus
    both = [each.model_copy(update={"stress_users": 600 + i}) for i, each in enumerate(both)]
    verdict_of_both = saturated().verdict.model_copy(update={"plateaus": both})
    assert stress_point(verdict_of_both) == (
        "Stress point: 600 users by scenarios/s, 601 users by bytes/s; every larger level had "
        "measurably less throughput."
    )
    few = verdict_of_both.model_copy(update={"plateaus": []})
    assert stress_point(few) == "Stress point: not known; it takes three levels of at least 5 s."
    empty = replace(grouped(), levels=[])
    assert TITLE not in read(empty).headings
