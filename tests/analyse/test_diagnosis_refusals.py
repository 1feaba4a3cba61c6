"""Servers that refuse connections before their program sees them."""

from typing import Any

from diagnosis_levels import QUIET, diagnosed, ladder, level

from headcount.bundle.diagnosis import Diagnosis


def test_a_process_without_a_free_descriptor_refuses() -> None:
    full = {
        "process.open_file_descriptors.utilization": 1.0,
        "socket.accept_queue": 30.0,
        "process.cpu.busiest_thread": 1.0,  # it tries to accept again and again
    }
    levels = ladder({2: 100.0, 16: 700.0, 64: 720.0}, {64: full})
    found = diagnosed(levels, 20.0)
    assert (found.limit, found.detail) == ("refusal", "descriptors")
    assert "ulimit -n" in found.advice[0].sentence
    nearly: dict[int, dict[str, Any]] = {
        64: full | {"process.open_file_descriptors.utilization": 0.5}
    }
    assert diagnosed(ladder({2: 100.0, 16: 700.0, 64: 720.0}, nearly), 20.0).limit != "refusal"


def test_a_full_accept_queue_is_too_short_unless_a_resource_is_full() -> None:
    dropped = {
        "system.network.tcp.listen_overflows": 20.0,
        "socket.accept_queue": 1.5,
        "socket.accept_queue.utilization": 1.0,
        "socket.accept_queue.limit": 5.0,
    }
    levels = ladder({2: 100.0, 16: 300.0, 64: 310.0}, {64: dropped})
    found = diagnosed(levels, 20.0)
    assert (found.limit, found.detail) == ("refusal", "backlog")
    assert "at most 5 wait" in found.sentence
    busy = dropped | {"cgroup.cpu.throttled": 0.9, "cgroup.cpu.limit": 0.5}
    found = diagnosed(ladder({2: 100.0, 16: 300.0, 64: 310.0}, {16: busy, 64: busy}), 20.0)
    assert (found.limit, found.detail) == ("cpu", "quota")


def test_an_accept_queue_that_is_always_full_is_not_too_short() -> None:
    """The server has no place for a connection: a longer queue would be full as well."""
    full = {
        "system.network.tcp.listen_overflows": 20.0,
        "socket.accept_queue": 511.0,
        "socket.accept_queue.occupied": 1.0,
        "socket.accept_queue.utilization": 1.0,
        "socket.accept_queue.limit": 511.0,
    }
    found = diagnosed(ladder({2: 100.0, 16: 300.0, 64: 310.0}, {64: full}), 20.0)
    assert found.detail != "backlog"
    assert not any("ListenBacklog" in one.sentence for one in found.advice)
    in_bursts = full | {"socket.accept_queue": 60.0}
    found = diagnosed(ladder({2: 100.0, 16: 300.0, 64: 310.0}, {64: in_bursts}), 20.0)
    assert (found.limit, found.detail) == ("refusal", "backlog")


def _beside_a_busy_generator(refused: int, **counters: float) -> Diagnosis:
    """At 64 users the generator is busy, and scenarios take eight times as long."""
    levels = ladder({2: 100.0, 16: 700.0})
    top = level(3, 64, 900.0, 0.16, 0.0, {**QUIET, **counters}, refused=refused, worker=0.95)
    reasons = ["a worker of the load generator used 95% of its core"]
    busy = top.generator.model_copy(update={"reasons": reasons})
    for index, one in enumerate(levels):
        levels[index] = one.model_copy(update={"outcome": "passed"})
    levels.append(top.model_copy(update={"outcome": "failed", "generator": busy}))
    return diagnosed(levels, 20.0)


def test_a_busy_generator_does_not_explain_that_connections_are_closed() -> None:
    """nginx with 24 connections: it closed thousands a second, and used half a CPU."""
    found = _beside_a_busy_generator(refused=2000)
    assert (found.limit, found.detail) == ("refusal", None)
    assert found.confidence_word == "high"
    assert found.runner_up is not None
    assert found.runner_up.limit == "generator"


def test_a_busy_generator_explains_that_responses_are_late() -> None:
    assert _beside_a_busy_generator(refused=0).limit == "generator"


def test_a_full_resource_may_be_why_connections_are_closed() -> None:
    full = {"cgroup.cpu.throttled": 0.99, "cgroup.cpu.limit": 0.5}
    assert _beside_a_busy_generator(refused=2000, **full).limit != "refusal"


def test_dropped_connections_are_not_why_many_more_are_closed() -> None:
    dropped = {
        "system.network.tcp.listen_overflows": 20.0,
        "socket.accept_queue": 1.5,
        "socket.accept_queue.utilization": 1.0,
        "socket.accept_queue.limit": 5.0,
    }
    found = _beside_a_busy_generator(refused=2000, **dropped)
    assert (found.limit, found.detail) == ("refusal", None)
    assert "were refused" in found.sentence


def test_users_who_only_pause_are_not_refused() -> None:
    """In a few seconds, half the users of a mail server ask for nothing."""
    held = level(1, 640, 59.0, 0.001, 10.8, QUIET)
    full = level(2, 1280, 94.0, 0.001, 10.8, QUIET, refused=256)
    full = full.model_copy(update={"users_reported": 536, "users_unserved": 256})
    found = diagnosed([held, full], 1.0)
    assert found.limit == "refusal"
    assert "accepts about 1,024: " in found.sentence
    known = full.model_copy(update={"users_unserved": None})  # an older bundle
    assert "accepts about 536: " in diagnosed([held, known], 1.0).sentence
