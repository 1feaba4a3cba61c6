"""Errors are named before any resource, and only when they decide."""

import pytest
from diagnosis_levels import Server
from diagnosis_levels import level as made_level
from test_failures_ranking import FOUND, WAITED, fault, level

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.level import LevelResult

BROKEN = "GET /: status 500 Internal Server Error instead of 200"
FULL = "GET /: status 503 Service Unavailable instead of 200"


def diagnosed(*levels: LevelResult) -> tuple[str, str | None, list[str]]:
    found = of_levels(levels)
    assert found is not None
    return found.limit, found.detail, [one.id for one in found.advice]


@pytest.mark.parametrize(
    ("kind", "message", "detail", "advice"),
    [
        ("refused", FOUND, "request", "http-redirect"),
        ("refused", BROKEN, "application", "http-error"),
        ("refused", 'relation "a" does not exist (SQLSTATE 42P01)', "request", "sql-missing"),
        ("refused", "WRITE: STATUS_DISK_FULL (0xC000007F): full", "space", "smb-full"),
        ("connect", "the server's certificate is not trusted", "tls", "tls-certificate"),
        ("wrong-data", "3 bytes came instead of 700", "data", "wrong-data"),
        ("malformed", "not HTTP", "protocol", "malformed"),
    ],
)
def test_errors_that_load_does_not_cause_are_the_limit(
    kind: str, message: str, detail: str, advice: str
) -> None:
    levels = [level(1, 10, "failed", fault(kind, (message, 300)))]
    assert diagnosed(*levels) == ("errors", detail, [advice])
    found = of_levels(levels)
    assert found is not None
    assert found.confidence_word == "high"
    assert found.ruled_out == []
    assert found.not_observed == []
    assert found.next is None


def test_application_errors_under_load_only_are_the_limit() -> None:
    limit, detail, _ = diagnosed(
        level(1, 10, "passed"), level(2, 40, "failed", fault("refused", (BROKEN, 300)))
    )
    assert (limit, detail) == ("errors", "application")


@pytest.mark.parametrize("message", [FULL, "GET /: status 429 Too Many Requests instead of 200"])
def test_refusals_at_every_load_are_errors(message: str) -> None:
    levels = [
        level(1, 5, "failed", fault("refused", (message, 900))),
        level(2, 20, "failed", fault("refused", (message, 800))),
    ]
    assert diagnosed(*levels)[:2] == ("errors", "turned-away")


def test_refusals_only_under_load_are_a_limit() -> None:
    levels = [
        level(1, 5, "passed"),
        level(2, 20, "failed", fault("refused", (FULL, 800))),
        level(3, 40, "failed", fault("refused", (FULL, 1600))),
    ]
    limit, _, advice = diagnosed(*levels)
    assert limit == "refusal"
    assert advice == ["http-unavailable"]


def test_timeouts_of_an_overloaded_server_are_a_symptom() -> None:
    levels = [
        level(1, 5, "passed"),
        level(2, 20, "failed", fault("timeout", (WAITED, 800))),
    ]
    assert diagnosed(*levels)[0] != "errors"
    levels[0] = level(1, 5, "failed", fault("timeout", (WAITED, 700)))
    assert diagnosed(*levels)[0] != "errors", "five may be too many"


def test_a_few_errors_beside_slowness_do_not_decide() -> None:
    slow = level(2, 40, "failed", fault("refused", (BROKEN, 30)))
    total = slow.total.model_copy(update={"slow": 600, "overloaded": 630})
    slow = slow.model_copy(update={"total": total})
    assert diagnosed(level(1, 10, "passed"), slow)[0] != "errors"


def test_a_run_without_failures_has_no_errors() -> None:
    assert all(
        found.limit != "errors" for found in [of_levels(Server().levels())] if found is not None
    )


def test_users_who_are_never_served_count_as_refused() -> None:
    held = level(2, 64, "failed").model_copy(update={"users_unserved": 30, "users_reported": 34})
    limit, _, advice = diagnosed(level(1, 20, "passed"), held)
    assert limit == "refusal"
    assert advice == ["refusal-raise"]


def test_users_that_an_overloaded_server_starves_do_not_count_as_refused() -> None:
    slow = made_level(2, 1280, 250.0, 1.3, 1.0, {})
    slow = slow.model_copy(
        update={"outcome": "failed", "users_unserved": 316, "users_reported": 964}
    )
    found = of_levels([made_level(1, 20, 20.0, 0.012, 1.0, {}), slow])
    assert found is not None
    assert found.limit != "refusal"
    assert next(one for one in found.candidates if one.limit == "refusal").score == 0.0


def test_errors_of_all_users_at_the_smallest_level_are_not_caused_by_load() -> None:
    """With more users, some are turned away before they get the error that all others get."""
    strange = "sending: 599 a reply that no rule knows"
    levels = [
        level(1, 2, "failed", fault("refused", (strange, 3000))),
        level(2, 64, "failed", fault("refused", (FULL, 2000), (strange, 1000))),
    ]
    assert diagnosed(*levels)[:2] == ("errors", "unknown")
    levels[0] = level(1, 2, "failed", fault("refused", (strange, 1500)))
    assert diagnosed(*levels)[0] != "errors", "half of them are served"
