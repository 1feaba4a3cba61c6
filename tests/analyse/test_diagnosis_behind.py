"""Upstream servers: which program they are, how many they serve, and whose CPU they lack."""

from collections.abc import Mapping, Sequence

from diagnosis_levels import Views, seconds, viewed_ladder

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.counters.naming import PEER, instance_name

PEER_NAME = "127.0.0.1:6432"


def waiting(many: float, connections: float | None = None) -> Views:
    """Connections to the upstream, of which `many` wait for an answer."""
    connections = many if connections is None else connections
    return {
        instance_name("upstream.waiting", PEER, PEER_NAME): many,
        instance_name("upstream.connections", PEER, PEER_NAME): connections,
        "upstream.waiting": many,
        "upstream.connections": connections,
    }


def diagnosed(
    levels: Sequence[LevelResult], alone_ms: float, programs: Mapping[str, str] | None = None
) -> Diagnosis:
    events: list[Mapping[str, object]] = [{"event": "trial", "service_ms": alone_ms}]
    if programs is not None:
        events.append({"event": "behind", "programs": programs})
    found = of_levels(levels, seconds(levels), events)
    assert found is not None
    return found


def test_an_upstream_is_named_with_its_program_and_its_places() -> None:
    counters = [waiting(1.9), waiting(15.8), waiting(63.8)]
    levels = viewed_ladder([46, 115, 115], counters=counters)
    found = diagnosed(levels, 43.5, {PEER_NAME: "pgbouncer"})
    assert (found.limit, found.detail, found.size_unit) == ("upstream", PEER_NAME, "{scenario}")
    assert found.size is not None
    assert 4.5 < found.size < 5.5
    assert f"Another server, pgbouncer at {PEER_NAME}, which it waits for" in found.sentence
    assert "serves about 5 scenarios at a time" in found.sentence
    assert found.advice[0].id == "upstream-pgbouncer"
    assert found.advice[-1].id == "upstream-look"


def test_an_upstream_that_serves_one_at_a_time_has_the_time_of_each() -> None:
    counters = [waiting(1.9), waiting(15.8), waiting(63.8)]
    found = diagnosed(viewed_ladder([31, 32, 32], counters=counters), 31.0)
    assert (found.limit, found.size_unit) == ("upstream", "ms")
    assert "serves one scenario at a time, 31.2 ms each" in found.sentence
    assert [one.id for one in found.advice] == ["upstream-single", "upstream-look"]


def sessions(active: float, locked: float) -> Views:
    return {"upstream.postgresql.active": active, "upstream.postgresql.waiting": locked}


def test_sessions_that_wait_for_a_lock_make_the_lock_the_limit() -> None:
    each = ((1.9, 0.9), (15.8, 14.7), (63.8, 62.0))
    counters = [{**waiting(many), **sessions(many, locked)} for many, locked in each]
    found = diagnosed(viewed_ladder([31, 32, 32], counters=counters), 31.0)
    assert (found.limit, found.detail) == ("lock", "database")
    assert found.confidence_word == "high"
    assert found.sentence.startswith("A lock in the database behind it: one scenario at a time, 31")
    assert "14.7 of 15.8 statements in PostgreSQL behind it waited" in found.sentence
    assert found.advice[0].id == "lock-database"


def test_few_connections_that_wait_for_a_lock_are_not_a_small_pool() -> None:
    counters = [
        {**waiting(many, 4), **sessions(many, locked)}
        for many, locked in ((1.9, 0.9), (4.0, 2.9), (4.0, 2.9))
    ]
    found = diagnosed(viewed_ladder([31, 32, 32], counters=counters), 31.0)
    assert (found.limit, found.detail) == ("lock", "database")


def test_locks_that_are_often_free_leave_the_database_the_limit() -> None:
    counters = [{**waiting(many), **sessions(many, 0.1)} for many in (1.9, 15.8, 63.8)]
    found = diagnosed(viewed_ladder([46, 115, 115], counters=counters), 43.5)
    assert found.limit == "upstream"


def test_time_spent_elsewhere_hides_the_size_of_an_upstream() -> None:
    counters = [waiting(0.5), waiting(14.0), waiting(60.0)]
    found = diagnosed(viewed_ladder([46, 115, 115], counters=counters), 43.5)
    assert found.limit == "upstream"
    assert found.size is None


def test_redis_behind_one_connection_that_all_share_is_the_limit() -> None:
    counters = [waiting(0.63, 1), waiting(0.75, 1), waiting(1, 1)]
    views = [{"redis.cpu.utilization": busy} for busy in (0.48, 0.996, 0.996)]
    found = diagnosed(viewed_ladder([73, 162, 160], views, counters), 7.5)
    assert (found.limit, found.detail) == ("upstream", PEER_NAME)
    assert found.advice[0].id == "upstream-redis"


def test_upstream_workers_without_a_cpu_are_not_too_few() -> None:
    def busy(used: float, delay: float, queue: float) -> Views:
        return {
            "system.cpu.utilization": 1.0,
            "system.cpu.logical.count": 2.0,
            "system.cpu.foreign": 1.95,
            "process.cpu.utilization": 0.01,
            "process.cpu.run_delay": 0.8,
            "process.threads.runnable": 0.05,
            "upstream.cpu.utilization": used,
            "upstream.cpu.run_delay": delay,
            **{
                name.replace(PEER_NAME, "unix:/run/php/fpm.sock"): value
                for name, value in waiting(queue + 16).items()
            },
            instance_name("upstream.accept_queue", PEER, "unix:/run/php/fpm.sock"): queue,
        }

    counters = [busy(0.16, 0.8, 0), busy(0.22, 0.98, 1.5), busy(0.22, 0.98, 49)]
    limits = [{"php_fpm.processes.limit": 16.0}] * 3
    found = diagnosed(viewed_ladder([27.5, 35.8, 36.0], limits, counters), 32.0)
    assert (found.limit, found.detail) == ("cpu", "neighbour")
    assert "behind it, runnable threads waited for a CPU 98" in str(found.figures)


def test_sessions_in_the_accept_queue_hold_no_place() -> None:
    def queued(many: float) -> Views:
        return {"socket.connections": many, "socket.accept_queue": many - 0.02}

    counters = [queued(1.04), queued(15.1), queued(63.5)]
    found = diagnosed(viewed_ladder([32.8, 32.4, 32.5], counters=counters), 0.56)
    assert found.limit == "limiter"
    assert found.confidence_word == "high"
