"""What a case needs around its servers: control groups, neighbours, interruptions."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

from bench.foreign.servers.start import PASSWORD, end
from headcount.lab.keeper import descendants
from headcount.lab.squeeze import hierarchy
from headcount.lab.squeeze.device import device_of
from headcount.lab.squeeze.group import Group, make
from headcount.lab.squeeze.limits import Limits

SPIN = "while True: pass"
BURSTS = """
import time
while True:
    end = time.monotonic() + 0.06
    while time.monotonic() < end: pass
    time.sleep(0.14)
"""
"""Uses a third of a core, in bursts like those of other programs on a busy machine."""
MIB = 1 << 20


@contextlib.contextmanager
def limited(pid: int, wanted: Mapping[str, str], disk: Path | None) -> Iterator[Group | None]:
    """A control group with limits around a process and its descendants."""
    if not wanted:
        yield None
        return
    limits = Limits(
        cpu_cores=float(wanted["cpu"]) if "cpu" in wanted else None,
        cpus=wanted.get("cpus"),
        weight=_whole(wanted, "weight"),
        memory_bytes=int(wanted["memory"]) * MIB if "memory" in wanted else None,
        disk_read_bytes=_whole(wanted, "read"),
        disk_write_bytes=_whole(wanted, "write"),
        disk_read_ops=_whole(wanted, "read_ops"),
        disk_write_ops=_whole(wanted, "write_ops"),
    )
    group = make("foreign", hierarchy.find(), limits.controllers)
    try:
        group.add([pid])
        group.limit(limits, device_of(disk) if disk is not None else None)
        yield group
    finally:
        for member in group.pids():
            with contextlib.suppress(OSError):
                group.release(member)
        group.remove()


def _whole(wanted: Mapping[str, str], name: str) -> int | None:
    return int(wanted[name]) if name in wanted else None


@contextlib.contextmanager
def neighbours(number: int, program: str = SPIN) -> Iterator[None]:
    """Other programs that use the CPU."""
    busy = [
        subprocess.Popen([sys.executable, "-S", "-c", program], start_new_session=True)
        for _ in range(number)
    ]
    try:
        yield
    finally:
        for one in busy:
            end(one)


@contextlib.contextmanager
def folder_on_disk() -> Iterator[Path]:
    """A folder on the machine's disk, which other users may traverse."""
    with tempfile.TemporaryDirectory(prefix="hcf-", dir="/var/tmp") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@contextlib.contextmanager
def stopped(pid: int, every_ms: float, for_ms: float) -> Iterator[None]:
    """Stop a server and its descendants, now and then."""
    ended = threading.Event()

    def again() -> None:
        while not ended.wait((every_ms - for_ms) / 1000):
            everyone = [pid, *descendants(pid)]
            _signal(everyone, signal.SIGSTOP)
            ended.wait(for_ms / 1000)
            _signal(everyone, signal.SIGCONT)

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        _signal([pid, *descendants(pid)], signal.SIGCONT)


def _signal(pids: list[int], how: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, how)


@contextlib.contextmanager
def repeated(address: str, statement: str, every_ms: float) -> Iterator[None]:
    """Run a statement as the owner of a database again and again."""
    host, _, rest = address.partition(":")
    port, _, database = rest.partition("/")
    words = ["psql", "-XAtq", "-h", host, "-p", port, "-U", "admin", "-d", database]
    speaker = subprocess.Popen(
        words,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PGPASSWORD": PASSWORD},
        start_new_session=True,
    )
    ended = threading.Event()

    def again() -> None:
        with contextlib.suppress(OSError):
            while speaker.stdin is not None and not ended.wait(every_ms / 1000):
                speaker.stdin.write(f"{statement};\n".encode())
                speaker.stdin.flush()

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
        end(speaker)
