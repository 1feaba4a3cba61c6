"""Published results as lines: what is printed, in Headcount's units, and labelled as published."""

from headcount.analyse.published.library import documents
from headcount.analyse.published.rows import rows
from headcount.analyse.published.series import CALLED, series
from headcount.workloads import names


def test_the_percentiles_of_loadsim_are_the_printed_ones_in_ms() -> None:
    lines = series("p95_ms", workload="mail-heavy")
    assert [line.points for line in lines] == [
        ((500.0, 470.0), (1000.0, 613.0), (2000.0, 1200.0)),
        ((500.0, 334.0), (1000.0, 513.0), (2000.0, 900.0)),
        ((500.0, 258.0), (1000.0, 323.0), (2000.0, 700.0)),
    ]


def test_the_servers_of_home_folders_hold_as_many_users_as_printed() -> None:
    lines = series("capacity", workload="home-folders")
    assert [line.points[0][1] for line in lines] == [9500, 6500, 4500, 23000, 16500, 7500]
    assert {line.unit for line in lines} == {"users"}
    throughput = series("bytes_per_s", source="fsct-2010")
    assert throughput[0].points == ((9500.0, 260e6),)
    assert len(throughput) == 5  # of one server none is printed


def test_every_line_says_that_it_is_published_and_on_other_hardware() -> None:
    for line in series():
        assert "published" in line.label
        assert "different hardware" in line.label
        assert "published" in line.short
        assert line.hardware
        assert line.place
        assert line.unit == CALLED[line.figure]


def test_a_row_that_repeats_another_table_is_told_once() -> None:
    marks = series("marks_per_min", workload="notes-mail")
    of_325 = [line for line in marks if "PC Server 325" in line.label]
    assert [line.points for line in of_325] == [((1795.0, 2356.0),)]  # not the mistyped 2,917
    assert len(marks) == 12


def test_each_figure_and_workload_that_is_named_exists() -> None:
    for row in rows():
        assert row.called is None or row.called in CALLED
        assert set(row.workloads) <= {*names(), "sort"}
    assert len({found.id for found in documents()}) == 5
