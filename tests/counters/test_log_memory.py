"""A log of many rows is kept as numbers: what reading and judging it takes for each row."""

import json
import tracemalloc
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from headcount.analyse.rules.diagnosis import diagnose
from headcount.counters import log

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
MOST_BYTES = 40
"""Of memory for each figure of each row: a number of eight bytes, copied a few times. As objects of
Python's, a figure takes over a hundred."""


def own(path: Path, rows: int) -> None:
    source = {"name": "server", "address": "local", "host": "vm", "system": "linux"}
    header = {"kind": "header", "format": "headcount watch", "version": 1, "headcount": "1"}
    lines = [{"at_s": 0.0, **header, "interval_s": 1, "sources": [source]}]
    columns = {"kind": "columns", "source": "server", "names": NAMES, "units": [None] * len(NAMES)}
    lines.append({"at_s": 0.0, **columns})
    with path.open("w", encoding="utf-8") as file:
        for line in lines:
            file.write(json.dumps(line, separators=(",", ":")) + "\n")
        for row in range(rows):
            values = [0.1 + row % 7 / 10, 4e9 + row, 0.2, 0.3, 4.5, 90.0 + row % 5]
            line = {"at_s": float(row), "kind": "sample", "source": "server", "values": values}
            file.write(json.dumps(line) + "\n")


def perfmon(path: Path, rows: int) -> None:
    paths = ",".join(rf'"\\VM\{name}"' for name in PERFMON)
    with path.open("w", encoding="ascii") as file:
        file.write(f'"(PDH-CSV 4.0) (UTC)(0)",{paths}\r\n')
        for row in range(rows):
            at = datetime(2026, 1, 1) + timedelta(seconds=row)  # noqa: DTZ001
            values = [10 + row % 70, 4e9 + row, 80.0, 0.3, 0.0045, 90.0 + row % 5]
            cells = ",".join(f'"{value:.6f}"' for value in values)
            file.write(f'"{at:%m/%d/%Y %H:%M:%S}.000",{cells}\r\n')


def sysstat(path: Path, rows: int) -> None:
    disk = {"disk-device": "sda", "tps": 90.0, "aqu-sz": 0.3, "await": 4.5, "util-percent": 20.0}
    with path.open("w", encoding="ascii") as file:
        file.write('{"sysstat": {"hosts": [{"nodename": "vm", "sysname": "Linux", "statistics": [')
        for row in range(rows):
            at = datetime(2026, 1, 1) + timedelta(seconds=row)  # noqa: DTZ001
            stamp = {"date": f"{at:%Y-%m-%d}", "time": f"{at:%H:%M:%S}", "utc": 1, "interval": 1}
            sample = {"timestamp": stamp, "cpu-load": [{"cpu": "all", "idle": 10.0 + row % 70}]}
            file.write(f"{',' if row else ''}{json.dumps(sample | {'disk': [disk]})}\n")
        file.write("]}]}}\n")


def printed(path: Path, rows: int) -> None:
    with path.open("w", encoding="ascii") as file:
        file.write("Linux 6.1 (vm) \t01/01/26 \t_x86_64_\t(4 CPU)\n\n")
        for names, cells in (("CPU %user %idle", "all 5.0 {}"), ("DEV tps aqu-sz", "sda {} 0.3")):
            file.write(f"00:00:00 {names}\n")
            for row in range(rows):
                at = datetime(2026, 1, 1) + timedelta(seconds=row)  # noqa: DTZ001
                file.write(f"{at:%H:%M:%S} {cells.format(10.0 + row % 70)}\n")


@pytest.mark.parametrize("write", [own, perfmon, sysstat, printed])
def test_a_row_takes_no_more_memory_than_its_numbers(
    write: Callable[[Path, int], None], tmp_path: Path
) -> None:
    peaks = []
    for rows in (1_000, 1_000, 9_000):  # the first fills caches
        path = tmp_path / f"{rows}.log"
        write(path, rows)
        tracemalloc.start()
        (recording,) = log.read(path)
        found = diagnose(recording)
        assert found.decision.coverage.samples == rows
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    figures = len(found.examination.frame.names())
    assert (peaks[2] - peaks[1]) / 8_000 / figures < MOST_BYTES
