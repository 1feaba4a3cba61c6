"""Servers that refuse connections before their program sees them."""

from typing import Any

from diagnosis_levels import diagnosed, ladder


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
