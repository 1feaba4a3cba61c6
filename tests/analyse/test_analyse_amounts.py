"""Criteria on throughput and counters, against sums worked out another way."""

import numpy as np
import pytest
from history import Count, Slice
from hypothesis import given
from hypothesis import strategies as st

from headcount.analyse.amounts import worst
from headcount.analyse.each_second import Part
from headcount.analyse.judge import Context, judge
from headcount.analyse.window import Window
from headcount.bundle.level import CriterionResult
from headcount.plan.criteria import parse

NAME = "system.cpu.utilization"


def window(*seconds: Count) -> Window:
    slices = [Slice(float(at), at + 1.0, [count]) for at, count in enumerate(seconds)]
    return Window(slices, None)  # type: ignore[arg-type]


def judged(text: str, *seconds: Count) -> CriterionResult:
    return judge(parse(text), window(*seconds), ["work"])


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 9), st.integers(0, 9)), min_size=1))
def test_rate_bytes_and_the_share_sent_are_sums_over_the_level(
    seconds: list[tuple[int, int, int]],
) -> None:
    counts = [Count(completed=n, read_bytes=r, written_bytes=w) for n, r, w in seconds]
    number, read, written = np.sum(seconds, axis=0)
    assert judged("rate>=5/s", *counts).value == pytest.approx(number / len(seconds))
    assert judged("bytes>=5B/s", *counts).value == pytest.approx((read + written) / len(seconds))
    sent = judged("sent>=75%", *counts)
    if read + written:
        assert sent.value == pytest.approx(read / (read + written))
        assert sent.passed == (4 * read >= 3 * (read + written))
    else:
        assert (sent.value, sent.passed) == (None, False)


@given(
    st.lists(st.integers(0, 1000), min_size=1, max_size=60),
    st.integers(1, 70),
    st.booleans(),
)
def test_the_worst_stretch_is_the_least_or_largest_moving_mean(
    amounts: list[int], length: int, at_least: bool
) -> None:
    parts = [Part(1.0, float(amount), 1.0) for amount in amounts]
    found = worst(parts, float(length), at_least=at_least)
    means = np.convolve(amounts, np.ones(min(length, len(amounts))), "valid") / min(
        length, len(amounts)
    )
    assert found == pytest.approx(means.min() if at_least else means.max())


def test_a_slow_half_minute_breaks_a_stretch_and_not_the_level() -> None:
    counts = [Count(completed=100)] * 60 + [Count(completed=40)] * 30 + [Count(completed=100)] * 60
    whole = judged("rate>=80/s", *counts)
    assert whole.passed
    assert whole.sentence == "88/s completed; rate>=80/s is asked for"
    stretch = judged("rate>=80/s for 30s", *counts)
    assert not stretch.passed
    assert stretch.value == pytest.approx(40)
    assert stretch.sentence == ("40/s completed in the worst 30 s; rate>=80/s for 30s is asked for")


def test_a_limit_that_is_just_met_holds_unless_it_is_strict() -> None:
    assert judged("rate>=80/s", Count(completed=80)).passed
    assert not judged("rate>80/s", Count(completed=80)).passed


def cpu(text: str, *values: float | None) -> CriterionResult:
    counters = [{"sut": {} if value is None else {NAME: value}} for value in values]
    return judge(
        parse(text), window(*[Count()] * len(values)), ["work"], {}, Context(counters=counters)
    )


def test_a_counter_is_its_mean_or_that_of_its_worst_stretch() -> None:
    values = [0.5] * 40 + [0.9] * 20
    whole = cpu("sut:cpu<80%", *values)
    assert whole.passed
    assert whole.value == pytest.approx(np.mean(values))
    assert whole.unit == "share"
    assert whole.sentence == "CPU busy of the server's machine was 63.3%; sut:cpu<80% is asked for"
    assert cpu("sut:cpu<80% for 30s", *values).value == pytest.approx((10 * 0.5 + 20 * 0.9) / 30)
    assert not cpu("sut:cpu<80% for 10s", *values).passed
    assert cpu("sut:cpu<80%", None, 0.6).value == pytest.approx(0.6)


def test_a_criterion_on_an_unread_counter_is_unproven() -> None:
    found = cpu("sut:cpu<80%", None, None)
    assert found.unproven
    assert found.sentence == (
        "CPU busy of the server's machine was not read: sut:cpu<80% is unproven"
    )
