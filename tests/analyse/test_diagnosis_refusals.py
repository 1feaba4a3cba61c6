"""Refusals: above a rate, above a number, and errors that only many users get."""

from collections.abc import Sequence

import pytest
from diagnosis_levels import QUIET
from diagnosis_levels import level as made_level
from test_failures_ranking import fault

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult

TOO_MANY = 'GET /: status 429 Too Many Requests instead of 200; body: "slow down"'
BUSY = "GET /: status 503 Service Temporarily Unavailable instead of 200"
MAIL = "sending: MAIL: 450 4.7.1 Error: too much mail from 127.0.0.1"
REFUSED = "connection refused"
NGINX = (
    "GET /: status 500 Internal Server Error instead of 200; body: "
    '"500 Internal Server Error 500 Internal Server Error nginx/1.22.1"'
)
NO_CONNECTION = 'GET /: status 502 Bad Gateway instead of 200; body: "Too many connections"'
BROKEN = "GET /: status 500 Internal Server Error instead of 200"


def played(
    index: int, users: int, per_s: float, service_s: float, message: str = "", failed: float = 0.0
) -> LevelResult:
    """A level at which so many scenarios a second are served, and so many fail at once."""
    found = made_level(index, users, per_s, service_s, 0.02, QUIET)
    number = round(failed * 30)
    total = found.total.model_copy(
        update={
            "failed": number,
            "overloaded": number,
            "due": found.total.completed + number,
            "service": found.total.service if per_s else None,
        }
    )
    return found.model_copy(
        update={
            "outcome": "failed" if number else "passed",
            "faults": [fault("refused", (message, number))] if number else [],
            "total": total,
            "users_reported": users if per_s else 0,
        }
    )


def diagnosed(levels: Sequence[LevelResult]) -> Diagnosis:
    found = of_levels(levels)
    assert found is not None
    return found


@pytest.mark.parametrize("message", [TOO_MANY, MAIL])
def test_a_rate_limit_that_counts_what_it_refuses_lets_nobody_in(message: str) -> None:
    levels = [
        played(1, 2, 77.0, 0.0067),
        played(2, 16, 0.0, 0.0, message, 770.0),
        played(3, 64, 0.0, 0.0, message, 3200.0),
    ]
    found = diagnosed(levels)
    assert (found.limit, found.detail, found.size) == ("refusal", "rate", None)
    assert "A rate limit, which refuses what exceeds it: 100% of scenarios" in found.sentence
    assert found.confidence_word == "high"
    assert [one.id for one in found.advice] == ["refusal-rate"]


def test_a_server_that_has_died_refuses_nobody() -> None:
    levels = [
        played(1, 2, 77.0, 0.0067),
        played(2, 16, 0.0, 0.0, REFUSED, 770.0),
        played(3, 64, 0.0, 0.0, REFUSED, 3200.0),
    ]
    assert diagnosed(levels).limit != "refusal"


def test_as_much_at_all_levels_is_a_rate_although_nobody_says_so() -> None:
    levels = [
        played(1, 2, 104.0, 0.0003),
        played(2, 16, 120.0, 0.0002, BUSY, 660.0),
        played(3, 64, 120.3, 0.0002, BUSY, 3050.0),
    ]
    found = diagnosed(levels)
    assert (found.limit, found.detail, found.size_unit) == ("refusal", "rate", "{scenario}/s")
    assert found.size == pytest.approx(120, abs=1)
    assert "refuses more than about 120 scenarios/s" in found.sentence
    assert not any("MaxRequestWorkers" in one.sentence for one in found.advice)


def test_as_many_at_a_time_are_places_and_no_rate() -> None:
    """Four places of 60 ms: they are busy all the time."""
    levels = [
        played(1, 2, 25.0, 0.06),
        played(2, 16, 66.6, 0.06, BUSY, 300.0),
        played(3, 64, 66.6, 0.06, BUSY, 2000.0),
    ]
    found = diagnosed(levels)
    assert (found.limit, found.detail, found.size_unit) == ("refusal", None, "{scenario}")
    assert found.size == pytest.approx(66.6 * 0.06)
    assert "serves about 4 scenarios at a time" in found.sentence
    assert [one.id for one in found.advice] == ["http-unavailable"]


@pytest.mark.parametrize(
    ("message", "advice"), [(NGINX, "http-nginx"), (NO_CONNECTION, "http-database")]
)
def test_errors_for_lack_of_a_place_that_only_many_users_get_are_refusals(
    message: str, advice: str
) -> None:
    levels = [
        played(1, 2, 24.0, 0.062),
        played(2, 16, 195.0, 0.062),
        played(3, 64, 352.0, 0.0615, message, 1030.0),
    ]
    found = diagnosed(levels)
    assert (found.limit, found.size_unit) == ("refusal", "{scenario}")
    assert found.size == pytest.approx(352 * 0.0615)
    assert [one.id for one in found.advice] == [advice]


@pytest.mark.parametrize("message", [NGINX, NO_CONNECTION])
def test_the_same_errors_at_any_load_are_errors(message: str) -> None:
    levels = [
        played(1, 2, 24.0, 0.062, message, 40.0),
        played(2, 16, 195.0, 0.062, message, 330.0),
    ]
    assert diagnosed(levels).limit == "errors"


def test_an_application_that_fails_under_load_is_broken() -> None:
    levels = [played(1, 2, 24.0, 0.062), played(2, 64, 352.0, 0.062, BROKEN, 1030.0)]
    assert (diagnosed(levels).limit, diagnosed(levels).detail) == ("errors", "application")


def test_refusals_that_break_a_criterion_first_are_the_limit() -> None:
    """With more users, they fill the CPU: who is refused comes back at once."""
    full = {"system.cpu.utilization": 0.99, "process.cpu.utilization": 3.9}
    levels = [
        played(1, 2, 25.0, 0.061),
        played(2, 16, 143.0, 0.086, NO_CONNECTION, 9.0),
        played(3, 64, 47.0, 0.330, NO_CONNECTION, 196.0),
    ]
    last = levels[-1]
    busy = {
        name: found.model_copy(update={"mean": full.get(name, found.mean)})
        for name, found in last.counters["sut"].items()
    }
    levels[-1] = last.model_copy(update={"counters": {**last.counters, "sut": busy}})
    found = diagnosed(levels)
    assert found.limit == "refusal"
    assert found.size == pytest.approx(143 * 0.086)
    # Where the first level that broke was only slow, the CPU is.
    levels[1] = played(2, 16, 143.0, 0.086)
    assert diagnosed(levels).limit == "cpu"


def test_a_rate_that_two_users_exceed_is_one_all_the_same() -> None:
    levels = [
        played(1, 2, 63.0, 0.0003, BUSY, 41.0),
        played(2, 16, 64.0, 0.0002, BUSY, 710.0),
        played(3, 64, 64.0, 0.0002, BUSY, 3100.0),
    ]
    found = diagnosed(levels)
    assert (found.limit, found.detail) == ("refusal", "rate")
    assert found.size == pytest.approx(64, abs=1)
