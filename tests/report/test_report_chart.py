"""Scales, ticks and lines of the charts."""

import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from chart_reading import middles
from hypothesis import assume, given
from hypothesis import strategies as st
from report_factory import content, level, verdict

from headcount.report.chart.band import capacity_band
from headcount.report.chart.dots import dots
from headcount.report.chart.label import APART_PX, spread
from headcount.report.chart.line import NEAR_PX, through_levels, through_time
from headcount.report.chart.panel import Panel
from headcount.report.chart.scale import Linear, Log, for_times, from_zero
from headcount.report.chart.tick import percent_tick, rate_tick, time_tick
from headcount.report.html import render

POSITIVE = st.floats(min_value=1e-3, max_value=1e7)
PANEL = Panel(50, 10, 550, 210, Linear(0, 1000, 50, 550), Linear(0, 100, 210, 10))


def first_digit(value: float) -> float:
    """Return the first digit of a number that should have one alone."""
    return round(value / 10.0 ** math.floor(math.log10(value) + 1e-9), 6)


@given(st.lists(POSITIVE, min_size=1), st.integers(2, 12))
def test_ticks_of_a_linear_scale_are_round_and_evenly_spaced(values, most) -> None:
    scale = from_zero(values, 0, 400)
    assert scale.high >= max(values)
    assert scale.high <= 1.5 * max(values)
    ticks = scale.ticks(most)
    assert 2 <= len(ticks) <= most + 1
    assert ticks[0] == 0
    assert first_digit(ticks[1]) in (1, 2, 5)
    assert all(tick == pytest.approx(n * ticks[1]) for n, tick in enumerate(ticks))


@given(st.lists(POSITIVE, min_size=2), st.integers(2, 12))
def test_ticks_of_a_scale_of_times_are_round_and_not_too_many(values, most) -> None:
    scale = for_times(values, 0, 400)
    assume(isinstance(scale, Log))
    ticks = scale.ticks(most)
    assert 1 <= len(ticks) <= most + 1
    assert all(first_digit(tick) in (1, 2, 3, 5) for tick in ticks)
    assert all(scale.low * 0.999 <= tick <= scale.high * 1.001 for tick in ticks)
    assert scale.low < min(values)
    assert scale.high > max(values)


def test_a_share_never_goes_beyond_the_whole() -> None:
    assert from_zero([0.1, 1.0], 0, 100, most=1).high == 1
    assert from_zero([0.1, 0.97], 0, 100, most=1).high == 1
    assert from_zero([0.1, 0.02], 0, 100, most=1).high == pytest.approx(0.12)


def test_overload_is_drawn_where_its_axis_says_and_below_the_throughput() -> None:
    levels = [
        one.model_copy(update={"total": one.total.model_copy(update={"overload": overload})})
        for one, overload in ((level(1, 100), 0.0), (level(2, 200), 0.2))
    ]
    page = render(replace(content(), levels=levels))
    wide = page[page.index('class="wide"') :]
    marks = {}
    for style in ("throughput", "overload", "cpu"):
        found = re.search(rf'<path d="([^"]*)" class="dot(?: square)? {style}"', wide)
        assert found is not None
        marks[style] = middles(found[1])
    places = [[x for x, _ in marks[style]] for style in marks]
    assert places[0] == places[1] == places[2]
    labelled = re.search(r'y="([\d.]+)" class="end">20%<', wide)
    assert labelled is not None
    # A label stands 4 px below its line, so that it is level with it.
    assert float(marks["overload"][1][1]) == pytest.approx(float(labelled[1]) - 4, abs=0.11)


def test_times_are_on_a_logarithmic_scale_when_they_span_more_than_fifty_times() -> None:
    assert isinstance(for_times([10, None, 500], 0, 1), Linear)
    assert isinstance(for_times([10, 501], 0, 1), Log)
    assert isinstance(for_times([0, 10], 0, 1), Linear)
    assert isinstance(for_times([], 0, 1), Linear)
    assert isinstance(for_times([None, None], 0, 1), Linear)


@given(POSITIVE, POSITIVE)
def test_a_larger_value_is_never_placed_lower(one, other) -> None:
    for scale in (Linear(0, 5e6, 400, 0), Log(1e-2, 1e6, 400, 0)):
        low, high = sorted((one, other))
        assert 400 >= scale.at(low) >= scale.at(high) >= 0


def test_places_on_the_scales() -> None:
    assert Linear(0, 10, 100, 200).at(2.5) == 125
    assert Log(1, 10_000, 0, 400).at(100) == pytest.approx(200)
    assert Log(1, 10_000, 0, 400).at(0) == 0


def test_ticks_are_written_without_needless_zeros() -> None:
    assert [time_tick(value) for value in (0, 0.01, 0.5, 1, 1500, 20_000)] == [
        "0",
        "10 µs",
        "500 µs",
        "1 ms",
        "1.5 s",
        "20 s",
    ]
    assert [rate_tick(value) for value in (0, 0.5, 20, 1500)] == ["0", "0.5", "20", "1,500"]
    assert percent_tick(0.5) == "50%"


@given(st.lists(st.floats(0, 300), max_size=8))
def test_names_of_lines_never_touch_and_stay_in_order(wanted) -> None:
    places = spread(sorted(wanted), 0, 300)
    assert all(b - a >= APART_PX - 1e-6 for a, b in pairwise(places))
    assert all(y <= 300 for y in places)


def points(path: str | None) -> list[tuple[float, float]]:
    assert path is not None
    data = re.search(r' d="([^"]*)"', path)
    assert data is not None
    return [(float(x), float(y)) for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", data[1])]


def test_a_line_goes_through_the_medians_of_levels_close_together() -> None:
    near = 1000 * NEAR_PX / 500 * 0.4
    path = through_levels(
        PANEL, [(900, 10), (100, 50), (100 + near, 70), (100 + 2 * near, 30), (500, None)], "x"
    )
    middle = PANEL.x.at(100 + near)
    assert points(path) == [pytest.approx((middle, 110), abs=0.06), (500, 190)]


def test_one_level_has_a_dot_and_no_line() -> None:
    assert through_levels(PANEL, [(500, 50)], "x") is None
    assert 'd="M300 110h0"' in dots(PANEL, [(500, 50, "passed")], "x")


def test_a_series_is_broken_where_nothing_was_measured() -> None:
    path = through_time(PANEL, [(0, 0), (100, 50), (200, None), (300, 50), (400, None)], "x")
    assert path is not None
    assert path.count("M") == 2
    assert len(points(path)) == 3
    assert through_time(PANEL, [(0, None)], "x") is None


def test_marks_of_passed_failed_and_invalid_differ_in_shape() -> None:
    drawn = dots(
        PANEL, [(1, 1, "passed"), (2, 2, "failed"), (3, 3, "invalid"), (4, None, "passed")], "x"
    )
    assert drawn.count("h0") == 3  # two dots, one of them with a hole
    assert drawn.count('class="hole"') == 1
    assert drawn.count("l8 8m0-8l-8 8") == 1


def test_the_capacity_stands_where_its_users_do() -> None:
    capacity = verdict().capacity
    assert capacity is not None
    drawn = capacity_band([PANEL], capacity, short=False)
    assert drawn is not None
    assert 'x="509.2"' in drawn  # 50 + 500 * 0.9184
    assert 'width="19.3"' in drawn  # 500 * (0.957 - 0.9184)
    assert "M509.0 6.0V210.0" in drawn  # 50 + 500 * 0.918
    assert "capacity 918 users (95% interval 918 to 957)" in drawn


def test_without_an_upper_bound_the_band_runs_to_the_edge() -> None:
    capacity = verdict().capacity
    assert capacity is not None
    drawn = capacity_band([PANEL], capacity.model_copy(update={"high": None}), short=False)
    assert drawn is not None
    assert 'width="40.8"' in drawn
    assert capacity_band([PANEL], None, short=False) is None
    unbroken = capacity.model_copy(update={"at_least": True, "high": None})
    drawn = capacity_band([PANEL], unbroken, short=True)
    assert drawn is not None
    assert "at least 918 users" in drawn
    assert "<rect" not in drawn
