"""The HTML report: what it shows, in which order, and that nothing in it can act."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from report_cases import (
    HOSTILE,
    Case,
    cases,
    hostile,
    many_levels,
    nothing_completed,
    on_one_machine,
)
from report_factory import content, level, timeline
from report_page import Page, read

from headcount.bundle.level import CounterSummary
from headcount.report.content import ReportContent
from headcount.report.document.used import resources_table
from headcount.report.figures.response import limits
from headcount.report.figures.timeline import Point, downsample
from headcount.report.html import render, script
from headcount.report.html.counters import in_unit
from headcount.report.html.environment import LINES_SHOWN, flattened, summary

INERT = {
    *("html", "head", "title", "style", "meta", "link", "body", "main", "footer", "header"),
    *("section", "div", "p", "h1", "h2", "h3", "h4", "b", "code", "pre", "span", "small", "time"),
    *("a", "ul", "li", "dl", "dt", "dd", "details", "summary", "figure", "figcaption"),
    *("table", "thead", "tbody", "tr", "th", "td", "svg", "g", "path", "rect", "text", "desc"),
}
"""Elements a page may hold; none of them runs or loads anything."""

DASH = "\N{EN DASH}"
EVERY_CASE = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


@EVERY_CASE
def test_every_page_is_well_formed_inert_and_small(case: Case) -> None:
    page = render(case.content)
    assert page.startswith("<!doctype html>\n<html")
    assert len(page.encode("utf-8")) < 310_000
    parsed = Page(page)
    assert parsed.tags <= INERT | {"script"}
    assert parsed.scripts in ([], [script.text()])
    for name, value in parsed.attributes:
        assert not name.startswith("on")
        assert name not in ("src", "srcset", "style", "action")
        if name == "href":
            assert value is not None
            assert value.startswith(("https://", "data:,"))


@EVERY_CASE
def test_the_same_content_gives_the_same_page(case: Case) -> None:
    assert render(case.content) == render(case.content)


@EVERY_CASE
def test_no_python_literals_are_in_the_text(case: Case) -> None:
    text = " ".join(Page(render(case.content)).texts)
    for word in ("None", "nan", " inf", "True", "False", "e+0"):
        assert word not in text


def test_hostile_text_is_shown_and_not_obeyed() -> None:
    page = render(hostile())
    assert page.count("<script") == 1
    assert "<img" not in page
    shown = Page(page)
    assert shown.scripts == [script.text()]
    safe = HOSTILE.replace("\x1b", "\N{REPLACEMENT CHARACTER}").replace(
        "\u202e", "\N{REPLACEMENT CHARACTER}"
    )
    assert sum(text.count(safe) for text in shown.texts) > 60
    linked = [value for name, value in shown.attributes if name == "href"]
    assert not any("javascript" in (value or "") for value in linked)


def test_sections_come_in_the_order_a_reader_needs_them() -> None:
    assert read(content()).headings == [
        "Throughput, CPU and overload against users",
        "Response time against users",
        "Use of each resource against throughput",
        "Resources at capacity",
        "Every level",
        "Scenarios and steps at 918 users (passed)",
        "What went over the wire at 918 users (passed)",
        "Bytes sent and received by the server",
        "Faults",
        "The level at 918 users, second by second",
        "The workload",
        "Environment",
        "Disclosure",
        "How to repeat it",
        "How to read this",
    ]


def test_the_answer_comes_first_with_its_interval() -> None:
    page = " ".join(read(content()).texts).replace("\N{NO-BREAK SPACE}", " ")
    marks = [
        "918 users",
        "95% confidence interval 918 to 957",
        "estimate 939",
        "Throughput",
        "Response time p95",
        "The load generator ran on the same machine",
        "files01 holds 918 users of home folders with p95 under 1 s.",
        "95% confidence interval 918 to 957 users; estimate 939; limited by p95<=1s",
        "confirmed by a level at 918 users",
        "What broke first:",
        "Throughput, CPU and overload against users",
    ]
    places = [page.index(mark) for mark in marks]
    assert places == sorted(places)


def test_an_interval_that_is_too_narrow_says_so() -> None:
    made = content()

    def page_text(made: ReportContent) -> str:
        return " ".join(read(made).texts).replace("\N{NO-BREAK SPACE}", " ")

    assert "or wider" not in page_text(made)
    doubted = [
        each.model_copy(
            update={"total": each.total.model_copy(update={"p95_interval_unreliable": True})}
        )
        for each in made.levels
    ]
    page = page_text(replace(made, levels=doubted))
    assert page.count(" or wider") == len(doubted) + 1  # in the table, and beside the answer
    assert "or wider: the level is too short for bursts of slow responses" in page


def test_resources_at_capacity_beside_those_of_the_last_failure() -> None:
    page = read(content())
    assert page.row("Counter") == ["Counter", "918 users, passed", "928 users, failed"]
    assert page.row("CPU") == ["CPU", "76.3%", "77.2%"]
    disk = page.row("Disk")
    assert disk[1] == "53.1 MB/sread 37.3 MB/s, written 15.8 MB/s"
    assert page.row("Memory")[1] == "41.9%13.4 GiB"
    assert page.row("Network")[1] == "74.5 MB/sreceived 17.3 MB/s, sent 57.3 MB/s"
    assert "4 workers, busiest 19.0% of a core" in page.row("Load generator CPU")[1]


def test_the_delay_line_is_shown_where_there_is_one() -> None:
    made = content()
    assert "Delay line CPU" not in " ".join(read(made).texts)
    means = {"process.cpu.utilization": 0.284, "line.packets": 9208.0, "line.lateness": 0.031}
    figures = {k: CounterSummary(mean=v, max=v, p95=v, samples=30) for k, v in means.items()}
    levels = [
        one.model_copy(update={"counters": {**one.counters, "line": figures}})
        for one in made.levels
    ]
    page = read(replace(made, levels=levels))
    cells = page.row("Delay line CPU")
    assert cells[1] == cells[2] == "0.284 cores9,208 packets/s, 31.0 µs late on average"
    table = resources_table(replace(made, levels=levels))
    assert table
    last = table.rows[-1].cells
    assert [last[0].text, last[1].text] == ["Delay line CPU", "0.284 cores"]
    # With lines of groups of users, it is the sum of all; those without a packet are not late.
    idle = {**figures, "line.packets": figures["line.packets"].model_copy(update={"mean": 0.0})}
    levels = [
        one.model_copy(update={"counters": {**one.counters, "line-a": idle, "line-b": figures}})
        for one in levels
    ]
    cells = read(replace(made, levels=levels)).row("Delay line CPU")
    assert cells[1] == "0.852 cores18,416 packets/s, 31.0 µs late on average"


def test_missing_counters_are_dashes() -> None:
    page = read(nothing_completed())
    for name in ("CPU", "Busiest CPU", "Memory", "Disk", "Network"):
        assert page.row(name)[1] == DASH


def test_a_sum_with_a_missing_part_is_unknown() -> None:
    plain = level(1, 900)
    sut = {k: v for k, v in plain.counters["sut"].items() if "direction=write" not in k}
    lone = plain.model_copy(update={"counters": {"sut": sut}})
    page = read(replace(content(), levels=[lone]))
    assert page.row("Disk")[1].startswith(f"{DASH}read 36.5 MB/s, written {DASH}")


def test_on_one_machine_the_network_is_the_loopback() -> None:
    page = read(on_one_machine())
    assert page.row("Network")[1] == "75.0 MB/s"
    assert page.row("918")[11] == "75.0"
    assert "what passed the loopback (lo), each byte counted once" in " ".join(page.texts)


HEADINGS = [
    *("Users", "Outcome", "Overload", "Scenarios /s", "Errors", "p50", "p95", "p99"),
    *("CPU", "Memory", "Disk MB/s", "Network MB/s", "Little's law", "Steady"),
]


def test_every_level_has_its_row() -> None:
    page = read(content())
    rows = [row for row in page.rows if len(row) == len(HEADINGS)]
    assert rows.pop(0) == HEADINGS
    users = sorted(one.users for one in content().levels)
    assert [row[0] for row in rows] == [f"{number:,}" for number in users]
    # By the formulas of the factory: 918 / 1010 of 84% CPU, 58.4 MB/s of disk and 82 of network;
    # 31% and as much of 12% of 32 GiB; 3 failed of 51,304.
    assert page.row("918") == [
        *("918", "passed13: official", "4.1%", "171", "30.01%", "307 ms"),
        *("951 ms894\xa0ms to 1.02\xa0s", "1.66 s"),
        *("76.3%", "13.4 GiB41.9%", "53.1", "74.5", "0.31%", "yes5 min"),
    ]


def test_scenarios_due_are_shown_if_more_than_completed() -> None:
    page = read(content())
    assert page.row("800")[3] == "152"
    assert page.row("928")[3] == "171of 182 due"


def test_the_share_of_errors_is_of_all_that_ended() -> None:
    plain = level(1, 900)
    total = plain.total.model_copy(update={"completed": 150, "failed": 50, "due": 1000})
    page = read(replace(content(), levels=[plain.model_copy(update={"total": total})]))
    assert page.row("900")[4] == "5025.0%"
    none = plain.total.model_copy(update={"failed": 0})
    page = read(replace(content(), levels=[plain.model_copy(update={"total": none})]))
    assert page.row("900")[4] == "0"


def test_levels_without_samples_have_no_columns_of_resources() -> None:
    page = read(nothing_completed())
    assert page.row("Users") == [*HEADINGS[:8], *HEADINGS[12:]]
    assert "no counters were sampled" in " ".join(page.texts)


def test_an_invalid_level_is_marked_with_its_reason() -> None:
    page = render(content())
    assert '<tr class="invalid">' in page
    reason = "<b>Invalid: </b>The load generator was the limit"
    assert page.index('<tr class="invalid">') < page.index(reason)


def test_an_unsteady_level_says_why() -> None:
    case = next(case for case in cases() if case.name == "score")
    page = read(case.content)
    assert any(row[-1] == "no" for row in page.rows if len(row) == len(HEADINGS))
    assert ["Note: Throughput was still rising."] in page.rows


def test_the_score_and_its_formula_are_shown() -> None:
    case = next(case for case in cases() if case.name == "score")
    text = " ".join(read(case.content).texts)
    assert "231" in text
    assert "sum of weights / sum of weights over rates" in text


def test_a_saturation_point_and_a_curve_without_one_are_reported() -> None:
    case = next(case for case in cases() if case.name == "saturated")
    page = read(case.content)
    text = " ".join(page.texts)
    assert "Scenarios/s: Throughput flattened out at 1,000\xa0users." in text
    assert "Bytes/s: Throughput was still rising at 1,200\xa0users." in text
    # In the wide drawing and the narrow.
    assert render(case.content).count(">saturation point 1,000 users<") == 2
    assert "Saturation, scenarios 1,000 users 172 scenarios/s there, more than 900" in text


def test_faults_of_all_levels_are_added_up() -> None:
    row = read(content()).row("read")
    steps = [row for row in read(content()).rows if row[0] == "read"]
    assert len(row) == 10
    assert steps[-1][:4] == ["read", "timeout", "18", "928 to 1,200 users (6 levels)"]
    assert "no answer within 30 s" in steps[-1][4]
    none = replace(content(), levels=[level(1, 100)])
    assert "No faults at any level." in " ".join(read(none).texts)


def test_the_limit_of_every_criterion_of_time_is_drawn_once() -> None:
    assert limits(content()) == [("p95<=1s", 1000.0)]
    assert render(content()).count(">limit p95&lt;=1s<") == 2  # the wide drawing and the narrow


def test_a_long_series_is_thinned_and_keeps_its_spikes() -> None:
    series = timeline(3600)
    short = downsample(series, 300)
    assert len(short) == 300
    assert max(p.p95_ms or 0 for p in short) == max(p.p95_ms or 0 for p in series)
    mean = sum(p.achieved_per_s for p in series) / len(series)
    assert sum(p.achieved_per_s for p in short) / len(short) == pytest.approx(mean)
    gap = [Point(0, 1, 0.0, None, None), Point(1, 1, 2.0, None, None)]
    assert downsample(gap, 1) == [Point(0, 1, 1.0, None, None)]
    assert downsample(series[:9], 300) == series[:9]


def test_a_chosen_level_names_the_timeline() -> None:
    chosen = replace(content(), timeline_level=5)
    assert "The level at 800 users, second by second" in read(chosen).headings
    unknown = replace(content(), timeline_level=99)
    assert not any("second by second" in heading for heading in read(unknown).headings)


def test_results_are_not_called_a_score_of_the_original() -> None:
    text = " ".join(read(content()).texts)
    disclaimer = (
        "Re-creates Microsoft's File Server Capacity Tool (FSCT), HomeFolders; no result is a score"
    )
    assert f"{disclaimer} of the original." in text


def test_a_custom_workload_has_no_original() -> None:
    own = replace(content(), recreates=None, deviations=[], sources=[], description="")
    text = " ".join(read(own).texts)
    assert "Re-creates" not in text
    assert "original benchmark" not in text.partition("How to read this")[0]


def test_a_shrunk_data_set_is_a_doubt_beside_the_answer() -> None:
    page = " ".join(read(on_one_machine()).texts)
    doubt = page.index("the data set was scaled to 2.0% of the original")
    assert page.index("2 doubts") < doubt < page.index("Throughput, CPU and overload")
    assert "The data set was scaled to 2.0% of the original." in page[page.index("The workload") :]
    assert "data set was scaled" not in " ".join(read(content()).texts)


def test_a_large_page_stays_small() -> None:
    assert len(render(many_levels()).encode()) < 310_000
    # Everything but the levels and the seconds: what a report weighs before it holds anything.
    assert len(render(content()).encode()) < 200_000


def test_the_description_of_a_huge_machine_is_cut() -> None:
    lines = flattened({"disks": [{"name": f"sd{n}"} for n in range(LINES_SHOWN + 7)]})
    assert len(lines) == LINES_SHOWN + 1
    assert lines[-1] == ("and more", "7 lines")


def test_a_machine_may_have_a_single_cpu() -> None:
    texts = dict(summary({"cpu": {"model": "Xeon", "logical": 1}}))
    assert texts["Processor"] == "Xeon, 1 logical CPU"


@pytest.mark.parametrize(
    ("value", "unit", "written"),
    [
        (0.5, "1", "50.0%"),
        (2e6, "By/s", "2.00 MB/s"),
        (1024**3, "By", "1.00 GiB"),
        (3.0, "{operation}/s", "3.00 operation/s"),
        (12.0, "ms", "12.0 ms"),
        (12.0, None, "12.0"),
        (None, "1", DASH),
    ],
)
def test_counters_are_written_in_their_unit(value, unit, written) -> None:
    assert in_unit(value, unit) == written


ASSEMBLED: list[Callable[[ReportContent], ReportContent]] = [
    lambda made: replace(made, sources=[], deviations=[], criteria=[]),
    lambda made: replace(made, environment=made.environment.model_copy(update={"sides": []})),
    lambda made: replace(
        made,
        environment=made.environment.model_copy(
            update={"sides": [made.environment.sides[0].model_copy(update={"host": None})]}
        ),
    ),
]


@pytest.mark.parametrize("change", ASSEMBLED)
def test_unknown_facts_are_left_out(change) -> None:
    assert len(read(change(content())).headings) == 15
