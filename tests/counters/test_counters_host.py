"""The source of a machine's counters, on a machine made of files."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import counters_machine as machine
import pytest

from headcount.counters.proc import memory, tree
from headcount.counters.proc.process import THREADS_MAX
from headcount.counters.proc.source import SAMPLER_CPU_TIME, HostSource, ProcessTree

EXPECTED = {
    "system.cpu.utilization": 0.5,
    "system.cpu.utilization.busiest": 1.0,
    "system.cpu.context_switches": 700,
    "system.cpu.load_average.1m": 2.5,
    "system.cpu.runnable": 3,
    "system.memory.limit": 8000 * 1024,
    "system.memory.utilization": 0.75,
    "system.linux.memory.refaults": 10 * memory.PAGE_BYTES,
    "system.disk.io{disk.io.direction=read,system.device=vda}": 80 * 512,
    "system.disk.io{disk.io.direction=read}": 80 * 512,
    "system.disk.operation_time": 60 / 40,
    "system.network.io{network.io.direction=receive}": 600,
    "system.network.io{network.io.direction=receive,network.interface.name=lo}": 7,
    "system.network.tcp.retransmits": 4,
    "system.linux.pressure{resource=io,kind=some}": 0.25,
    "process.cpu.utilization": 0.4,
    "process.cpu.busiest_thread": 0.3,
    "process.cpu.run_delay": 0.2,
    "process.context_switches": 10,
    "process.memory.usage": 250 * memory.PAGE_BYTES,
    "process.memory.pss": 600 * 1024,
    "process.threads": 2,
    "process.disk.io{disk.io.direction=read}": 8192,
    "process.disk.io{disk.io.direction=write}": 1024,
    "process.paging.faults{system.paging.fault.type=major}": 2,
    "cgroup.cpu.throttled": 0.8,
}


def moment(root: Path, which: int) -> None:
    files = machine.host(which) | machine.process(which) | machine.cgroup_v2(which)
    machine.write(root, files)


def source(root: Path, clock: machine.Clock) -> HostSource:
    proc, sys = root / "proc", root / "sys"
    return HostSource("server", [machine.PID], "/lab", fine=False, proc=proc, sys=sys, clock=clock)


def test_everything_of_a_machine_at_once(tmp_path: Path) -> None:
    clock = machine.Clock()
    host = source(tmp_path, clock)
    moment(tmp_path, 0)
    first = host.sample()
    moment(tmp_path, 1)
    clock.now_s += 1.0
    second = host.sample()
    host.close()
    assert second.at_s == pytest.approx(first.at_s + 1)
    for name, value in EXPECTED.items():
        assert second.values[name] == pytest.approx(value), name
    assert not [name for name in second.values if "vda1" in name or "loop0" in name]


def test_the_first_sample_has_levels_but_no_rates(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    first = source(tmp_path, machine.Clock()).sample().values
    assert first["system.memory.limit"] == 8000 * 1024
    assert first["process.threads"] == 2
    rates = ("utilization{", "disk.io", "network.io", "pressure", "process.cpu", "throttled")
    assert not [name for name in first if any(rate in name for rate in rates)]


def test_without_any_of_the_files_only_the_samplers_cost_is_given(tmp_path: Path) -> None:
    host = source(tmp_path, machine.Clock())
    assert list(host.sample().values) == list(host.sample().values) == [SAMPLER_CPU_TIME]


def test_two_samples_at_one_moment_have_no_rates(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    host = source(tmp_path, machine.Clock())
    host.sample()
    moment(tmp_path, 1)
    assert not [name for name in host.sample().values if "disk.io" in name or "packet" in name]


def test_a_process_that_ended_leaves_the_counters_of_the_host(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    clock = machine.Clock()
    host = source(tmp_path, clock)
    host.sample()
    shutil.rmtree(tmp_path / "proc" / str(machine.PID))
    for _ in range(2):
        clock.now_s += 1
        values = host.sample().values
        assert "system.cpu.load_average.1m" in values
        assert not [name for name in values if name.startswith("process.")]


def test_another_process_with_a_reused_process_id_is_not_counted(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    clock = machine.Clock()
    host = source(tmp_path, clock)
    host.sample()
    path = tmp_path / "proc" / str(machine.PID) / "stat"
    path.write_text(path.read_text().replace(" 5000 ", " 7000 "))
    clock.now_s += 1
    assert not [name for name in host.sample().values if name.startswith("process.")]


def test_children_are_found_where_the_kernel_lists_none(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    tail = " ".join(["0"] * 20)
    child = f"4300 (worker) S {machine.PID} 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 5 0 5001 9 10 {tail}\n"
    machine.write(tmp_path, {"proc/4300/stat": child})
    host = source(tmp_path, machine.Clock())
    assert host.sample().values["process.count"] == 1
    for path in (tmp_path / "proc").glob("*/task/*/children"):
        path.unlink()
    assert source(tmp_path, machine.Clock()).sample().values["process.threads"] == 2 + 5


def test_expensive_readings_are_taken_less_often(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moment(tmp_path, 0)
    cpu_s = [0.0]

    def costing(function: Callable[..., Any], cost_s: float) -> Callable[..., Any]:
        def run(*given: Any, **named: Any) -> Any:
            cpu_s[0] += cost_s
            return function(*given, **named)

        return run

    monkeypatch.setattr("time.thread_time", lambda: cpu_s[0])
    monkeypatch.setattr(tree, "read", costing(tree.read, 1 / 64))
    monkeypatch.setattr(tree, "read_pss", costing(tree.read_pss, 1 / 16))
    processes = ProcessTree([machine.PID], proc=tmp_path / "proc")
    # At 1/64 s of CPU time a reading, one in 1.5625 s costs 1% of a core; at 1/16 s one in
    # 62.5 s costs 0.1%, so it is read as rarely as is allowed.
    seen = {at_s: processes.sample(float(at_s)) for at_s in range(32)}
    assert [at_s for at_s, values in seen.items() if values] == [*range(0, 32, 2)]
    assert [at_s for at_s, had in seen.items() if "process.memory.pss" in had] == [*range(0, 32, 6)]


def test_rates_cover_the_time_since_the_tree_was_read(tmp_path: Path) -> None:
    processes = ProcessTree([machine.PID], proc=tmp_path / "proc", duty=1e-9)
    moment(tmp_path, 0)
    processes.sample(0.0)
    moment(tmp_path, 1)
    assert processes.sample(1.0) == {}
    rate = processes.sample(1e12)["process.cpu.utilization"]
    every = ProcessTree([machine.PID], proc=tmp_path / "proc")
    moment(tmp_path, 0)
    every.sample(0.0)
    moment(tmp_path, 1)
    assert rate == pytest.approx(every.sample(1.0)["process.cpu.utilization"] / 1e12)


def test_threads_of_a_very_large_process_are_not_read(tmp_path: Path) -> None:
    clock = machine.Clock()
    host = source(tmp_path, clock)
    folder = f"proc/{machine.PID}/task"
    for which in (0, 1):
        moment(tmp_path, which)
        threads = range(THREADS_MAX)
        machine.write(tmp_path, {f"{folder}/{9000 + n}/schedstat": "1 1 1\n" for n in threads})
        values = host.sample().values
        clock.now_s += 60  # whatever the reading before has cost
    assert values["process.cpu.utilization"] == pytest.approx(0.4 / 60)
    assert "process.cpu.busiest_thread" not in values


def test_virtual_interfaces_count_unless_they_are_stacked(tmp_path: Path) -> None:
    moment(tmp_path, 0)
    shutil.rmtree(tmp_path / "sys/class/net/eth0/device")
    clock = machine.Clock()
    host = source(tmp_path, clock)
    host.sample()
    received = "system.network.io{network.io.direction=receive}"
    moment(tmp_path, 1)
    shutil.rmtree(tmp_path / "sys/class/net/eth0/device")
    clock.now_s += 1
    assert host.sample().values[received] == pytest.approx(600)
    moment(tmp_path, 0)
    shutil.rmtree(tmp_path / "sys/class/net/eth0/device")
    host.sample()
    machine.write(tmp_path, {"sys/class/net/eth0/lower_eth9": ""})
    clock.now_s += 1
    assert received not in host.sample().values
