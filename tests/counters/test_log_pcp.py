"""PCP archives: a real one of pmlogger's, against pmval; written ones, against sums by hand."""

import json
import os
import shutil
import socket
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from headcount.counters import log
from headcount.counters.catalogue import lookup
from headcount.counters.recording import Recording
from headcount.errors import InputError, SystemLimitError

PMNS = Path("/usr/lib/pcp/pmns")
CONFIG = """
log mandatory on once { hinv.ncpu mem.physmem }
log mandatory on 500 msec { kernel.all.cpu disk.dev kernel.all.pressure }
log mandatory on 500 msec { mem.util kernel.all.pswitch }
log mandatory on 1 sec { network.interface kernel.all.load filesys.full filesys.avail }
"""


def namespace(folder: Path) -> Path:
    """The names of the kernel's metrics; Debian makes them when its daemon first starts."""
    shutil.copy(PMNS / "root_linux", folder)
    ids = "".join(path.read_text() for path in sorted(PMNS.glob("stdpmid.*")))
    (folder / "stdpmid").write_text(ids)
    merge = ["/usr/lib/pcp/bin/pmnsmerge", "-x", "root_linux", "names"]
    subprocess.run(merge, cwd=folder, check=True, capture_output=True)
    return folder / "names"


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of this machine, logged by pmlogger itself without a daemon."""
    folder = tmp_path_factory.mktemp("pcp")
    (folder / "config").write_text(CONFIG)
    subprocess.run(
        ["pmlogger", "-o", "-c", "config", "-t", "1", "-T", "3sec", "-l", "log", "archive"],
        cwd=folder,
        env=os.environ | {"PMNS_DEFAULT": str(namespace(folder))},
        check=True,
        timeout=60,
    )
    return folder / "archive"


@pytest.fixture(scope="module")
def recording(real: Path) -> Recording:
    (one,) = log.read(real)
    return one


def pmval(archive: Path, *options: str) -> list[float]:
    """The values another of PCP's programs prints, as they were logged."""
    return [value for _, value in timed(archive, *options)]


def timed(archive: Path, *options: str) -> list[tuple[float, float]]:
    """The same with their times, in seconds of the day."""
    text = subprocess.run(
        ["pmval", "-r", "-U", archive, "-f", "6", *options],
        env=os.environ | {"TZ": "UTC"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    rows = [line.split() for line in text.splitlines()]
    rows = [row for row in rows if len(row) > 1 and row[0].count(":") == 2]
    clocks = [map(float, row[0].split(":")) for row in rows]
    times_s = [hours * 3600 + minutes * 60 + seconds for hours, minutes, seconds in clocks]
    return [(at_s, float(row[-1])) for at_s, row in zip(times_s, rows, strict=True)]


def series(recording: Recording, name: str) -> list[float]:
    return [sample.values[name] for sample in recording.samples if name in sample.values]


def test_gauges_are_those_pmval_prints(real: Path, recording: Recording) -> None:
    for metric, name in {
        "mem.util.available": "system.linux.memory.available",
        "mem.util.dirty": "system.linux.memory.dirty",
        "mem.util.committed_AS": "system.memory.committed",
    }.items():
        assert series(recording, name) == [value * 1024 for value in pmval(real, metric)], metric
    load = series(recording, "system.cpu.load_average.1m")
    assert load == pytest.approx(pmval(real, "-i", "'1 minute'", "kernel.all.load"), abs=0.001)


def test_rates_add_up_to_the_growth_pmval_prints(real: Path, recording: Recording) -> None:
    for metric, name, factor in (
        ("kernel.all.pswitch", "system.cpu.context_switches", 1),
        (
            "kernel.all.pressure.cpu.some.total",
            "system.linux.pressure{resource=cpu,kind=some}",
            1e-6,
        ),
    ):
        counts = timed(real, metric)
        lengths_s = [(now - before) % 86400 for (before, _), (now, _) in pairwise(counts)]
        rates = series(recording, name)
        grown = sum(rate * length_s for rate, length_s in zip(rates, lengths_s, strict=True))
        assert grown == pytest.approx((counts[-1][1] - counts[0][1]) * factor, rel=0.01), metric


def test_shares_of_the_cpus_add_up_to_one(recording: Recording) -> None:
    modes = ("user", "nice", "system", "idle", "iowait", "interrupt", "softirq", "steal")
    for sample in recording.samples:
        shares = [
            sample.values[name]
            for mode in modes
            if (name := f"system.cpu.utilization{{cpu.mode={mode}}}") in sample.values
        ]
        assert not shares or sum(shares) == pytest.approx(1)


def test_the_machine_is_this_one(real: Path, recording: Recording) -> None:
    assert (recording.host, recording.system) == (socket.gethostname(), "linux")
    meminfo = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) for line in meminfo if line.startswith("MemTotal:"))
    last = recording.samples[-1].values
    assert last["system.memory.limit"] == total * 1024
    assert last["system.cpu.logical.count"] == os.cpu_count()
    written_s = real.with_name("archive.0").stat().st_mtime
    assert recording.samples[-1].at_s == pytest.approx(written_s, abs=60)
    for sample in recording.samples:
        for name in sample.values:
            assert lookup(name) is not None, name
    assert "kernel.all.cpu.intr" in recording.unknown


def test_an_archive_is_read_by_its_base_name_a_file_or_its_folder(
    real: Path, recording: Recording
) -> None:
    for path in (real.with_name("archive.0"), real.with_name("archive.meta"), real.parent):
        (one,) = log.read(path)
        assert one.samples == recording.samples


def test_a_compressed_archive_reads_the_same(
    real: Path, recording: Recording, tmp_path: Path
) -> None:
    for part in real.parent.glob("archive.*"):
        shutil.copy(part, tmp_path)
    for name in ("archive.0", "archive.meta"):
        subprocess.run(["xz", tmp_path / name], check=True)
    (one,) = log.read(tmp_path / "archive.0.xz")
    assert one.samples == recording.samples


METRICS = {
    "disk.dev.read": ["count", True, True],
    "disk.dev.write": ["count", True, True],
    "disk.dev.read_bytes": ["Kbyte", True, True],
    "disk.dev.write_bytes": ["Kbyte", True, True],
    "disk.dev.read_rawactive": ["millisec", True, True],
    "disk.dev.write_rawactive": ["millisec", True, True],
    "disk.dev.avactive": ["millisec", True, True],
    "disk.dev.aveq": ["millisec", True, True],
    "kernel.all.cpu.user": ["millisec", True, False],
    "kernel.all.cpu.sys": ["millisec", True, False],
    "kernel.all.cpu.idle": ["millisec", True, False],
    "kernel.all.cpu.wait.total": ["millisec", True, False],
    "kernel.percpu.cpu.idle": ["millisec", True, True],
    "kernel.all.pressure.io.full.total": ["microsec", True, False],
    "mem.physmem": ["Kbyte", False, False],
    "mem.util.available": ["Kbyte", False, False],
    "mem.util.swapTotal": ["Kbyte", False, False],
    "mem.util.swapFree": ["Kbyte", False, False],
    "mem.vmstat.oom_kill": ["count", True, False],
    "mem.vmstat.workingset_refault_file": ["count", True, False],
    "hinv.pagesize": ["byte", False, False],
    "network.interface.in.bytes": ["byte", True, True],
    "network.interface.out.bytes": ["byte", True, True],
    "network.interface.speed": ["Mbyte / sec", False, True],
    "filesys.full": ["none", False, True],
    "nfs.client.calls": ["count", True, False],
}
DISKS = ("sda", "sdb", "dm-0")
FIRST = dict.fromkeys(
    [
        *(f"{name}-{disk}" for name in METRICS if name.startswith("disk.") for disk in DISKS),
        *(name for name in METRICS if METRICS[name][1] and not METRICS[name][2]),
        "kernel.percpu.cpu.idle-cpu0",
        "kernel.percpu.cpu.idle-cpu1",
        "network.interface.in.bytes-eth0",
        "network.interface.out.bytes-eth0",
        "network.interface.in.bytes-lo",
    ],
    0.0,
)  # fmt: skip
TEN_SECONDS_LATER = {
    "disk.dev.read-sda": 300.0,
    "disk.dev.read-sdb": 100.0,
    "disk.dev.write-sda": 100.0,
    "disk.dev.read_bytes-sda": 4000.0,
    "disk.dev.read_rawactive-sda": 3000.0,
    "disk.dev.read_rawactive-sdb": 5000.0,
    "disk.dev.write_rawactive-sda": 400.0,
    "disk.dev.avactive-sda": 8000.0,
    "disk.dev.avactive-sdb": 2000.0,
    "disk.dev.avactive-dm-0": 9000.0,
    "disk.dev.aveq-sda": 15000.0,
    "disk.dev.aveq-sdb": 5000.0,
    "kernel.all.cpu.user": 8000.0,
    "kernel.all.cpu.sys": 2000.0,
    "kernel.all.cpu.idle": 9000.0,
    "kernel.all.cpu.wait.total": 1000.0,
    "kernel.percpu.cpu.idle-cpu0": 500.0,
    "kernel.percpu.cpu.idle-cpu1": 9500.0,
    "kernel.all.pressure.io.full.total": 2_500_000.0,
    "mem.physmem": 8_000_000.0,
    "mem.util.available": 2_000_000.0,
    "mem.util.swapTotal": 4_000_000.0,
    "mem.util.swapFree": 3_000_000.0,
    "mem.vmstat.oom_kill": 2.0,
    "mem.vmstat.workingset_refault_file": 50.0,
    "hinv.pagesize": 4096.0,
    "network.interface.in.bytes-eth0": 1e8,
    "network.interface.out.bytes-eth0": 5e8,
    "network.interface.in.bytes-lo": 7e9,
    "network.interface.speed-eth0": 125.0,
    "filesys.full-/dev/sda1": 62.5,
}
EXPECTED = {
    "system.disk.operations{disk.io.direction=read}": 40.0,
    "system.disk.operations{disk.io.direction=read,system.device=sda}": 30.0,
    "system.disk.operations": 50.0,
    "system.disk.io{disk.io.direction=read,system.device=sda}": 4000 * 1024 / 10,
    "system.disk.operation_time{disk.io.direction=read,system.device=sdb}": 50.0,
    "system.disk.operation_time{disk.io.direction=read}": 8000 / 400,
    "system.disk.operation_time{disk.io.direction=write}": 4.0,
    "system.disk.operation_time": 8400 / 500,
    "system.disk.queue_length": 2.0,
    "system.disk.utilization": 0.5,
    "system.disk.utilization.busiest": 0.8,
    "system.disk.utilization{system.device=dm-0}": 0.9,
    "system.cpu.utilization": 0.5,
    "system.cpu.utilization{cpu.mode=user}": 0.4,
    "system.cpu.utilization.busiest": 0.95,
    "system.linux.pressure{resource=io,kind=full}": 0.25,
    "system.memory.limit": 8_000_000 * 1024.0,
    "system.memory.utilization": 0.75,
    "system.paging.utilization": 0.25,
    "system.paging.usage{system.paging.state=used}": 1_000_000 * 1024.0,
    "system.linux.memory.oom_kills": 0.2,
    "system.linux.memory.refaults": 5 * 4096.0,
    "system.network.io{network.io.direction=receive}": 1e7,
    "system.network.speed{network.interface.name=eth0}": 125 * 2.0**20,
    "system.network.utilization.busiest": 5e7 / (125 * 2**20),
    "system.filesystem.utilization{system.device=/dev/sda1}": 0.625,
}


def write(base: Path, samples: list[Any], host: str = "db1", metrics: Any = None) -> Path:
    used = {key.partition("-")[0] for _, values in samples for key in values}
    wanted = {
        "archive": str(base),
        "host": host,
        "metrics": metrics or {name: METRICS[name] for name in METRICS if name in used},
        "samples": samples,
    }
    script = Path(__file__).with_name("pcp_import.py")
    subprocess.run(
        ["/usr/bin/python3", script], input=json.dumps(wanted), text=True, check=True, timeout=60
    )
    return base


def test_every_figure_is_the_one_worked_out_by_hand(tmp_path: Path) -> None:
    later = dict.fromkeys(FIRST, 0.0) | TEN_SECONDS_LATER
    samples = [[1772438400.0, FIRST], [1772438410.0, later]]
    (one,) = log.read(write(tmp_path / "made", samples))
    assert one.host == "db1"
    assert [sample.at_s for sample in one.samples] == [1772438400.0, 1772438410.0]
    values = one.samples[1].values
    for name, value in EXPECTED.items():
        assert values[name] == pytest.approx(value), name
    assert "system.disk.operation_time{disk.io.direction=write,system.device=sdb}" not in values
    assert "system.cpu.utilization" not in one.samples[0].values
    assert one.unknown == ("nfs.client.calls",)


def test_missing_metrics_leave_the_others(tmp_path: Path) -> None:
    samples = [[1772438400.0, {"mem.util.available": 5.0}]]
    (one,) = log.read(write(tmp_path / "made", samples))
    assert dict(one.samples[0].values) == {"system.linux.memory.available": 5 * 1024}


def test_a_tunnel_is_no_slow_link_and_no_traffic_of_its_own(tmp_path: Path) -> None:
    first = {f"network.interface.in.bytes-{link}": 0.0 for link in ("eth0", "tun0")}
    later = {"network.interface.in.bytes-eth0": 5e7, "network.interface.in.bytes-tun0": 4e7}
    speeds = {"network.interface.speed-eth0": 125.0, "network.interface.speed-tun0": 1.25}
    samples = [[1772438400.0, first], [1772438410.0, later | speeds]]
    (one,) = log.read(write(tmp_path / "made", samples))
    values = one.samples[1].values
    assert values["system.network.io{network.io.direction=receive}"] == 5e6
    assert "system.network.utilization{network.interface.name=tun0}" not in values
    assert values["system.network.utilization.busiest"] == pytest.approx(5e6 / (125 * 2**20))


def test_records_of_one_tick_are_one_sample(tmp_path: Path) -> None:
    samples: list[Any] = []
    for tick in range(3):
        at_s = 1772438400.0 + tick
        samples += [
            [at_s, {"mem.util.available": 10.0 + tick}],
            [at_s + 0.004, {"mem.physmem": 100.0}],
        ]
    (one,) = log.read(write(tmp_path / "made", samples))
    assert [sample.at_s for sample in one.samples] == [1772438400, 1772438401, 1772438402]
    shares = [sample.values["system.memory.utilization"] for sample in one.samples]
    assert shares == pytest.approx([0.9, 0.89, 0.88])


def test_a_count_that_restarts_is_absent_once(tmp_path: Path) -> None:
    counts = [0.0, 10.0, 3.0, 5.0]
    samples = [
        [1772438400.0 + second, {"mem.vmstat.workingset_refault_file": count, "hinv.pagesize": 1.0}]
        for second, count in enumerate(counts)
    ]
    (one,) = log.read(write(tmp_path / "made", samples))
    rates = [sample.values.get("system.linux.memory.refaults") for sample in one.samples]
    assert rates == [None, 10.0, None, 2.0]


def test_a_disk_that_appears_later_is_read_from_then_on(tmp_path: Path) -> None:
    samples = [
        [1772438400.0, {"disk.dev.read-sda": 0.0}],
        [1772438401.0, {"disk.dev.read-sda": 5.0, "disk.dev.read-sdb": 0.0}],
        [1772438402.0, {"disk.dev.read-sda": 5.0, "disk.dev.read-sdb": 7.0}],
    ]
    (one,) = log.read(write(tmp_path / "made", samples))
    name = "system.disk.operations{disk.io.direction=read}"
    assert [sample.values.get(name) for sample in one.samples] == [None, 5.0, 7.0]


def test_a_link_without_a_speed_has_no_utilisation(tmp_path: Path) -> None:
    values = {"network.interface.speed-eth0": 4294967295.0, "network.interface.in.bytes-eth0": 0.0}
    (one,) = log.read(write(tmp_path / "made", [[1772438400.0, values], [1772438401.0, values]]))
    assert dict(one.samples[1].values) == {
        "system.network.io{network.io.direction=receive}": 0.0,
        "system.network.io{network.io.direction=receive,network.interface.name=eth0}": 0.0,
    }


def test_a_folder_of_several_machines_gives_one_recording_each(tmp_path: Path) -> None:
    for number, host in enumerate(("db1", "web1", "db1")):
        at_s = 1772438400.0 + 1000 * number
        sample = [at_s, {"mem.util.available": 1.0 + number}]
        write(tmp_path / f"2026030{number}", [sample], host=host)
    db1, web1 = log.read(tmp_path)
    assert (db1.host, web1.host) == ("db1", "web1")
    name = "system.linux.memory.available"
    assert [sample.values[name] for sample in db1.samples] == [1024, 3 * 1024]
    assert [sample.values[name] for sample in web1.samples] == [2 * 1024]


def test_an_archive_without_known_metrics_is_refused(tmp_path: Path) -> None:
    samples = [[1772438400.0, {"nfs.client.calls": 1.0}]]
    with pytest.raises(InputError, match="no known metrics"):
        log.read(write(tmp_path / "made", samples))


def test_a_damaged_archive_is_refused_with_pcps_message(real: Path, tmp_path: Path) -> None:
    for part in real.parent.glob("archive.*"):
        shutil.copy(part, tmp_path)
    (tmp_path / "archive.meta").write_bytes(b"\x00\x00\x00\x84\x50\x05\x26\x02")
    with pytest.raises(InputError, match="cannot read it"):
        log.read(tmp_path / "archive")


def test_a_single_file_of_an_archive_is_refused_with_the_fix(real: Path, tmp_path: Path) -> None:
    shutil.copy(real.with_name("archive.0"), tmp_path / "monday")
    with pytest.raises(InputError, match="only one file of a PCP archive; put all its files"):
        log.read(tmp_path / "monday")


def test_missing_programs_are_reported_with_their_package(
    real: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemLimitError, match="apt-get install pcp"):
        log.read(real)


def test_a_folder_of_other_files_is_not_an_archive(tmp_path: Path) -> None:
    (tmp_path / "notes.0").write_text("x")
    with pytest.raises(InputError, match="not a known log of counters"):
        log.read(tmp_path)
