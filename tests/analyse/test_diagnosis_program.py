"""Limits of the program and of servers behind it, found from levels of known queueing models."""

import pytest
from diagnosis_levels import QUIET, Server, diagnosed, ladder, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.counters.naming import PEER, instance_name

PEER_NAME = "10.0.0.9:5432"
USERS = (2, 16, 64)


def upstream(waiting: float, connections: float) -> dict[str, float]:
    return {
        instance_name("upstream.waiting", PEER, PEER_NAME): waiting,
        instance_name("upstream.connections", PEER, PEER_NAME): connections,
        "upstream.waiting": waiting,
        "upstream.connections": connections,
    }


@pytest.mark.parametrize("places", [3, 4, 7, 12])
def test_several_places_inside_the_program_are_a_pool_of_that_size(places: int) -> None:
    found = diagnosed(Server(places=places, service_s=0.02, think_s=0.1, quiet=QUIET).levels())
    assert (found.limit, found.detail) == ("pool", "inside the program")
    assert found.size == pytest.approx(places, abs=0.5)
    assert found.confidence_word != "low"
    assert "inside the application" in found.advice[0].sentence
    assert "MaxRequestWorkers" not in found.advice[0].sentence


@pytest.mark.parametrize("alone_ms", [10.0, 11.5])
def test_one_place_is_a_lock_even_if_two_users_already_wait_for_it(alone_ms: float) -> None:
    found = diagnosed(ladder(dict.fromkeys(USERS, 100.0)), alone_ms, noise=0.1)
    assert found.limit == "lock"
    assert found.size == pytest.approx(10, rel=0.05)
    assert found.confidence_word == "high"


def test_without_a_trial_a_lock_has_low_confidence() -> None:
    assert diagnosed(ladder(dict.fromkeys(USERS, 100.0))).confidence_word == "low"


@pytest.mark.parametrize(("rate", "alone_ms"), [(30.0, 0.5), (100.0, 3.0), (5.0, 60.0)])
def test_a_rate_that_leaves_the_server_idle_is_a_rate_limit(rate: float, alone_ms: float) -> None:
    found = diagnosed(ladder(dict.fromkeys(USERS, rate)), alone_ms)
    assert found.limit == "limiter"
    assert found.size == pytest.approx(rate, rel=0.05)
    assert found.confidence_word == "high"
    assert "limit_req" in found.advice[0].sentence


def test_a_server_that_gets_slower_with_more_users_is_not_rate_limited() -> None:
    """Its locks are handed over ever more often: at 64 users it does a fifth of its best."""
    found = diagnosed(ladder({2: 100.0, 16: 40.0, 64: 20.0}), 4.0)
    assert found.limit != "limiter"


def test_few_connections_to_a_server_that_is_as_fast_as_ever_are_a_pool() -> None:
    """With 2 users each waits 18 of 20 ms there; only 6 can, however many there are."""
    rate = {2: 100.0, 16: 330.0, 64: 333.0}
    found = diagnosed(
        ladder(rate, {2: upstream(1.8, 6), 16: upstream(5.94, 6), 64: upstream(6.0, 6)}), 20.0
    )
    assert (found.limit, found.detail) == ("pool", f"connections to {PEER_NAME}")
    assert found.size == pytest.approx(6, abs=0.2)
    assert f"A pool of about 6 connections to {PEER_NAME}" in found.sentence
    assert "connection pool" in found.advice[0].sentence


def test_an_upstream_that_gets_slower_is_the_limit() -> None:
    rate = {2: 100.0, 16: 200.0, 64: 200.0}
    found = diagnosed(
        ladder(rate, {2: upstream(1.8, 40), 16: upstream(15.0, 40), 64: upstream(40.0, 40)}), 20.0
    )
    assert (found.limit, found.detail) == ("upstream", PEER_NAME)
    assert PEER_NAME in found.sentence
    assert found.confidence_word == "high"


def test_an_upstream_with_too_few_workers_is_the_limit() -> None:
    rate = {2: 100.0, 16: 200.0, 64: 200.0}
    queue = instance_name("upstream.accept_queue", PEER, PEER_NAME)
    by_users = {users: {**upstream(users * 0.9, 64), queue: users * 0.6} for users in USERS}
    found = diagnosed(ladder(rate, by_users), 20.0)
    assert (found.limit, found.detail) == ("upstream", PEER_NAME)
    assert "wait to be accepted" in " ".join(figure.sentence for figure in found.figures)
    assert "max_children" in found.advice[0].sentence


def test_short_waits_for_an_upstream_leave_a_lock_the_limit() -> None:
    """2 of 20 ms are spent there, whatever the number of users: the lock is elsewhere."""
    rate = {2: 90.0, 16: 100.0, 64: 100.0}
    found = diagnosed(
        ladder(rate, {2: upstream(0.1, 40), 16: upstream(0.1, 40), 64: upstream(0.1, 40)}), 10.0
    )
    assert found.limit == "lock"


def test_cpu_time_of_an_upstream_is_not_a_neighbours() -> None:
    loud = {
        "system.cpu.utilization": 1.0,
        "process.cpu.utilization": 0.5,
        "process.cpu.run_delay": 0.5,
        "cgroup.pressure{resource=cpu,kind=some}": 0.9,
        "upstream.cpu.utilization": 3.1,
    }
    foreign = QUIET | {"system.cpu.foreign": 3.2}
    found = diagnosed(Server(places=4, loud=loud, quiet=foreign).levels())
    assert (found.limit, found.detail) == ("cpu", "all cores")
    without = {name: value for name, value in loud.items() if not name.startswith("upstream")}
    found = diagnosed(Server(places=4, loud=without, quiet=foreign).levels())
    assert (found.limit, found.detail) == ("cpu", "neighbour")


SLOW = {2: 25.0, 16: 200.0, 64: 800.0}
"""80 ms for each scenario, however many users there are."""


def test_a_server_that_is_slow_for_everybody_is_not_full() -> None:
    found = diagnosed(ladder(SLOW), 80.0)
    assert (found.limit, found.detail) == ("delay", "waiting")
    assert "80.0 ms with 2 users" in found.sentence
    assert found.runner_up is None
    # Blind, and with the criteria kept, nobody knows whether 80 ms are long for that server.
    blind = [one.model_copy(update={"counters": {}}) for one in ladder(SLOW, outcome="passed")]
    assert diagnosed(blind, 80.0).limit == "none"


@pytest.mark.parametrize(
    ("cpu", "requests", "limit"),
    [
        pytest.param(0.02, 1, "delay", id="it waits"),
        pytest.param(0.02, 8, "none", id="10 ms for each of its requests"),
        pytest.param(0.9, 1, "none", id="it computes"),
    ],
)
def test_a_delay_is_found_even_if_the_criteria_hold(cpu: float, requests: int, limit: str) -> None:
    used = {n: {"process.cpu.utilization": cpu * n * 0.08} for n in USERS}
    used[2]["process.cpu.utilization"] = cpu * 2
    levels = [
        one.model_copy(update={"requests": {"GET": requests * one.total.completed}})
        for one in ladder(SLOW, used, outcome="passed")
    ]
    found = diagnosed(levels, 80.0)
    assert found.limit == limit
    if limit == "delay":
        assert found.detail == "waiting"
        assert [one.id for one in found.advice] == ["delay-waiting", "delay-users"]


def test_delayed_acknowledgements_are_found_by_the_bytes_held_back() -> None:
    def held(bytes_each: float) -> dict[int, dict[str, float]]:
        return {
            n: {
                "process.cpu.utilization": 0.01,
                "socket.connections": n,
                "socket.send_queue.share": 0.6,
                "socket.send_queue": 0.6 * n * bytes_each,
            }
            for n in USERS
        }

    found = diagnosed(ladder(SLOW, held(320.0), outcome="passed"), 80.0)
    assert (found.limit, found.detail) == ("delay", "acknowledgement")
    assert "held back 320 B" in " ".join(figure.sentence for figure in found.figures)
    assert found.advice[0].id == "delay-acknowledgement"
    found = diagnosed(ladder(SLOW, held(65536.0), outcome="passed"), 80.0)
    assert (found.limit, found.detail) == ("delay", "waiting")
    longer = {2: 2 / 0.2, 16: 16 / 0.2, 64: 64 / 0.2}
    found = diagnosed(ladder(longer, held(320.0), outcome="passed"), 200.0)
    assert (found.limit, found.detail) == ("delay", "waiting")  # 200 ms are no 40 ms
    over_loopback = {n: one | {"socket.segment": 65483.0} for n, one in held(3000.0).items()}
    found = diagnosed(ladder(SLOW, over_loopback, outcome="passed"), 80.0)
    assert (found.limit, found.detail) == ("delay", "acknowledgement")


def test_a_delay_of_a_busy_server_is_computing() -> None:
    computing = {n: {"process.cpu.utilization": 0.9 * min(n, 4)} for n in (1, 2, 4)}
    found = diagnosed(ladder({1: 12.5, 2: 25.0, 4: 50.0}, computing), 80.0)
    assert (found.limit, found.detail) == ("delay", "computing")


def test_a_delay_of_an_upstream_names_it() -> None:
    by_users = {users: upstream(users * 0.95, 80) for users in USERS}
    found = diagnosed(ladder(SLOW, by_users), 80.0)
    assert (found.limit, found.detail) == ("upstream", PEER_NAME)
    assert "it waits 76.0 ms" in found.sentence
    found = diagnosed(ladder(SLOW, by_users, outcome="passed"), 80.0)
    assert (found.limit, found.detail) == ("upstream", PEER_NAME)
    assert "it waits 76.0 ms" in found.sentence


def test_stopped_processes_are_pauses() -> None:
    stopped = {n: {"process.threads": 8.0, "process.threads.stopped": 1.2} for n in USERS}
    found = diagnosed(ladder(SLOW, stopped), 80.0)
    assert (found.limit, found.detail) == ("pause", "stopped")
    assert "15.0% of the time" in found.sentence


def interpreter(**more: float) -> dict[int, dict[str, float]]:
    busy = {
        "process.cpu.utilization": 1.0,
        "process.cpu.busiest_process": 0.98,
        "process.cpu.busiest_thread": 0.3,
        "process.threads": 18.0,
        "process.threads.runnable": 2.5,
        "process.cpu.run_delay": 0.5,
        "process.threads.waiting{wait=lock}": 9.0,
        "system.cpu.utilization": 0.3,
        **{name.replace("__", "."): value for name, value in more.items()},
    }
    return {16: busy, 64: busy}


def test_threads_that_take_turns_on_one_core_are_one_busy_process() -> None:
    found = diagnosed(ladder({2: 90.0, 16: 100.0, 64: 100.0}, interpreter()), 10.0)
    assert (found.limit, found.detail) == ("thread", "one process")
    assert "9.00 of its threads waited for a lock" in " ".join(f.sentence for f in found.figures)
    assert "more processes" in found.advice[0].sentence


@pytest.mark.parametrize(
    "more",
    [
        {"process__cpu__busiest_process": 1.9, "process__cpu__utilization": 1.9},
        {"process__cpu__busiest_process": 0.3},
        {"process__threads__runnable": 16.0},
    ],
)
def test_threads_that_run_at_the_same_time_do_not_take_turns(more: dict[str, float]) -> None:
    found = diagnosed(ladder({2: 90.0, 16: 100.0, 64: 100.0}, interpreter(**more)), 10.0)
    assert found.limit != "thread"


def test_the_latest_trial_counts() -> None:
    levels = ladder(dict.fromkeys(USERS, 100.0))
    trials = [{"event": "trial", "service_ms": ms} for ms in (None, 1.0, 10.0)]
    found = of_levels(levels, seconds(levels), trials)
    assert found is not None
    assert found.limit == "lock"


@pytest.mark.parametrize(
    ("kind", "advice"),
    [("row", "changes this row"), ("advisory", "pg_locks"), ("relation", "LOCK TABLE")],
)
def test_postgresql_says_what_the_lock_is_on(kind: str, advice: str) -> None:
    waits = {
        "postgresql.backends.active": 60.0,
        "postgresql.backends.waiting{postgresql.wait=lock}": 58.0,
        f"postgresql.locks.waiting{{postgresql.lock={kind}}}": 58.0,
    }
    found = diagnosed(ladder({2: 90.0, 16: 100.0, 64: 100.0}, {16: waits, 64: waits}), 15.0)
    assert (found.limit, found.detail) == ("lock", kind)
    assert found.confidence_word == "high"
    assert advice in found.advice[0].sentence


def test_the_limit_that_breaks_the_server_wins_over_earlier_ones() -> None:
    """Up to 16 users the CPU is full; at 64 its memory is too small, and it does a tenth."""
    computing = {
        "system.cpu.utilization": 1.0,
        "process.cpu.utilization": 3.6,
        "cgroup.pressure{resource=cpu,kind=some}": 0.9,
    }
    reading = {
        "cgroup.pressure{resource=io,kind=some}": 0.9,
        "process.disk.io{disk.io.direction=read}": 60e6,
        "cgroup.memory.refaults": 58e6,
    }
    found = diagnosed(ladder({2: 80.0, 16: 360.0, 64: 34.0}, {16: computing, 64: reading}), 4.0)
    assert (found.limit, found.detail) == ("memory", "as disk")
    assert diagnosed(ladder({2: 300.0, 16: 360.0}, {16: computing}), 4.0).limit == "cpu"


def test_a_busy_garbage_collector_is_named_and_advised_on() -> None:
    busy = {
        "system.cpu.utilization": 1.0,
        "process.cpu.utilization": 3.6,
        "process.cpu.garbage_collection": 2.2,
        "process.cpu.run_delay": 0.5,
        "cgroup.pressure{resource=cpu,kind=some}": 0.9,
    }
    found = diagnosed(ladder({2: 80.0, 16: 360.0, 64: 350.0}, {16: busy, 64: busy}), 4.0)
    assert found.limit == "cpu"
    assert "its garbage collector used 61.1% of its CPU time" in [f.sentence for f in found.figures]
    assert [one.id for one in found.advice] == ["cpu-collection"]


def test_a_lock_that_the_server_reports_is_not_a_neighbours_fault() -> None:
    """On a full machine, the session that holds the row waits for a CPU; all others for the row."""
    busy = {
        "postgresql.backends.active": 63.0,
        "postgresql.backends.waiting{postgresql.wait=lock}": 62.0,
        "postgresql.locks.waiting{postgresql.lock=row}": 62.0,
        "system.cpu.utilization": 1.0,
        "system.cpu.foreign": 3.8,
        "process.cpu.utilization": 0.05,
        "process.cpu.run_delay": 0.85,
        "process.threads.runnable": 0.6,
    }
    quiet = {name: value for name, value in QUIET.items() if not name.startswith("cgroup")}
    rate = {2: 45.0, 16: 65.0, 64: 60.0}
    levels = [
        level(index, users, per_s, users / per_s, 0.0, {**quiet, **(busy if users > 2 else {})})
        for index, (users, per_s) in enumerate(rate.items(), 1)
    ]
    assert (diagnosed(levels, 17.0).limit, diagnosed(levels, 17.0).detail) == ("lock", "row")


@pytest.mark.parametrize(
    ("noise", "word", "is_doubted"), [(0.01, "fair", True), (0.15, "high", False)]
)
def test_varying_throughput_is_not_a_rate_limit(noise: float, word: str, is_doubted: bool) -> None:
    """200/s: a Poisson process varies by 14 a second, 7%; a clock by nothing."""
    levels = Server(places=4, service_s=0.02, think_s=0.0, quiet=QUIET).levels()
    found = of_levels(levels, seconds(levels, noise))
    assert found is not None
    assert (found.limit, found.detail) == ("pool", "inside the program")
    assert found.confidence_word == word
    assert any("rate limit of" in doubt for doubt in found.doubts) == is_doubted


def test_users_with_long_think_times_are_not_rate_limited() -> None:
    """A second of think time: 640 users ask for 627/s, also where each takes 20 times as long."""
    levels = [
        level(index, users, users * 0.98, took_s, 1.0, QUIET)
        for index, (users, took_s) in enumerate(((10, 0.0002), (160, 0.0008), (640, 0.004)), 1)
    ]
    assert diagnosed(levels, 0.2).limit in ("none", "unknown")
