"""The counters of a delay line, beside rates worked out by hand."""

import pytest

from headcount.counters.catalogue import lookup
from headcount.counters.line import LineSource
from headcount.errors import SystemLimitError

FIRST = {
    "packets": 1000,
    "bytes": 800_000,
    "lost": 10,
    "reordered": 20,
    "dropped": 1,
    "refused": 2,
    "device_dropped": 0,
    "sent": 900,
    "late_ns": 90_000_000,
    "latest_ns": 500_000,
    "cpu_s": 1.0,
    "at_s": 100.0,
}
SECOND = {
    "packets": 5000,
    "bytes": 4_800_000,
    "lost": 50,
    "reordered": 30,
    "dropped": 3,
    "refused": 2,
    "device_dropped": 4,
    "sent": 4900,
    "late_ns": 490_000_000,
    "latest_ns": 2_000_000,
    "cpu_s": 1.5,
    "at_s": 102.0,
}


def test_rates_use_the_lines_own_clock() -> None:
    answers = iter([FIRST, None, SECOND])
    source = LineSource(lambda: next(answers))
    assert source.sample().values == {}
    assert source.sample().values == {}, "it did not answer in time"
    found = source.sample()
    assert found.at_s == 102.0
    assert found.values == {
        "line.packets": 2000.0,
        "line.io": 2_000_000.0,
        "line.lost": 20.0,
        "line.reordered": 5.0,
        "line.dropped": 3.0,
        "process.cpu.utilization": 0.25,
        "line.lateness": pytest.approx(0.1),
        "line.lateness.max": 2.0,
    }
    assert all(lookup(name) for name in found.values)


def test_nothing_is_late_where_nothing_was_sent() -> None:
    answers = iter([FIRST, {**FIRST, "at_s": 101.0}])
    source = LineSource(lambda: next(answers))
    source.sample()
    values = source.sample().values
    assert values["line.packets"] == 0
    assert not {"line.lateness", "line.lateness.max"} & values.keys()


def test_the_end_of_the_line_is_an_error() -> None:
    def ended() -> None:
        raise SystemLimitError("the delay line has ended")

    with pytest.raises(SystemLimitError, match="has ended"):
        LineSource(ended).sample()
