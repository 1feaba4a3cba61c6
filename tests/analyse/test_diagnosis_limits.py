"""Each limit, found from levels of a server that has it and no other."""

from dataclasses import replace

import pytest
from diagnosis_levels import CPUS, QUIET, Server, level, seconds

from headcount.analyse.diagnosis.diagnose import of_levels
from headcount.bundle.diagnosis import Diagnosis

IO = "cgroup.pressure{resource=io,kind=some}"
CPU = "cgroup.pressure{resource=cpu,kind=some}"
BUSY = "system.disk.utilization.busiest"
READ = "process.disk.io{disk.io.direction=read}"
WRITTEN = "process.disk.io{disk.io.direction=write}"

SERVERS = {
    ("cpu", "quota"): Server(
        loud={"cgroup.cpu.throttled": 0.82, CPU: 0.87, "cgroup.cpu.utilization": 0.1},
        quiet=QUIET | {"cgroup.cpu.limit": 0.1},
    ),
    ("cpu", "all cores"): Server(
        places=4,
        loud={
            "system.cpu.utilization": 1.0,
            "system.cpu.utilization.busiest": 1.0,
            "process.cpu.utilization": 3.6,
            "process.cpu.run_delay": 0.4,
            "process.cpu.busiest_thread": 0.5,
            CPU: 0.97,
        },
        quiet={name: value for name, value in QUIET.items() if "cpu.foreign" not in name},
    ),
    ("cpu", "neighbour"): Server(
        loud={
            "system.cpu.utilization": 1.0,
            "process.cpu.utilization": 0.9,
            "process.cpu.run_delay": 0.6,
            CPU: 0.9,
        },
        quiet=QUIET | {"system.cpu.foreign": 2.8},
    ),
    ("cpu", "stolen"): Server(
        loud={
            "system.cpu.utilization": 1.0,
            "system.cpu.utilization{cpu.mode=steal}": 0.35,
            "process.cpu.utilization": 2.4,
            "process.cpu.run_delay": 0.6,
            CPU: 0.9,
        },
        quiet=QUIET,
    ),
    ("thread", "one thread"): Server(
        loud={
            "process.cpu.busiest_thread": 0.98,
            "process.cpu.utilization": 1.0,
            "system.cpu.utilization": 0.3,
            "system.cpu.utilization.busiest": 0.9,
        },
        quiet=QUIET,
    ),
    ("disk", "read"): Server(loud={IO: 0.93, READ: 22e6}, quiet=QUIET),
    ("disk", "write"): Server(loud={IO: 0.9, WRITTEN: 5.3e6}, quiet=QUIET),
    ("memory", "as disk"): Server(
        loud={IO: 0.85, READ: 63e6, "cgroup.memory.refaults": 61e6, CPU: 0.12}, quiet=QUIET
    ),
    ("memory", "killed"): Server(
        loud={"cgroup.memory.oom_kills": 0.05, "cgroup.memory.limit": 64e6, CPU: 0.12}, quiet=QUIET
    ),
    ("network", "sending"): Server(
        loud={
            "system.network.queue.occupied": 1.0,
            "system.network.queue.backlog": 314e3,
            "system.network.queue.overlimits": 900.0,
        },
        quiet=QUIET,
    ),
    ("pool", None): Server(places=4, service_s=0.02, think_s=0.2, accept=True, quiet=QUIET),
    ("lock", None): Server(service_s=0.003, think_s=0.1, quiet=QUIET),
    ("refusal", None): Server(places=8, most=40, think_s=1.0, quiet=QUIET),
}


def diagnosed(server: Server) -> Diagnosis:
    levels = server.levels()
    found = of_levels(levels, seconds(levels))
    assert found is not None
    return found


@pytest.mark.parametrize("limit", SERVERS, ids=lambda limit: "-".join(filter(None, limit)))
def test_each_limit_is_found_with_high_confidence(limit: tuple[str, str | None]) -> None:
    server = SERVERS[limit]
    if limit[0] == "refusal":
        levels = [server.level(index, users) for index, users in enumerate((5, 20, 40, 60), 1)]
        found = of_levels(levels, seconds(levels))
        assert found is not None
    else:
        found = diagnosed(server)
    assert (found.limit, found.detail) == limit
    assert found.confidence_word == "high", (found.confidence, found.candidates)
    assert found.joint == []
    assert found.figures
    assert found.sentence.endswith(".")
    assert found.advice


def test_a_pool_has_its_places_and_a_lock_its_length() -> None:
    pool = diagnosed(SERVERS["pool", None])
    assert pool.size == 4
    assert pool.size_unit == "{worker}"
    lock = diagnosed(SERVERS["lock", None])
    assert lock.size == pytest.approx(3.0, rel=0.02)
    assert lock.size_unit == "ms"
    refusing = SERVERS["refusal", None]
    levels = [refusing.level(index, users) for index, users in enumerate((5, 20, 40, 60), 1)]
    refused = of_levels(levels)
    assert refused is not None
    assert refused.size == 40


def test_a_pool_whose_places_are_held_by_idle_connections_is_sized_by_them() -> None:
    # Three workers, each kept by a connection through 0.5 ms of service and 52 ms of pause.
    quiet = {name: value for name, value in QUIET.items() if name != "socket.connections"}
    levels = [
        level(
            index,
            users,
            min(users, 3) / 0.0525,
            max(users * 0.0175, 0.0525) - 0.052,
            0.052,
            quiet | {"socket.connections": users, "socket.accept_queue": max(users - 3, 0)},
        )
        for index, users in enumerate((1, 4, 16, 64), 1)
    ]
    found = of_levels(levels)
    assert found is not None
    assert (found.limit, found.size) == ("pool", 3)


def test_a_disk_that_is_read_for_lack_of_memory_is_not_ruled_out() -> None:
    found = diagnosed(SERVERS["memory", "as disk"])
    ruled_out = {one.limit: one for one in found.ruled_out}
    assert "disk" not in ruled_out
    assert ruled_out["cpu"].figure is not None
    assert "pressure" in ruled_out["cpu"].figure.counter


def test_bursts_of_waiting_for_a_cpu_do_not_hide_the_disk() -> None:
    # 64 processes that wake at once wait for a CPU in their own account, and the host is full.
    server = Server(
        loud={
            IO: 0.97,
            "cgroup.pressure{resource=io,kind=full}": 0.87,
            WRITTEN: 5e6,
            "process.cpu.run_delay": 0.96,
            CPU: 0.12,
        },
        quiet=QUIET
        | {
            "system.cpu.utilization": 1.0,
            "system.cpu.foreign": 3.6,
            "process.cpu.utilization": 0.18,
            "process.threads.runnable": 0.1,
        },
    )
    found = diagnosed(server)
    assert (found.limit, found.detail) == ("disk", "write")


def test_as_many_workers_as_cpus_are_limited_by_the_cpus() -> None:
    # As many workers as CPUs, always ready: nearly nobody waits, and still there is no more CPU.
    server = Server(
        loud={
            "system.cpu.utilization": 1.0,
            "process.cpu.utilization": 2.9,
            "process.cpu.run_delay": 0.25,
            "process.cpu.busiest_thread": 0.75,
            "process.threads.runnable": 3.8,
            CPU: 0.17,
        },
        quiet=QUIET,
    )
    found = diagnosed(server)
    assert (found.limit, found.detail) == ("cpu", "all cores")


def test_a_few_very_late_timers_do_not_make_the_generator_the_limit() -> None:
    late = [
        each.model_copy(
            update={
                "outcome": "invalid",
                "generator": each.generator.model_copy(
                    update={"limited": True, "reasons": ["late"], "timer_lateness_p99_ms": 90.0}
                ),
            }
        )
        for each in SERVERS["disk", "read"].levels()
    ]
    found = of_levels(late)
    assert found is not None
    assert found.limit == "disk"


def test_a_limit_at_the_knee_is_found_by_how_long_users_wait() -> None:
    # With long think times throughput still follows users where they wait twelve times as long.
    server = replace(SERVERS["cpu", "all cores"], think_s=5.0)
    found = of_levels(server.levels((0.01, 0.25, 0.5, 0.75, 1.05)))
    assert found is not None
    assert found.saturation is not None
    assert found.saturation > 0.6
    assert (found.limit, found.detail) == ("cpu", "all cores")


def test_the_next_limit_is_not_the_current_one() -> None:
    disk = SERVERS["disk", "read"]
    server = replace(disk, loud={**disk.loud, "system.cpu.utilization": 0.5})
    found = diagnosed(server)
    assert found.limit == "disk"
    assert found.next is not None
    assert found.next.limit == "cpu"
    # Half used at the highest rate that the disk allows: full at twice that.
    assert found.next.users == pytest.approx(2 * server.knee, rel=0.05)
    assert "extrapolated" in found.next.sentence


def test_a_disk_that_would_be_next_has_two_bounds() -> None:
    cores = SERVERS["cpu", "all cores"]
    found = diagnosed(replace(cores, loud={**cores.loud, BUSY: 0.5}))
    assert found.limit == "cpu"
    assert found.next is not None
    assert found.next.limit == "disk"
    assert found.next.high is not None
    assert found.next.users == pytest.approx(2 * cores.knee, rel=0.01)
    assert found.next.low <= found.next.users <= found.next.high


def test_the_generator_is_named_before_the_server() -> None:
    quiet = Server(quiet=QUIET).levels((0.1, 0.3, 0.5))
    late = [
        level(9, 120, 60.0, 1.0, 1.0, QUIET, limited=True, worker=0.97),
        level(8, 180, 60.0, 2.0, 1.0, QUIET, limited=True, worker=0.99),
    ]
    found = of_levels([*quiet, *late])
    assert found is not None
    assert (found.limit, found.detail) == ("generator", "its own CPU")
    assert found.sentence.startswith("The load generator, not the server")


def test_a_throttled_generator_is_seen_at_levels_that_count() -> None:
    levels = [
        level(
            index,
            users,
            min(users, 16) * 10.0,
            max(users / 160.0, 0.1) - 0.09,
            0.09,
            QUIET,
            generator={"cgroup.cpu.throttled": 0.85 if users > 12 else 0.1},
        )
        for index, users in enumerate((2, 8, 16, 32, 64), 1)
    ]
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert (found.limit, found.detail, found.confidence_word) == ("generator", "quota", "high")


def test_levels_that_the_generator_limited_do_not_hide_the_servers_limit() -> None:
    full = SERVERS["disk", "read"].levels()
    late = level(9, 900, 90.0, 9.0, 1.0, QUIET, limited=True)
    found = of_levels([*full, late], seconds(full))
    assert found is not None
    assert found.limit == "disk"


def test_two_limits_nearly_alike_are_joint() -> None:
    server = Server(loud={IO: 0.8, READ: 2e7, "cgroup.cpu.throttled": 0.88}, quiet=QUIET)
    found = diagnosed(server)
    assert found.limit == "cpu"
    assert [other.limit for other in found.joint] == ["disk"]


def test_a_full_pool_whose_workers_wait_for_a_disk_is_a_disk() -> None:
    server = Server(places=4, loud={IO: 0.9, READ: 2e7}, quiet=QUIET, accept=True)
    found = diagnosed(server)
    assert found.limit == "disk"


def test_with_the_generator_on_the_servers_machine_its_cpu_is_a_doubt() -> None:
    plain = SERVERS["cpu", "all cores"]
    levels = plain.levels()
    shared = [
        each.model_copy(
            update={
                "counters": {
                    **each.counters,
                    "generator": {
                        "process.cpu.utilization": each.counters["sut"][
                            "process.cpu.utilization"
                        ].model_copy(update={"mean": 0.4 * CPUS})
                    },
                }
            }
        )
        for each in levels
    ]
    found = of_levels(shared)
    assert found is not None
    assert any("generator itself used" in doubt for doubt in found.doubts)


def test_without_levels_there_is_no_diagnosis() -> None:
    assert of_levels([]) is None


def test_a_server_that_dies_of_its_limit_does_not_refuse() -> None:
    # A database short of memory is ended by the kernel as many more log on.
    server = SERVERS["memory", "as disk"]
    levels = server.levels((0.1, 0.4, 1.2))
    users = levels[-1].users * 4
    levels.append(level(4, users, 0.0, 0.0, None, {}, refused=users))
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert (found.limit, found.detail) == ("memory", "as disk")
    assert any("stopped answering" in doubt for doubt in found.doubts)


def test_one_busy_thread_is_found_while_others_fill_the_other_cpus() -> None:
    # An IMAP process has a core; what is left of four is taken by low-priority programs.
    loud = {
        "process.cpu.busiest_thread": 0.98,
        "process.cpu.utilization": 1.15,
        "process.cpu.run_delay": 0.27,
        "process.threads.runnable": 3.4,
        CPU: 0.16,
    }
    quiet = QUIET | {"system.cpu.utilization": 1.0, "system.cpu.foreign": 2.5}
    found = diagnosed(Server(loud=loud, quiet=quiet))
    assert (found.limit, found.detail) == ("thread", "one thread")


def test_an_exhausted_quota_is_the_limit_though_throughput_grows() -> None:
    # Few users log on at first, which costs most of the quota: more users bring more throughput.
    counters = QUIET | {
        "cgroup.cpu.throttled": 1.0,
        "cgroup.cpu.limit": 0.12,
        "cgroup.cpu.utilization": 0.12,
        CPU: 0.9,
    }
    levels = [
        level(index, users, per_s, 0.19, 0.16, counters)
        for index, (users, per_s) in enumerate([(26, 63.0), (43, 126.0), (58, 154.0)], 1)
    ]
    found = of_levels(levels, seconds(levels))
    assert found is not None
    assert (found.limit, found.detail) == ("cpu", "quota")


def test_commits_that_wait_for_another_to_write_mean_the_disk() -> None:
    waiting = "postgresql.backends.waiting{{postgresql.wait={}}}"
    loud = {
        "postgresql.backends.active": 63.0,
        waiting.format("lwlock"): 62.0,
        waiting.format("io"): 1.0,
        "process.threads.blocked.occupied": 1.0,
        IO: 0.5,
    }
    found = diagnosed(Server(loud=loud, quiet=QUIET))
    assert found.limit == "disk"
    assert "for its lock inside PostgreSQL" in found.sentence
    busy = diagnosed(Server(loud=loud | {waiting.format("io"): 0.1, IO: 0.1}, quiet=QUIET))
    assert busy.limit == "lock"


@pytest.mark.parametrize(("segment", "limit"), [(1448.0, "network"), (65_483.0, "lock")])
def test_waiting_bytes_mean_the_network_only_over_a_link(segment: float, limit: str) -> None:
    """Over loopback they wait for a program that gets no CPU."""
    loud = {"socket.busy": 0.97, "socket.send_queue.share": 0.95}
    quiet = QUIET | {"socket.segment": segment, "socket.rwnd_limited": 0.0}
    found = of_levels(Server(loud=loud, quiet=quiet).levels())
    assert found is not None
    assert found.limit == limit
