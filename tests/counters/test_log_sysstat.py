"""sysstat's files: a real one made here, against sar's own text; written ones, against sums."""

import json
import os
import socket
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from headcount.counters import log
from headcount.counters.catalogue import lookup
from headcount.counters.log import sysstat
from headcount.counters.recording import Recording
from headcount.errors import InputError, SystemLimitError

SADC = "/usr/lib/sysstat/sadc"
ENVIRONMENT = os.environ | {"LC_ALL": "C", "TZ": "UTC", "S_TIME_FORMAT": "ISO"}


def load(folder: Path, done: threading.Event) -> None:
    """Write to the disk until told to stop, so that figures are not all 0."""
    with (folder / "load").open("wb") as file:
        while not done.wait(0.02):
            file.write(os.urandom(50_000))
            os.fsync(file.fileno())


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sysstat")
    path = folder / "sa"
    done = threading.Event()
    worker = threading.Thread(target=load, args=(folder, done))
    worker.start()
    try:
        subprocess.run([SADC, "-S", "XALL", "1", "4", path], check=True, timeout=60)
        subprocess.run([SADC, "-C", "the new disk is in", path], check=True, timeout=60)
    finally:
        done.set()
        worker.join()
    return path


@pytest.fixture(scope="module")
def recording(real: Path) -> Recording:
    (one,) = log.read(real)
    return one


def sar(path: Path, *options: str) -> list[dict[str, str]]:
    """The table sar prints, a dictionary for each row."""
    text = subprocess.run(
        ["sar", "-f", path, *options], env=ENVIRONMENT, check=True, capture_output=True, text=True
    ).stdout
    rows = [line.split() for line in text.splitlines()[1:] if line.strip()]
    heading = next(row for row in rows if not row[-1].replace(".", "").isdigit())
    return [
        dict(zip(heading[1:], row[1:], strict=True))
        for row in rows
        if row[1:] != heading[1:] and row[0] != "Average:"
    ]


SAR = [
    (["-u", "ALL"], "%iowait", "system.cpu.utilization{cpu.mode=iowait}", 0.01),
    (["-u", "ALL"], "%soft", "system.cpu.utilization{cpu.mode=softirq}", 0.01),
    (["-w"], "cswch/s", "system.cpu.context_switches", 1),
    (["-B"], "fault/s", "system.paging.faults", 1),
    (["-b"], "wtps", "system.disk.operations{disk.io.direction=write}", 1),
    (["-b"], "bwrtn/s", "system.disk.io{disk.io.direction=write}", 512),
    (["-r", "ALL"], "kbavail", "system.linux.memory.available", 1024),
    (["-r", "ALL"], "kbcommit", "system.memory.committed", 1024),
    (["-r", "ALL"], "kbdirty", "system.linux.memory.dirty", 1024),
    (["-q", "LOAD"], "runq-sz", "system.cpu.runnable", 1),
    (["-q", "LOAD"], "ldavg-1", "system.cpu.load_average.1m", 1),
    (["-n", "ETCP"], "retrans/s", "system.network.tcp.retransmits", 1),
    (["-q", "CPU"], "%scpu", "system.linux.pressure{resource=cpu,kind=some}", 0.01),
    (["-q", "IO"], "%fio", "system.linux.pressure{resource=io,kind=full}", 0.01),
    (["-q", "MEM"], "%smem", "system.linux.pressure{resource=memory,kind=some}", 0.01),
]


@pytest.mark.parametrize(("options", "column", "name", "factor"), SAR)
def test_figures_are_those_sar_prints(
    real: Path, recording: Recording, options: list[str], column: str, name: str, factor: float
) -> None:
    printed = [float(row[column]) * factor for row in sar(real, *options)]
    assert [sample.values[name] for sample in recording.samples] == pytest.approx(printed)


def test_disks_and_links_are_those_sar_prints(real: Path, recording: Recording) -> None:
    last = recording.samples[-1].values
    disks = {row["DEV"]: row for row in sar(real, "-d")}
    links = {row["IFACE"]: row for row in sar(real, "-n", "DEV")}
    for disk, row in disks.items():
        at = f"system.device={disk}}}"
        busy = last[f"system.disk.utilization{{{at}"]
        assert busy == pytest.approx(float(row["%util"]) / 100)
        if float(row["tps"]):
            assert last[f"system.disk.operation_time{{{at}"] == float(row["await"])
        written = last[f"system.disk.io{{disk.io.direction=write,{at}"]
        assert written == pytest.approx(float(row["wkB/s"]) * 1024)
    for link, row in links.items():
        name = f"system.network.io{{network.io.direction=receive,network.interface.name={link}}}"
        assert last[name] == pytest.approx(float(row["rxkB/s"]) * 1024)


def test_the_machine_is_this_one(recording: Recording) -> None:
    assert (recording.host, recording.system) == (socket.gethostname(), "linux")
    meminfo = Path("/proc/meminfo").read_text().splitlines()
    total = next(int(line.split()[1]) for line in meminfo if line.startswith("MemTotal:"))
    last = recording.samples[-1].values
    assert last["system.memory.limit"] == total * 1024
    assert last["system.cpu.logical.count"] == os.cpu_count()
    assert recording.samples[-1].at_s == pytest.approx(
        Path(recording.source).stat().st_mtime, abs=60
    )
    assert [bookmark.text for bookmark in recording.bookmarks] == ["the new disk is in"]
    for name in last:
        assert lookup(name) is not None, name


def sadf_json(path: Path, *options: str, zone: str = "UTC") -> str:
    command = ["sadf", "-j", *options, path, "--", "-A"]
    environment = ENVIRONMENT | {"TZ": zone}
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


def test_the_output_of_sadf_reads_the_same_as_its_file(
    real: Path, recording: Recording, tmp_path: Path
) -> None:
    path = tmp_path / "sadf.txt"
    path.write_text(sadf_json(real))
    (one,) = log.read(path)
    assert one.samples == recording.samples
    assert one.format == "sysstat JSON"


@pytest.mark.parametrize(("zone", "hours"), [("Asia/Kolkata", "+5.5"), ("America/New_York", "-5")])
def test_local_times_are_corrected_by_the_creation_time_of_the_file(
    real: Path, recording: Recording, tmp_path: Path, zone: str, hours: str
) -> None:
    path = tmp_path / "local.json"
    path.write_text(sadf_json(real, "-T", zone=zone))
    (one,) = log.read(path)
    if hours == "-5" and "UTC-4 hours" in one.notes[0]:
        hours = "-4"  # in summer
    assert one.samples == recording.samples
    assert any(f"UTC{hours} hours" in note for note in one.notes)


def write_json(folder: Path, *samples: dict[str, Any], **host: Any) -> Path:
    path = folder / "x.json"
    stamp = {"date": "2026-03-02", "time": "09:00:00", "utc": 1, "interval": 60}
    statistics = [{"timestamp": stamp} | sample for sample in samples]
    hosts = [{"nodename": "db1", "sysname": "Linux", "statistics": statistics} | host]
    path.write_text(json.dumps({"sysstat": {"hosts": hosts}}))
    return path


def values(folder: Path, sample: dict[str, Any]) -> dict[str, float]:
    (one,) = log.read(write_json(folder, sample))
    return dict(one.samples[0].values)


def test_a_host_has_the_figures_of_its_real_disks(tmp_path: Path) -> None:
    disks = [
        {"disk-device": "sda", "tps": 30, "rkB": 3, "wkB": 1, "aqu-sz": 2, "await": 10,
         "util-percent": 80},
        {"disk-device": "sdb", "tps": 10, "rkB": 1, "wkB": 0, "aqu-sz": 1, "await": 50,
         "util-percent": 20},
        {"disk-device": "dm-0", "tps": 40, "rkB": 4, "wkB": 1, "aqu-sz": 3, "await": 20,
         "util-percent": 90},
    ]  # fmt: skip
    found = values(tmp_path, {"disk": disks})
    assert found["system.disk.operations"] == 40
    assert found["system.disk.io{disk.io.direction=read}"] == 4096
    assert found["system.disk.io"] == 5 * 1024
    assert found["system.disk.queue_length"] == 3
    assert found["system.disk.operation_time"] == pytest.approx((30 * 10 + 10 * 50) / 40)
    assert found["system.disk.utilization"] == pytest.approx(0.5)
    assert found["system.disk.utilization.busiest"] == 0.8
    assert found["system.disk.utilization{system.device=dm-0}"] == 0.9


def test_a_disk_that_did_nothing_has_no_wait(tmp_path: Path) -> None:
    disk = {"disk-device": "sda", "tps": 0, "rd_sec": 8, "avgqu-sz": 0.5, "await": 0}
    found = values(tmp_path, {"disk": [disk]})
    assert "system.disk.operation_time" not in found
    # Of files of older versions: sectors of 512 bytes, and another word for the queue.
    assert found["system.disk.io{disk.io.direction=read}"] == 4096
    assert found["system.disk.queue_length"] == 0.5


def test_total_memory_follows_from_either_meaning_of_used(tmp_path: Path) -> None:
    new = {"memfree": 100, "memused": 500, "memused-percent": 50.0, "buffers": 100, "cached": 200,
           "slab": 100}  # fmt: skip
    assert values(tmp_path, {"memory": new})["system.memory.limit"] == 1000 * 1024
    old = new | {"memused": 900, "memused-percent": 90.0}
    assert values(tmp_path, {"memory": old})["system.memory.limit"] == 1000 * 1024


def test_swap_is_absent_where_there_is_none(tmp_path: Path) -> None:
    memory = {"memfree": 1, "memused": 1, "memused-percent": 50.0, "buffers": 0, "cached": 0,
              "slab": 0, "swpfree": 0, "swpused": 0, "swpused-percent": 0.0}  # fmt: skip
    assert "system.paging.utilization" not in values(tmp_path, {"memory": memory})
    memory |= {"swpfree": 75, "swpused": 25, "swpused-percent": 25.0}
    found = values(tmp_path, {"memory": memory})
    assert found["system.paging.utilization"] == 0.25
    assert found["system.paging.usage{system.paging.state=used}"] == 25 * 1024


def test_swap_is_known_without_the_rest_of_memory(tmp_path: Path) -> None:
    memory = {"swpfree": 75, "swpused": 25, "swpused-percent": 25.0, "swpcad": 0}
    found = values(tmp_path, {"memory": memory})
    assert found["system.paging.utilization"] == 0.25
    assert found["system.paging.usage{system.paging.state=used}"] == 25 * 1024


def test_cpus_of_either_option_of_sar(tmp_path: Path) -> None:
    detailed = {"cpu": "all", "usr": 10, "nice": 1, "sys": 20, "iowait": 5, "steal": 2, "irq": 3,
                "soft": 4, "guest": 6, "gnice": 0, "idle": 49}  # fmt: skip
    found = values(tmp_path, {"cpu-load": [detailed, detailed | {"cpu": "0", "idle": 0}]})
    assert found["system.cpu.utilization"] == pytest.approx(0.46)
    assert found["system.cpu.utilization{cpu.mode=user}"] == pytest.approx(0.16)
    assert found["system.cpu.utilization.busiest"] == pytest.approx(0.95)
    plain = {"cpu": "all", "user": 10, "nice": 0, "system": 27, "iowait": 0, "steal": 0, "idle": 63}
    (one,) = log.read(write_json(tmp_path, {"cpu-load": [plain]}))
    assert one.samples[0].values["system.cpu.utilization"] == pytest.approx(0.37)
    assert any("System time includes interrupts" in note for note in one.notes)


def test_use_of_a_link_is_known_only_with_its_speed(tmp_path: Path) -> None:
    links = [
        {"iface": "eth0", "rxkB": 1, "txkB": 1, "ifutil-percent": 25.0},
        {"iface": "eth1", "rxkB": 9, "txkB": 9, "ifutil-percent": 0.0},
        {"iface": "lo", "rxkB": 5, "txkB": 5, "ifutil-percent": 0.0},
    ]
    found = values(tmp_path, {"network": {"net-dev": links}})
    assert found["system.network.utilization{network.interface.name=eth0}"] == 0.25
    assert "system.network.utilization{network.interface.name=eth1}" not in found
    assert found["system.network.utilization.busiest"] == 0.25
    assert found["system.network.io"] == 20 * 1024


def test_a_tunnel_is_no_slow_link_and_no_traffic_of_its_own(tmp_path: Path) -> None:
    """Linux gives any tunnel a speed of 10 Mbit/s, of which sar makes a use of 400%."""
    links = [
        {"iface": "eth0", "rxkB": 5000, "txkB": 5000, "ifutil-percent": 4.1},
        {"iface": "tun0", "rxkB": 4900, "txkB": 4900, "ifutil-percent": 401.0},
        {"iface": "docker0", "rxkB": 100, "txkB": 100, "ifutil-percent": 0.0},
    ]
    found = values(tmp_path, {"network": {"net-dev": links}})
    assert found["system.network.utilization.busiest"] == pytest.approx(0.041)
    assert "system.network.utilization{network.interface.name=tun0}" not in found
    assert found["system.network.io{network.interface.name=tun0}"] == 9800 * 1024
    assert found["system.network.io"] == 10_000 * 1024


def test_starts_of_the_machine_are_bookmarks(tmp_path: Path) -> None:
    boot = {"boot": {"date": "2026-03-02", "time": "08:59:00", "utc": 1}}
    (one,) = log.read(write_json(tmp_path, {}, restarts=[boot]))
    assert [(mark.at_s, mark.text) for mark in one.bookmarks] == [
        (1772441940.0, "The machine started.")
    ]


def test_local_times_of_part_of_a_day_are_read_as_utc_with_a_note(tmp_path: Path) -> None:
    stamp = {"date": "2026-03-02", "time": "09:07:00", "utc": 0, "interval": 60}
    path = write_json(tmp_path, {"timestamp": stamp}, **{"file-utc-time": "00:00:01"})
    (one,) = log.read(path)
    assert one.samples[0].at_s == 1772442420.0
    assert any("read as UTC" in note for note in one.notes)


def test_a_damaged_file_is_refused_with_the_message_of_sadf(real: Path, tmp_path: Path) -> None:
    path = tmp_path / "sa"
    path.write_bytes(real.read_bytes()[:200])
    with pytest.raises(InputError, match="sadf cannot read it"):
        log.read(path)


def test_a_file_torn_in_its_last_record_gives_the_others(
    real: Path, recording: Recording, tmp_path: Path
) -> None:
    path = tmp_path / "sa"
    whole = real.read_bytes()
    path.write_bytes(whole[: len(whole) * 3 // 4])
    (one,) = log.read(path)
    assert one.samples
    assert one.notes == ("sadf reports: End of system activity file unexpected",)
    assert one.samples == recording.samples[: len(one.samples)]


def test_torn_json_is_refused_with_the_command_that_makes_it(tmp_path: Path) -> None:
    path = write_json(tmp_path, {})
    path.write_text(path.read_text()[:-5])
    with pytest.raises(InputError, match="sadf -j FILE"):
        log.read(path)


@pytest.mark.parametrize("options", [(), ("-t",)])
def test_the_json_of_iostat_is_refused_by_name(tmp_path: Path, options: tuple[str, ...]) -> None:
    path = tmp_path / "iostat.json"
    command = ["iostat", *options, "-o", "JSON"]
    path.write_bytes(subprocess.run(command, check=True, capture_output=True).stdout)
    with pytest.raises(InputError, match=r"JSON of iostat or mpstat.*use slow\.sa"):
        log.read(path)


def test_a_missing_sadf_is_reported_with_its_package(
    real: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemLimitError, match="apt-get install sysstat"):
        log.read(real)


def test_files_are_recognised_by_their_first_bytes(real: Path, tmp_path: Path) -> None:
    assert sysstat.recognises(real, real.read_bytes()[:100])
    path = tmp_path / "other.json"
    path.write_text('{"other": 1}')
    assert not sysstat.recognises(path, path.read_bytes())
