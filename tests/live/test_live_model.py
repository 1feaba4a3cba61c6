"""What is known while counters are watched, against values worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_feeds import BUSY, USED, monitor, readings

from headcount.counters.value_text import unit_name, value
from headcount.errors import InputError
from headcount.live import alert, scale
from headcount.live.figures import figures
from headcount.live.history import History
from headcount.live.line import Line
from headcount.live.monitor import STANDARD
from headcount.live.reading import Back, Lost, Reading


def test_a_ring_keeps_the_latest_in_order() -> None:
    history = History(3)
    for number in range(5):
        history.add(float(number), {"a": float(number)}, joined=True)
    trace = history.trace("a")
    assert trace.at_s.tolist() == trace.values.tolist() == [2.0, 3.0, 4.0]
    assert (history.earliest_s, history.latest_s) == (2.0, 4.0)


def test_a_counter_that_a_sample_lacks_is_missing_not_zero() -> None:
    history = History(4)
    history.add(0.0, {"a": 1.0}, joined=False)
    history.add(1.0, {"b": 5.0}, joined=True)
    assert math.isnan(history.trace("a").values[1])
    assert math.isnan(history.trace("b").values[0])
    assert np.isnan(history.trace("never").values).all()


def test_a_reused_slot_keeps_none_of_its_old_values() -> None:
    history = History(2)
    for number, values in enumerate([{"a": 1.0}, {"a": 2.0}, {}, {}]):
        history.add(float(number), values, joined=True)
    assert np.isnan(history.trace("a").values).all()


def test_a_sample_older_than_the_last_is_ignored() -> None:
    history = History(4)
    history.add(5.0, {"a": 1.0}, joined=False)
    history.add(4.0, {"a": 2.0}, joined=True)
    assert history.trace("a").values.tolist() == [1.0]


def test_a_clock_set_back_by_an_hour_does_not_stop_the_chart() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.95}, {BUSY: 0.96}, {BUSY: 0.97}]))
    for at_s, busy in ((-3600.0, 0.98), (-3599.0, 0.1)):
        watched.take(Reading("s", at_s, {BUSY: busy}))
    trace = watched.sources["s"].history.trace(BUSY)
    assert trace.at_s.tolist() == [-3600.0, -3599.0]
    assert trace.values.tolist() == [0.98, 0.1]
    assert watched.span_s() == (-3600.0, -3599.0)
    assert watched.latest(Line("s", BUSY)) == 0.1


def test_an_alert_lasts_no_negative_time_after_the_clock_was_set_back() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.95}]), alerts=("CPU busy>90%",))
    watched.take(Reading("s", -3600.0, {BUSY: 0.1}))
    assert [event.lasted_s for event in watched.events] == [None, 0.0]


def test_the_mean_is_weighted_by_the_time_that_samples_cover() -> None:
    history = History(8)
    # 1 s at 0 (the first: as much as the middle one), 1 s at 10, 3 s at 20: 70 over 5 s.
    for at_s, number in [(0.0, 0.0), (1.0, 10.0), (4.0, 20.0), (5.0, 0.0)]:
        history.add(at_s, {"a": number}, joined=at_s > 0)
    found = figures(history.trace("a"))
    assert found is not None
    assert found.mean == pytest.approx(70 / 6)
    assert (found.minimum, found.maximum, found.last, found.samples) == (0.0, 20.0, 0.0, 4)


def test_a_gap_weighs_nothing() -> None:
    history = History(8)
    for at_s, number, joined in [(0.0, 1.0, False), (1.0, 1.0, True), (100.0, 4.0, False)]:
        history.add(at_s, {"a": number}, joined=joined)
    found = figures(history.trace("a"))
    assert found is not None
    assert found.mean == pytest.approx(2.0)


def test_without_values_there_are_no_figures() -> None:
    assert figures(History(4).trace("a")) is None


@given(st.floats(1e-12, 1e14))
def test_the_largest_value_stays_on_the_axis_and_uses_a_tenth_of_it(largest: float) -> None:
    power = scale.fitting_power(largest, "By")
    shown = largest * 10.0**power
    assert shown <= scale.AXIS * (1 + 1e-6)
    assert shown >= scale.AXIS / 10 * (1 - 1e-6) or power == scale.HIGHEST


@given(st.floats(0.0, 1.0))
def test_a_share_is_shown_in_percent(share: float) -> None:
    assert scale.fitting_power(share, "1") == scale.PERCENT


@pytest.mark.parametrize(
    ("text", "counter", "side", "level"),
    [
        ("system.cpu.utilization>0.9", BUSY, "over", 0.9),
        ("CPU busy > 90%", "CPU busy", "over", 0.9),
        (f"{USED} < 1e9", USED, "under", 1e9),
        ("a<-1.5", "a", "under", -1.5),
    ],
)
def test_conditions_are_read(text: str, counter: str, side: str, level: float) -> None:
    condition = alert.parse(text)
    assert (condition.counter, condition.side, condition.level) == (counter, side, level)


@pytest.mark.parametrize("text", ["", "cpu", ">3", "a>", "a>b", "a>1.2.3", "a=3"])
def test_a_malformed_condition_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="the alert"):
        alert.parse(text)


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("CPU busy>90", "share, 0 to 1; write 90%"),
        ("system.disk.utilization{system.device=sda}>90", "write 90%"),
        ("Memory available<10%", "is bytes; write a number without %"),
    ],
)
def test_an_alert_in_another_unit_is_refused(text: str, instead: str) -> None:
    with pytest.raises(InputError, match=instead):
        alert.parse(text)


@pytest.mark.parametrize("text", ["Busiest process>4", "unheard.of>90", "system.*>90", "b>9%"])
def test_an_alert_that_something_may_meet_is_read(text: str) -> None:
    assert alert.parse(text).text == text


def test_an_alert_is_reported_when_it_begins_and_when_it_ends() -> None:
    news = readings("s", [{BUSY: one} for one in (0.5, 0.95, 0.99, 0.9, 0.2, 0.91)])
    watched = monitor(*news, alerts=("CPU busy>90%",))
    alerts = [(event.at_s, event.state, event.lasted_s) for event in watched.events]
    assert alerts == [(1.0, "raised", None), (3.0, "ended", 2.0), (5.0, "raised", None)]


def test_a_sample_without_the_counter_neither_raises_nor_ends_an_alert() -> None:
    news = readings("s", [{BUSY: 0.95}, {}, {BUSY: 0.95}])
    assert len(monitor(*news, alerts=("CPU busy>90%",)).events) == 1


@pytest.mark.parametrize("pattern", ["System.CPU.utilization", "cpu BUSY", "system.cpu.util*"])
def test_patterns_match_names_and_labels_in_any_case(pattern: str) -> None:
    assert alert.matches(pattern, BUSY)


def test_brackets_in_a_pattern_are_literal() -> None:
    assert alert.matches("a[b]", "a[b]")
    assert not alert.matches("a[b]", "ab")


def test_the_usual_counters_are_shown_where_a_source_has_them_in_their_order() -> None:
    first = {"system.memory.utilization": 0.5, "other": 1.0}
    watched = monitor(*readings("s", [first, {**first, BUSY: 0.1}]))
    assert [line.name for line in watched.lines] == [BUSY, "system.memory.utilization"]
    assert set(STANDARD) >= {line.name for line in watched.lines}


def test_a_removed_line_comes_back_only_when_it_is_added() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.1}]))
    (line,) = watched.lines
    watched.remove(line)
    watched.take(Reading("s", 9.0, {BUSY: 0.2, "new": 1.0}))
    assert watched.lines == []
    watched.add("s", BUSY)
    assert watched.lines[0].key == ("s", BUSY)
    assert watched.add("s", BUSY) is watched.lines[0]


def test_unmatched_patterns_are_known_after_two_samples() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.1}]), wanted=("nonsense", "cpu busy"))
    assert watched.unmatched_patterns() == []
    watched.take(Reading("s", 1.0, {BUSY: 0.1}))
    assert watched.unmatched_patterns() == ["nonsense"]


def test_a_source_that_was_lost_has_a_gap_and_no_latest_value() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.1}, {BUSY: 0.2}]))
    watched.take(Lost("s", 1.5, "gone"))
    assert watched.latest(Line("s", BUSY)) is None
    watched.take(Back("s", 3.0))
    watched.take(Reading("s", 3.0, {BUSY: 0.3}))
    assert watched.latest(Line("s", BUSY)) == 0.3
    assert watched.sources["s"].history.trace(BUSY).joined.tolist() == [False, True, False]


def test_a_late_sample_is_joined_and_a_missing_one_is_not() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.1}]))
    for at_s in (2.4, 5.0):
        watched.take(Reading("s", at_s, {BUSY: 0.1}))
    assert watched.sources["s"].history.trace(BUSY).joined.tolist() == [False, True, False]


def test_the_mean_cost_of_a_reading_is_known() -> None:
    watched = monitor(*readings("s", [{BUSY: 0.1}] * 4))
    assert watched.sources["s"].cost_each_ms == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("number", "unit", "text"),
    [
        (0.5, "1", "50.0%"),
        (1.5e6, "By/s", "1.43 MiB/s"),
        (250.0, "{fault}/s", "250/s"),
        (7.0, "{process}", "7"),
        (0.25, "s", "250 ms"),
        (None, "s", "\N{EN DASH}"),
        (3.0, None, "3"),
    ],
)
def test_values_are_written_with_their_unit(
    number: float | None, unit: str | None, text: str
) -> None:
    assert value(number, unit) == text


def test_units_are_named() -> None:
    assert [unit_name(one) for one in ("1", "{process}", "{fault}/s", "ms", None)] == [
        "share, 0 to 1",
        "processes",
        "faults/s",
        "ms",
        "",
    ]
