"""Plays command lines in one process, one after the other: an attack then costs no start.

Usage: player.py SOCKET. It connects there, and answers each command line with its exit code, the
memory that it took beyond what there was, and its CPU time.
"""

import json
import os
import resource
import socket
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from headcount.cli import run_line

MOST = 1 << 16
"""Bytes of a request."""
FORGET_PEAK = "5"
"""What makes the largest memory so far the present one (proc(5), clear_refs)."""


def status_kib(field: str) -> int:
    """A figure of this process in /proc/self/status."""
    lines = Path("/proc/self/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


def cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def played(arguments: Sequence[str], files: Sequence[str]) -> tuple[int, int, float]:
    """Exit code, KiB and seconds of a command that writes to two files."""
    for place, path in enumerate(files, start=1):
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, place)
        os.close(file)
    Path("/proc/self/clear_refs").write_text(FORGET_PEAK, "ascii")
    before_kib, before_s = status_kib("VmRSS"), cpu_s()
    try:
        code = int(run_line(arguments))
    except BaseException:  # noqa: BLE001 - a panic of the engine, say, as an interpreter ends with it
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code, status_kib("VmHWM") - before_kib, cpu_s() - before_s


def main(path: str) -> None:
    """Play what is asked for until nobody asks."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asking:
        asking.connect(path)
        while message := asking.recv(MOST):
            asking.send(json.dumps(played(*json.loads(message))).encode())


if __name__ == "__main__":
    main(sys.argv[1])
