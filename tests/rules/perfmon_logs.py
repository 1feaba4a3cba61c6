"""Perfmon logs of one machine, as relog writes them, made of a few numbers."""

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(1998, 11, 23, 9, 0, tzinfo=UTC)
MB = 2**20

QUIET: Mapping[str, float] = {
    r"Memory\Available Bytes": 60 * MB,
    r"Memory\Pages/sec": 2,
    r"Memory\Committed Bytes": 70 * MB,
    r"Memory\Page Faults/sec": 80,
    r"Memory\Cache Faults/sec": 60,
    r"Server\Pool Nonpaged Failures": 0,
    r"Server\Pool Paged Failures": 0,
    r"PhysicalDisk(_Total)\% Disk Time": 8,
    r"PhysicalDisk(_Total)\% Idle Time": 92,
    r"PhysicalDisk(_Total)\Avg. Disk Queue Length": 0.1,
    r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer": 0.009,
    r"PhysicalDisk(_Total)\Disk Bytes/sec": 200_000,
    r"Processor(_Total)\% Processor Time": 22,
    r"System\Processor Queue Length": 0,
    r"Network Interface(Intel PRO)\Bytes Received/sec": 200_000,
    r"Network Interface(Intel PRO)\Bytes Sent/sec": 700_000,
    r"Network Interface(Intel PRO)\Current Bandwidth": 100_000_000,
    r"Network Interface(Intel PRO)\Packets Received Errors": 0,
}
SHORT_OF_MEMORY = {
    r"Memory\Available Bytes": 2.2 * MB,
    r"Memory\Pages/sec": 85,
    r"Memory\Committed Bytes": 190 * MB,
    r"Memory\Page Faults/sec": 400,
    r"Memory\Cache Faults/sec": 90,
}
BUSY_DISK = {
    r"PhysicalDisk(_Total)\% Disk Time": 96,
    r"PhysicalDisk(_Total)\% Idle Time": 4,
    r"PhysicalDisk(_Total)\Avg. Disk Queue Length": 6.5,
    r"PhysicalDisk(_Total)\Avg. Disk sec/Transfer": 0.062,
    r"PhysicalDisk(_Total)\Disk Bytes/sec": 900_000,
}
BUSY_CPU = {
    r"Processor(_Total)\% Processor Time": 96,
    r"System\Processor Queue Length": 5,
}
AT_WORK = {
    r"Processor(_Total)\% Processor Time": 76,
    r"Network Interface(Intel PRO)\Bytes Received/sec": 1_000_000,
    r"Network Interface(Intel PRO)\Bytes Sent/sec": 3_900_000,
}
STEADY = ("Committed", "Failures", "Errors", "Bandwidth")


def write(
    path: Path,
    troubled: Mapping[str, float],
    part: tuple[float, float] = (0.0, 1.0),
    samples: int = 240,
    every_s: int = 15,
    quiet: Mapping[str, float] = QUIET,
    left_out: Sequence[str] = (),
) -> Path:
    """Write a log in which some counters have other values in a part of the time."""
    rng = random.Random(7)
    names = [name for name in {**quiet, **troubled} if name not in left_out]
    lines = [_row(["(PDH-CSV 4.0) (GMT Standard Time)(0)", *(rf"\\NT4\{one}" for one in names)])]
    for index in range(samples):
        inside = part[0] <= index / samples < part[1]
        now = {**quiet, **troubled} if inside else {**troubled, **quiet}
        moment = START + timedelta(seconds=index * every_s)
        cells = [f"{moment:%m/%d/%Y %H:%M:%S}.000"]
        for name in names:
            noise = 1.0 if any(one in name for one in STEADY) else rng.uniform(0.93, 1.07)
            value = now[name] * noise
            if "%" in name and "Disk Time" not in name:
                value = min(value, 100.0)
            cells.append(" " if index == 0 and "/sec" in name else f"{value:.9f}")
        lines.append(_row(cells))
    path.write_text("\r\n".join(lines) + "\r\n", "ascii")
    return path


def _row(cells: Sequence[str]) -> str:
    return ",".join(f'"{cell}"' for cell in cells)
