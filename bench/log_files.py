"""Synthetic logs of counters, of any length, in each format that Headcount reads."""

import json
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = (
    "system.cpu.utilization",
    "system.linux.memory.available",
    "system.disk.utilization",
    "system.disk.queue_length",
    "system.disk.operation_time",
    "system.disk.operations",
)
PERFMON = (
    r"Processor(_Total)\% Processor Time",
    r"Memory\Available Bytes",
    r"PhysicalDisk(_Total)\% Idle Time",
    r"PhysicalDisk(_Total)\Avg. Disk Queue Length",
    r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer",
    r"PhysicalDisk(_Total)\Disk Transfers/sec",
)
PCP = """
import sys, cpmapi as api
from pcp import pmi
log = pmi.pmiLogImport(sys.argv[1])
log.pmiSetHostname("vm")
log.pmiSetTimezone("UTC")
time, none = log.pmiUnits(0, 1, 0, 0, api.PM_TIME_MSEC, 0), log.pmiUnits(0, 0, 0, 0, 0, 0)
for place, name in enumerate(("user", "sys", "idle")):
    kind = api.PM_SEM_COUNTER
    log.pmiAddMetric(f"kernel.all.cpu.{name}", log.pmiID(60, 1, place), api.PM_TYPE_DOUBLE,
                     api.PM_INDOM_NULL, kind, time)
log.pmiAddMetric("kernel.all.runnable", log.pmiID(60, 1, 9), api.PM_TYPE_DOUBLE,
                 api.PM_INDOM_NULL, api.PM_SEM_INSTANT, none)
for row in range(int(sys.argv[2])):
    busy = row * 300 + row % 7 * 10
    log.pmiPutValue("kernel.all.cpu.user", "", str(busy))
    log.pmiPutValue("kernel.all.cpu.sys", "", str(row * 100))
    log.pmiPutValue("kernel.all.cpu.idle", "", str(row * 1600 - row % 7 * 10))
    log.pmiPutValue("kernel.all.runnable", "", str(row % 5))
    log.pmiWrite(1767225600 + row, 0)
"""
"""A program for the system's Python, which alone has PCP's library."""


def own(path: Path, rows: int) -> None:
    """The log of `headcount watch`."""
    source = {"name": "server", "address": "local", "host": "vm", "system": "linux"}
    header = {"kind": "header", "format": "headcount watch", "version": 1, "headcount": "1"}
    columns = {"kind": "columns", "source": "server", "names": NAMES, "units": [None] * len(NAMES)}
    lines: list[Mapping[str, object]] = [
        {"at_s": 0.0, **header, "interval_s": 1, "sources": [source]},
        {"at_s": 0.0, **columns},
    ]
    samples = (
        {"at_s": float(row), "kind": "sample", "source": "server", "values": _figures(row)}
        for row in range(rows)
    )
    dumped = (json.dumps(line, separators=(",", ":")) for some in (lines, samples) for line in some)
    _write(path, (f"{line}\n" for line in dumped))


def perfmon(path: Path, rows: int) -> None:
    """The CSV of Windows' relog."""
    paths = ",".join(rf'"\\VM\{name}"' for name in PERFMON)

    def lines() -> Iterator[str]:
        yield f'"(PDH-CSV 4.0) (UTC)(0)",{paths}\r\n'
        for row in range(rows):
            values = [10 + row % 70, 4e9 + row, 80.0, 0.3, 0.0045, 90.0 + row % 5]
            cells = ",".join(f'"{value:.6f}"' for value in values)
            yield f'"{BEGUN + timedelta(seconds=row):%m/%d/%Y %H:%M:%S}.000",{cells}\r\n'

    _write(path, lines())


def sysstat(path: Path, rows: int) -> None:
    """The JSON of `sadf -j`, with the CPUs, the memory, a disk and a link."""
    memory: dict[str, float] = {
        "memfree": 4_000_000,
        "avail": 5_000_000,
        "memused": 3_000_000,
        "buffers": 1000,
    }
    memory |= {"cached": 900_000, "slab": 1000, "memused-percent": 37.5, "dirty": 100}
    disk = {"disk-device": "sda", "tps": 90.0, "rkB": 10.0, "wkB": 400.0, "aqu-sz": 0.3}
    disk |= {"await": 4.5, "util-percent": 20.0}
    link = {"iface": "eth0", "rxpck": 10.0, "txpck": 9.0, "rxkB": 5.0, "txkB": 4.0}
    link |= {"ifutil-percent": 0.1}

    def lines() -> Iterator[str]:
        yield '{"sysstat": {"hosts": [{"nodename": "vm", "sysname": "Linux", "statistics": ['
        for row in range(rows):
            at = BEGUN + timedelta(seconds=row)
            stamp = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M:%S}", "utc": 1, "interval": 1}
            idle = 10.0 + row % 70
            cpu = {"cpu": "all", "user": 99.0 - idle, "nice": 0.0, "system": 1.0, "iowait": 0.0}
            sample = {"timestamp": stamp, "cpu-load": [cpu | {"steal": 0.0, "idle": idle}]}
            sample |= {"memory": memory, "disk": [disk], "network": {"net-dev": [link]}}
            yield f"{',' if row else ''}{json.dumps(sample)}\n"
        yield "]}]}}\n"

    _write(path, lines())


def pages(path: Path, rows: int) -> None:
    """Pages of node_exporter, one after the other."""

    def lines() -> Iterator[str]:
        for row in range(rows):
            yield f"# headcount page {row}\n"
            for mode, used_s in (("user", row * 0.3), ("idle", row * 0.65)):
                yield f'node_cpu_seconds_total{{cpu="0",mode="{mode}"}} {used_s:.2f}\n'
            yield f"node_memory_MemTotal_bytes 8e9\nnode_memory_MemAvailable_bytes {4e9 + row}\n"
            yield f'node_disk_io_time_seconds_total{{device="sda"}} {row * 0.2:.1f}\n'

    _write(path, lines())


def answer(path: Path, rows: int) -> None:
    """One answer of Prometheus' API about two metrics of node_exporter."""

    def series(name: str, labels: Mapping[str, str], step: float) -> Iterator[str]:
        metric = {"__name__": name, "instance": "vm:9100", "job": "node", **labels}
        yield f'{{"metric": {json.dumps(metric)}, "values": ['
        for row in range(rows):
            yield f'{"," if row else ""}[{row}, "{row * step + row % 7 * 0.01:.2f}"]'
        yield "]}"

    def text() -> Iterator[str]:
        yield '{"status": "success", "data": {"resultType": "matrix", "result": ['
        cpu = "node_cpu_seconds_total"
        yield from series(cpu, {"cpu": "0", "mode": "user"}, 0.3)
        yield ","
        yield from series(cpu, {"cpu": "0", "mode": "idle"}, 0.65)
        yield ","
        yield from series("node_memory_MemAvailable_bytes", {}, 1000.0)
        yield "]}}"

    _write(path, text())


def pcp(path: Path, rows: int) -> None:
    """An archive of Performance Co-Pilot's."""
    subprocess.run(["/usr/bin/python3", "-c", PCP, str(path), str(rows)], check=True)


def _figures(row: int) -> list[float]:
    return [0.1 + row % 7 / 10, 4e9 + row, 0.2, 0.3, 4.5, 90.0 + row % 5]


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        file.writelines(lines)


FORMATS: Mapping[str, Callable[[Path, int], None]] = {
    "Headcount's log": own,
    "Perfmon CSV": perfmon,
    "sadf -j": sysstat,
    "Prometheus, pages": pages,
    "Prometheus, an answer": answer,
    "PCP archive": pcp,
}
