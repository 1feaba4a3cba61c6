"""What this machine is and has, as far as a load generator needs it."""

from __future__ import annotations

import os
import platform
import resource
import shutil
import socket
import sys
import time
from pathlib import Path
from typing import Any

LOOK_S = 0.5
"""Time between two samples of the CPU time of all processes."""
LEAST_CORES = 0.1
"""A program that uses less of a CPU does not disturb a generator."""
TRIES = 3
"""Connections to a target, of which the fastest counts."""


def look(ports: list[int], folder: str) -> dict[str, Any]:
    """The machine's figures; `ports` must be free, `folder` is where files will be."""
    connection = os.environ.get("SSH_CONNECTION", "").split()
    path = os.path.expanduser(folder)  # noqa: PTH111 - a text comes back
    low, high = Path("/proc/sys/net/ipv4/ip_local_port_range").read_text("ascii").split()
    return {
        "python": platform.python_version(),
        "program": os.path.realpath(sys.executable),
        "architecture": platform.machine(),
        "hostname": platform.node(),
        "boot": Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip(),
        "user": os.getuid(),
        "cpus": len(os.sched_getaffinity(0)),
        "handles": resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        "local_ports": [int(low), int(high)],
        "taken": [port for port in ports if not _is_free(port)],
        "free_bytes": shutil.disk_usage(_existing(path)).free,
        "folder": path,
        "client": connection[0] if connection else "",
        "server": connection[2] if len(connection) > 2 else "",
    }


def busy() -> dict[str, Any]:
    """The load average, and programs that use a tenth of a CPU or more: name and CPUs."""
    before, at_s = _times(), time.monotonic()
    time.sleep(LOOK_S)
    after, took_s = _times(), time.monotonic() - at_s
    ticks = os.sysconf("SC_CLK_TCK") * took_s
    used: dict[str, float] = {}
    for key, (name, total) in after.items():
        if key in before and key[0] != os.getpid():
            used[name] = used.get(name, 0.0) + (total - before[key][1]) / ticks
    rows = sorted(((cores, name) for name, cores in used.items()), reverse=True)
    return {
        "load": os.getloadavg()[0],
        "programs": [[name, cores] for cores, name in rows if cores >= LEAST_CORES],
    }


def clock() -> float:
    """The time of day, in seconds."""
    return time.time()


def connect(host: str, port: int) -> float:
    """How long the fastest of some connections took, in seconds; raises OSError."""
    best = float("inf")
    for _ in range(TRIES):
        at_s = time.monotonic()
        with socket.create_connection((host, port), 5.0):
            best = min(best, time.monotonic() - at_s)
    return best


def has_address(address: str) -> bool:
    """Whether an IP address is one of this machine's."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as one:
        try:
            one.bind((address, 0))
        except OSError:
            return False
    return True


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Ray's own do
        try:
            one.bind(("", port))
        except OSError:
            return False
    return True


def _existing(folder: str) -> Path:
    found = Path(folder)
    while not found.exists():
        found = found.parent
    return found


def _times() -> dict[tuple[int, str], tuple[str, int]]:
    """Name and CPU time of each process, in ticks, by its id and when it was started."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = path.read_text("utf-8", "replace").rpartition(")")
        except OSError:
            continue
        words = tail.split()
        name = head.partition("(")[2]
        found[int(path.parent.name), words[19]] = (name, int(words[11]) + int(words[12]))
    return found
