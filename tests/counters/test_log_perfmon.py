"""Perfmon logs: every counter of the rules under its name, in its unit, at its time."""

from pathlib import Path

import pytest
from perfmon_log import START_S, ZONE, pdh

from headcount.counters import log
from headcount.counters.catalogue import lookup
from headcount.counters.log import perfmon
from headcount.counters.log.perfmon.names import families, meanings
from headcount.counters.recording import Recording


def read_one(folder: Path, text: str, encoding: str = "cp1252") -> Recording:
    path = folder / "log.csv"
    path.write_bytes(text.encode(encoding))
    (recording,) = log.read(path)
    return recording


RULES = {
    # Object\counter: value in the log, name in the catalogue, value in its unit.
    r"Memory\Available Bytes": (4e6, "system.linux.memory.available", 4e6),
    r"Memory\Pages/sec": (21.5, "system.windows.paging.pages", 21.5),
    r"Memory\Pages Input/sec": (
        20,
        "system.windows.paging.pages{system.paging.direction=in}",
        20,
    ),
    r"Memory\Page Faults/sec": (900, "system.paging.faults", 900),
    r"Memory\Cache Faults/sec": (850, "system.windows.memory.cache_faults", 850),
    r"Memory\Committed Bytes": (3e9, "system.memory.committed", 3e9),
    r"Memory\Cache Bytes": (5.12e8, "system.windows.memory.cache", 5.12e8),
    r"Memory\Cache Bytes Peak": (6e8, "system.windows.memory.cache.peak", 6e8),
    r"Memory\Pool Nonpaged Bytes": (1.2e8, "system.windows.memory.pool.nonpaged", 1.2e8),
    r"Memory\Pool Paged Bytes": (1.56e8, "system.windows.memory.pool.paged", 1.56e8),
    r"Server\Pool Nonpaged Failures": (2, "system.windows.server.pool.nonpaged.failures", 2),
    r"Server\Pool Nonpaged Peak": (9e7, "system.windows.server.pool.nonpaged.peak", 9e7),
    r"Server\Pool Paged Failures": (1, "system.windows.server.pool.paged.failures", 1),
    r"Server\Bytes Transmitted/sec": (
        3e7,
        "system.windows.server.io{network.io.direction=transmit}",
        3e7,
    ),
    r"Server\Bytes Received/sec": (
        1e7,
        "system.windows.server.io{network.io.direction=receive}",
        1e7,
    ),
    r"Cache\Copy Read Hits %": (80, "system.windows.cache.copy_read_hits", 0.8),
    r"PhysicalDisk(_Total)\% Disk Time": (134, "system.windows.disk.time", 1.34),
    r"PhysicalDisk(_Total)\% Idle Time": (25, "system.disk.utilization", 0.75),
    r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer": (0.3, "system.disk.operation_time", 300),
    r"PhysicalDisk(_Total)\Avg. Disk Queue Length": (2.5, "system.disk.queue_length", 2.5),
    r"PhysicalDisk(_Total)\Current Disk Queue Length": (
        3,
        "system.disk.queue_length.current",
        3,
    ),
    r"PhysicalDisk(_Total)\Disk Bytes/sec": (20480, "system.disk.io", 20480),
    r"Processor(_Total)\% Processor Time": (86.5, "system.cpu.utilization", 0.865),
    r"Processor(_Total)\% Privileged Time": (31, "system.windows.cpu.privileged", 0.31),
    r"Processor(_Total)\% DPC Time": (12, "system.cpu.utilization{cpu.mode=softirq}", 0.12),
    r"Processor(_Total)\Interrupts/sec": (9000, "system.cpu.interrupts", 9000),
    r"System\Processor Queue Length": (9, "system.windows.cpu.queue_length", 9),
    r"System\Context Switches/sec": (5e4, "system.cpu.context_switches", 5e4),
    r"Server Work Queues(0)\Queue Length": (4, "system.windows.server.work_queue", 4),
    r"Network Interface(Intel 82574L)\Bytes Total/sec": (3.9e7, "system.network.io", 3.9e7),
    r"Network Interface(Intel 82574L)\Current Bandwidth": (
        1e9,
        "system.network.speed{network.interface.name=Intel 82574L}",
        1.25e8,
    ),
    r"SMB Server Shares(_Total)\Avg. sec/Data Request": (
        0.012,
        "system.windows.smb.request_time",
        12,
    ),
    r"SMB Server Shares(_Total)\Current Data Queue Length": (
        7,
        "system.windows.smb.queue_length.current",
        7,
    ),
    r"Web Service(_Total)\Current Connections": (41, "system.windows.iis.connections", 41),
    r"Paging File(_Total)\% Usage": (70, "system.paging.utilization", 0.7),
}


def test_the_counters_of_the_rules_have_their_names_and_units(tmp_path: Path) -> None:
    recording = read_one(tmp_path, pdh({path: [row[0]] for path, row in RULES.items()}))
    (sample,) = recording.samples
    for path, (_, name, value) in RULES.items():
        assert sample.values[name] == pytest.approx(value), path
    assert recording.unknown == ()
    assert (recording.host, recording.system) == ("FILES1", "windows")
    assert recording.format == "Perfmon CSV"


def test_every_name_given_is_in_the_catalogue_and_per_instance_where_it_says_so() -> None:
    for name in families():
        assert lookup(name) is not None, name
    for meaning in meanings():
        for name in (meaning.gives, meaning.rate):
            entry = lookup(name) if name else None
            if entry is not None and meaning.instances in {"device", "interface"}:
                assert entry.per == meaning.instances, name


def test_perfmon_gives_all_counters_of_windows_alone() -> None:
    from headcount.counters.catalogue import catalogue  # noqa: PLC0415

    own = {name for name in catalogue() if name.startswith("system.windows.")}
    assert own == {name for name in families() if name.startswith("system.windows.")}


def test_the_second_bracket_converts_times_to_utc(tmp_path: Path) -> None:
    columns = {r"Memory\Pages/sec": [1.0, 2.0, 3.0]}
    recording = read_one(tmp_path, pdh(columns))
    assert [sample.at_s for sample in recording.samples] == [START_S, START_S + 1, START_S + 2]
    assert recording.notes == ()
    west = pdh(columns, mark="(PDH-CSV 4.0) (Pacific Standard Time)(480)")
    assert read_one(tmp_path, west).samples[0].at_s == START_S + 9 * 3600


def test_a_log_without_a_zone_says_so(tmp_path: Path) -> None:
    recording = read_one(tmp_path, pdh({r"Memory\Pages/sec": [1.0]}, mark="(PDH-CSV 4.0)"))
    assert recording.samples[0].at_s == START_S + 3600
    assert any("time zone" in note for note in recording.notes)


def test_disks_and_links_are_given_singly_and_in_total(tmp_path: Path) -> None:
    recording = read_one(
        tmp_path,
        pdh(
            {
                r"PhysicalDisk(0 C:)\Disk Reads/sec": [100.0],
                r"PhysicalDisk(1 D:)\Disk Reads/sec": [50.0],
                r"PhysicalDisk(_Total)\Disk Reads/sec": [150.0],
                r"PhysicalDisk(0 C:)\% Idle Time": [10.0],
                r"PhysicalDisk(1 D:)\% Idle Time": [90.0],
                r"LogicalDisk(C:)\% Free Space": [30.0],
                r"Network Interface(A)\Bytes Received/sec": [1e6],
                r"Network Interface(A)\Bytes Sent/sec": [5e6],
                r"Network Interface(A)\Current Bandwidth": [8e7],
                r"Network Interface(B)\Bytes Received/sec": [2e6],
                r"Network Interface(B)\Bytes Sent/sec": [None],
                r"Network Interface(MS TCP Loopback interface)\Bytes Received/sec": [9e9],
            }
        ),
    )
    values = recording.samples[0].values
    assert values["system.disk.operations{disk.io.direction=read,system.device=0 C:}"] == 100
    assert values["system.disk.operations{disk.io.direction=read}"] == 150
    assert values["system.disk.utilization"] == pytest.approx(0.5)
    assert values["system.disk.utilization.busiest"] == pytest.approx(0.9)
    assert values["system.filesystem.utilization{system.device=C:}"] == pytest.approx(0.7)
    assert values["system.network.io{network.io.direction=receive}"] == 3e6
    assert values["system.network.io{network.interface.name=A}"] == 6e6
    assert "system.network.io{network.interface.name=B}" not in values
    # 5 of the 10 MB/s that the link carries each way.
    assert values["system.network.utilization{network.interface.name=A}"] == pytest.approx(0.5)
    assert values["system.network.utilization.busiest"] == pytest.approx(0.5)
    assert any("no _Total" in note and "% Idle Time" in note for note in recording.notes)


TEAM = "Microsoft Network Adapter Multiplexor Driver"


def test_teams_and_tunnels_of_windows_are_no_links_beside_others(tmp_path: Path) -> None:
    path = r"Network Interface({})\{}"
    columns = {}
    for name, speed in (("Intel[R] I350", 1e9), (TEAM, 1e9), ("TAP-Windows Adapter V9", 1e7)):
        columns[path.format(name, "Bytes Sent/sec")] = [2e6]
        columns[path.format(name, "Bytes Received/sec")] = [1e6]
        columns[path.format(name, "Current Bandwidth")] = [speed]
    values = read_one(tmp_path, pdh(columns)).samples[0].values
    assert values["system.network.io{network.io.direction=transmit}"] == 2e6
    assert values["system.network.utilization.busiest"] == pytest.approx(2e6 / 1.25e8)
    tap = "{network.interface.name=TAP-Windows Adapter V9}"
    assert values[f"system.network.io{tap}"] == 3e6
    assert f"system.network.utilization{tap}" not in values


def test_a_team_of_windows_counts_in_a_log_without_its_members(tmp_path: Path) -> None:
    columns = {rf"Network Interface({TEAM})\Bytes Sent/sec": [2e6]}
    values = read_one(tmp_path, pdh(columns)).samples[0].values
    assert values["system.network.io{network.io.direction=transmit}"] == 2e6


def test_cpus_are_counted_only_if_all_are_logged(tmp_path: Path) -> None:
    path = r"Processor({})\% Processor Time"
    both = {path.format("0"): [100.0], path.format("1"): [20.0], path.format("_Total"): [60.0]}
    values = read_one(tmp_path, pdh(both)).samples[0].values
    assert values["system.cpu.utilization.busiest"] == 1.0
    assert values["system.cpu.logical.count"] == 2
    one_of_many = {path.format("0"): [100.0], path.format("_Total"): [60.0]}
    values = read_one(tmp_path, pdh(one_of_many)).samples[0].values
    assert values["system.cpu.utilization"] == pytest.approx(0.6)
    assert "system.cpu.logical.count" not in values


def test_processor_information_counts_its_groups_apart(tmp_path: Path) -> None:
    path = r"Processor Information({})\% Processor Time"
    loads = {"0,0": 10.0, "0,1": 30.0, "0,_Total": 20.0, "1,0": 50.0, "1,1": 70.0}
    columns = {path.format(name): [load] for name, load in loads.items()}
    columns |= {path.format("_Total"): [40.0], r"Processor(_Total)\% Processor Time": [20.0]}
    values = read_one(tmp_path, pdh(columns)).samples[0].values
    # Processor knows the CPUs of its own group alone.
    assert values["system.cpu.utilization"] == pytest.approx(0.4)
    assert values["system.cpu.utilization.busiest"] == pytest.approx(0.7)
    assert values["system.cpu.logical.count"] == 4


def test_the_kernels_time_is_given_with_and_without_interrupts(tmp_path: Path) -> None:
    shares = {"% Privileged Time": 40.0, "% Interrupt Time": 5.0, "% DPC Time": 12.0}
    columns = {rf"Processor(_Total)\{name}": [share] for name, share in shares.items()}
    values = read_one(tmp_path, pdh(columns)).samples[0].values
    assert values["system.windows.cpu.privileged"] == pytest.approx(0.4)
    assert values["system.cpu.utilization{cpu.mode=system}"] == pytest.approx(0.23)


def test_running_counts_are_given_as_rates_and_as_counts(tmp_path: Path) -> None:
    path = r"Network Interface(A)\Packets Received Errors"
    recording = read_one(tmp_path, pdh({path: [5.0, 5.0, 8.0, 1.0]}))
    rate = "system.network.errors{network.io.direction=receive}"
    rates = [sample.values.get(rate) for sample in recording.samples]
    assert rates == [None, 0.0, 3.0, None]  # the last: the machine restarted
    count = "system.windows.network.errors{network.io.direction=receive}"
    assert [sample.values[count] for sample in recording.samples] == [5, 5, 8, 1]


def test_blocking_queues_are_not_counted(tmp_path: Path) -> None:
    path = r"Server Work Queues({})\Queue Length"
    queues = {"0": 3.0, "1": 6.0, "Blocking Queue": 99.0, "SMB2 NonBlocking 0": 2.0}
    values = (
        read_one(tmp_path, pdh({path.format(name): [length] for name, length in queues.items()}))
        .samples[0]
        .values
    )
    assert values["system.windows.server.work_queue"] == 11
    assert values["system.windows.server.work_queue.longest"] == 6


def test_without_operations_there_is_no_time(tmp_path: Path) -> None:
    recording = read_one(tmp_path, pdh({r"PhysicalDisk(_Total)\Avg. Disk sec/Read": [0.0, 0.004]}))
    name = "system.disk.operation_time{disk.io.direction=read}"
    assert [sample.values.get(name) for sample in recording.samples] == [None, 4.0]


def test_several_machines_are_several_recordings(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text(
        pdh({r"\\WEB1\Memory\Pages/sec": [1.0], r"\\db1\Memory\Pages/sec": [2.0]}), "utf-8"
    )
    web, database = log.read(path)
    assert (web.host, database.host) == ("WEB1", "DB1")
    assert dict(web.samples[0].values) == {"system.windows.paging.pages": 1.0}
    assert dict(database.samples[0].values) == {"system.windows.paging.pages": 2.0}


def test_a_duplicate_column_counts_once(tmp_path: Path) -> None:
    text = pdh({r"Network Interface(A)\Bytes Sent/sec": [None, 2.0], "X\\y": [7.0, None]})
    text = text.replace("X\\y", r"Network Interface(A)\Bytes Sent/sec")
    recording = read_one(tmp_path, text)
    name = "system.network.io{network.io.direction=transmit}"
    assert [sample.values[name] for sample in recording.samples] == [7.0, 2.0]


def test_unknown_counters_are_listed_once_for_all_instances(tmp_path: Path) -> None:
    columns = {rf"Process(p{n})\Private Bytes": [1.0] for n in range(3)}
    recording = read_one(tmp_path, pdh(columns | {r"Memory\Pages/sec": [1.0]}))
    assert recording.unknown == (r"Process\Private Bytes",)


def test_a_host_of_esxtop_is_not_taken_for_windows(tmp_path: Path) -> None:
    mark = "(PDH-CSV 4.0) (UTC)(0)"
    recording = read_one(
        tmp_path,
        pdh({r"Memory\Memory Overcommit (1 Minute Avg)": [0.5]}, mark=mark, host="esx1"),
    )
    assert recording.system is None
    assert recording.unknown == (r"Memory\Memory Overcommit (1 Minute Avg)",)
    assert any("knows none of the log's counters" in note for note in recording.notes)


def test_a_counter_that_never_had_a_value_leaves_its_place_to_another(tmp_path: Path) -> None:
    empty = r"Processor Information(_Total)\% Processor Time"
    full = r"Processor(_Total)\% Processor Time"
    recording = read_one(tmp_path, pdh({empty: [None, None], full: [None, 20.0]}))
    shares = [sample.values.get("system.cpu.utilization") for sample in recording.samples]
    assert shares == [None, pytest.approx(0.2)]


def test_powershell_writes_names_in_lower_case(tmp_path: Path) -> None:
    recording = read_one(tmp_path, pdh({r"processor(_total)\% processor time": [50.0]}))
    assert recording.samples[0].values["system.cpu.utilization"] == 0.5


def test_logs_are_recognised_by_their_mark_not_their_name(tmp_path: Path) -> None:
    path = tmp_path / "anything.bin"
    assert perfmon.recognises(path, b"") is False
    path.write_text(pdh({r"Memory\Pages/sec": [1.0]}))
    assert perfmon.recognises(path, path.read_bytes()) is True
    assert ZONE.encode() in path.read_bytes()
