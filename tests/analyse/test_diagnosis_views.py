"""What servers' own views add to a diagnosis: full pools, Redis's thread, the JVM's collector."""

from collections.abc import Sequence

import pytest
from diagnosis_levels import QUIET, Views, level, seconds, viewed_ladder

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult
from headcount.counters.naming import PEER, instance_name

SOCKET = "unix:/run/php/fpm.sock"


def diagnosed(levels: Sequence[LevelResult]) -> Diagnosis:
    found = of_levels(levels, seconds(levels), [{"event": "trial", "service_ms": 50.0}])
    assert found is not None
    return found


def haproxy(sessions: float, queue: float, took_ms: float = 50.0) -> Views:
    return {
        "haproxy.sessions.limited": sessions,
        "haproxy.sessions.limit": 5.0,
        "haproxy.queue": queue,
        "haproxy.response.duration": took_ms,
    }


def waiting(peer: str, many: float) -> Views:
    return {
        instance_name("upstream.waiting", PEER, peer): many,
        instance_name("upstream.connections", PEER, peer): many,
        "upstream.waiting": many,
        "upstream.connections": many,
    }


def queued(many: float) -> Views:
    return {**waiting(SOCKET, many + 4), instance_name("upstream.accept_queue", PEER, SOCKET): many}


def test_haproxys_queue_names_the_pool_its_size_and_its_setting() -> None:
    views = [haproxy(2, 0), haproxy(5, 11), haproxy(5, 59)]
    found = diagnosed(viewed_ladder([40, 100, 100], views))
    assert (found.limit, found.detail, found.size) == ("pool", "maxconn", 5)
    assert found.confidence_word == "high"
    assert "A pool of 5 places of HAProxy's servers (maxconn)" in found.sentence
    assert [one.id for one in found.advice] == ["pool-maxconn"]


def test_a_queue_before_a_server_that_has_become_slow_is_a_symptom() -> None:
    counters = [waiting("10.0.0.9:80", many) for many in (2, 5, 5)]
    views = [haproxy(2, 0, 50), haproxy(5, 11, 200), haproxy(5, 59, 250)]
    assert diagnosed(viewed_ladder([40, 25, 20], views, counters)).detail != "maxconn"


def test_free_places_are_not_a_limit() -> None:
    views = [haproxy(2, 0), haproxy(3, 0), haproxy(3, 0)]
    assert diagnosed(viewed_ladder([40, 100, 100], views)).detail != "maxconn"


def test_php_fpm_too_full_to_answer_is_known_by_its_limit_and_the_kernels_queue() -> None:
    views = [
        {"php_fpm.processes.active": 2, "php_fpm.accept_queue": 0, "php_fpm.processes.limit": 4},
        {"php_fpm.processes.limit": 4.0},
        {"php_fpm.processes.limit": 4.0},
    ]
    found = diagnosed(viewed_ladder([40, 80, 80], views, [queued(0), queued(12), queued(60)]))
    assert (found.limit, found.detail, found.size) == ("pool", "pm.max_children", 4)
    assert found.confidence_word == "high"
    assert "of 4 children of PHP-FPM" in found.sentence
    assert [one.id for one in found.advice] == ["pool-children"]


def test_redis_whose_thread_is_full_is_named_with_what_to_do() -> None:
    counters = [waiting("127.0.0.1:6379", many) for many in (2, 16, 64)]
    views = [{"redis.cpu.utilization": busy} for busy in (0.5, 0.97, 0.98)]
    found = diagnosed(viewed_ladder([100, 160, 160], views, counters))
    assert (found.limit, found.detail) == ("upstream", "127.0.0.1:6379")
    assert "Redis's command thread used 97" in found.sentence or "98" in found.sentence
    assert found.advice[0].id == "upstream-redis"


@pytest.mark.parametrize(("shares", "is_collector"), [((0.3, 0.8, 0.9), True), ((0.0,) * 3, False)])
def test_a_collector_that_takes_the_time_is_the_limit_beside_busy_neighbours(
    shares: Sequence[float], *, is_collector: bool
) -> None:
    busy = {"system.cpu.utilization": 0.95, "system.cpu.foreign": 3.0}
    views = [
        {"jvm.gc.share": share, "jvm.memory.used": 89.3e6, "jvm.memory.limit": 89.7e6}
        for share in shares
    ]
    found = diagnosed(viewed_ladder([40, 60, 60], views, [busy] * 3))
    assert (found.detail == "garbage collection") == is_collector
    if is_collector:
        assert found.limit == "cpu"
        assert "all users wait" in found.sentence
        assert "by the JVM's own count" in found.sentence
        assert "99.6% of their heap" in found.sentence
        assert found.advice[0].id.startswith("cpu-gc") or "heap" in found.advice[0].sentence


def test_connections_that_nginx_closes_at_once_are_named_with_their_setting() -> None:
    """Users whom the server lets in are served as fast as ever, the others are turned away."""
    views = [{"web.connections.dropped": closed} for closed in (0.0, 0.0, 40.0)]
    levels = viewed_ladder([40, 320, 400], views)
    refused = level(3, 64, 400, 0.05, 0.0, QUIET, refused=44)
    refused = refused.model_copy(
        update={"outcome": "failed", "counters": {**levels[2].counters}},
    )
    found = diagnosed([*levels[:2], refused])
    assert found.limit == "refusal"
    evidence = next(one for one in found.candidates if one.limit == "refusal")
    assert "worker_connections are used up" in evidence.figures[0].sentence


def test_a_monitor_that_each_scenario_finds_taken_is_a_lock_not_a_pool_of_four() -> None:
    # 27 ms alone, of which 6.5 in the monitor: by Little's law as a pool of four.
    views = [{"jvm.monitors.contended": many} for many in (20.0, 140.0, 149.0)]
    found = of_levels(
        levels := viewed_ladder([43, 150, 151], views),
        seconds(levels),
        [{"event": "trial", "service_ms": 27.0}],
    )
    assert found is not None
    assert (found.limit, found.detail, found.size_unit) == ("lock", "monitor", "ms")
    assert found.size == pytest.approx(1000 / 151, rel=0.02)
    assert "A monitor of the Java program (synchronized): one scenario at a time" in found.sentence
    assert found.advice[0].id == "lock-monitor"


def test_rarely_contended_monitors_leave_a_pool_the_limit() -> None:
    views = [{"jvm.monitors.contended": many} for many in (0.0, 12.0, 25.0)]
    found = diagnosed(viewed_ladder([40, 100, 101], views))
    assert found.limit == "pool"
