"""How many scenarios are served at a time, and how surely that is what limits."""

from collections.abc import Mapping

import pytest
from diagnosis_levels import level
from test_diagnosis_program import PEER_NAME, QUIET, USERS, diagnosed, ladder, upstream

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.level import LevelResult
from headcount.counters.naming import PEER, instance_name


def test_a_serial_section_as_even_as_a_clock_may_be_a_rate() -> None:
    found = diagnosed(ladder(dict.fromkeys(USERS, 100.0)), 10.0, noise=0.01)
    assert (found.limit, found.confidence_word) == ("lock", "fair")
    assert any("a rate limit of 100 scenarios/s would look the same" in one for one in found.doubts)
    assert "pool-or-rate" in [one.id for one in found.advice]


def test_accepted_connections_of_an_upstream_are_its_workers() -> None:
    queue = instance_name("upstream.accept_queue", PEER, PEER_NAME)
    by_users = {users: {**upstream(users, 64), queue: max(users - 3.0, 0.0)} for users in USERS}
    # With few users most of the time is spent elsewhere, as far as few looks show.
    by_users[2] = {**upstream(0.7, 64), queue: 0.0}
    found = diagnosed(ladder({2: 23.0, 16: 50.0, 64: 50.0}, by_users), 60.0)
    assert (found.limit, found.size, found.size_unit) == ("upstream", 3.0, "{scenario}")
    assert "which serves about 3 scenarios at a time" in found.sentence
    assert "max_children" in found.advice[0].sentence


def test_an_upstream_that_serves_one_at_a_time_is_found_beside_other_work() -> None:
    by_users = {2: upstream(0.75, 64), 16: upstream(12.0, 64), 64: upstream(56.0, 64)}
    found = diagnosed(ladder({2: 46.0, 16: 54.0, 64: 54.0}, by_users), 20.0)
    assert (found.limit, found.size_unit) == ("upstream", "ms")
    assert found.size == pytest.approx(1000 / 54, rel=0.02)
    # A rate limit there leaves its only place idle: how many it serves is not known.
    found = diagnosed(ladder({2: 46.0, 16: 54.0, 64: 54.0}, by_users), 5.0)
    assert (found.limit, found.size) == ("upstream", None)


def test_places_of_a_server_that_computes_most_of_the_time_are_a_guess() -> None:
    """Seven places, but its collector and its requests use three of four CPUs."""
    rate = {2: 100.0, 16: 340.0, 64: 350.0}
    assert diagnosed(ladder(rate), 20.0).confidence_word == "high"
    busy = {"process.cpu.utilization": 3.0, "system.cpu.utilization": 0.78}
    found = diagnosed(ladder(rate, dict.fromkeys(USERS, busy)), 20.0)
    assert found.limit in ("pool", "unknown")
    assert found.confidence_word == "low"


def test_workers_that_wait_for_a_file_lock_are_not_an_upstream() -> None:
    """A router hands requests to workers of the same program, which take turns to lock a file."""
    asleep = {2: 1.1, 16: 14.9, 64: 23.7}
    by_users = {
        users: {
            **upstream(users * 0.95, 64),
            "process.threads.waiting{wait=sleep}": many,
            "process.file_locks.held": 0.95,
        }
        for users, many in asleep.items()
    }
    rate = {2: 43.0, 16: 51.0, 64: 56.0}
    found = diagnosed(ladder(rate, by_users), 20.0)
    assert (found.limit, found.detail) == ("lock", "file")
    for counters in by_users.values():
        counters["process.file_locks.held"] = 0.3
    assert diagnosed(ladder(rate, by_users), 20.0).limit == "upstream"


def with_connections(at_door: Mapping[int, float], always: float = 1.0) -> list[LevelResult]:
    """A server of 450 connections whose users pause for a second, near its capacity."""
    found = []
    for index, (users, waiting) in enumerate(at_door.items(), start=1):
        rate = min(users, 450.0)
        counters = {
            "socket.connections": float(users),
            "socket.accept_queue": waiting,
            "socket.accept_queue.occupied": always if waiting else 0.0,
        }
        response_s = users / rate - 1 + 0.001
        made = level(index, users, rate, response_s, 1.0, {**QUIET, **counters})
        found.append(made.model_copy(update={"outcome": "passed" if users < 470 else "failed"}))
    return found


def test_a_server_with_a_limit_of_connections_has_a_pool_of_them() -> None:
    """Hardly a scenario is in progress: its users pause, and keep their places meanwhile."""
    found = diagnosed(with_connections({100: 0.0, 400: 0.0, 480: 30.0, 640: 190.0}), 1.0)
    assert found.limit == "pool"
    assert found.size == pytest.approx(450, rel=0.1)


def test_users_who_wait_inside_the_server_are_rate_limited() -> None:
    found = diagnosed(with_connections({100: 0.0, 400: 0.0, 480: 2.0, 640: 3.0}, 0.2), 1.0)
    assert found.limit == "limiter"


def test_few_users_of_whom_none_is_served_are_no_mistake() -> None:
    """After an overload, a mail server still works off its queue: 8 users get nothing."""
    door = {"socket.accept_queue": 30.0, "socket.accept_queue.occupied": 1.0}
    few = level(1, 8, 0.0, 1.0, 0.0, {**QUIET, **door})
    many = level(2, 40, 40.0, 1.0, 0.0, {**QUIET, **door})
    assert of_levels([few, many]) is not None
