"""What a run makes to squeeze a server is gone when the run is, however it ends."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from headcount.lab.squeeze import Limits, Line, Squeeze, Wanted
from headcount.lab.squeeze.cache import forget

WANTED = Wanted(server=Limits(cpu_cores=0.5), network_bits_s=80_000_000)
FAR = Wanted(server=Limits(cpu_cores=0.5), line=Line(0.015))
DEVICES = Path("/sys/class/net")
HOLD = """
import os, subprocess, sys, time
from headcount.lab.squeeze import Limits, Line, Squeeze, Wanted
from pathlib import Path
line = Line(0.015) if sys.argv[1] == "far" else None
squeeze = Squeeze(Wanted(server=Limits(cpu_cores=0.5), network=True, line=line))
sleeping = subprocess.Popen(["sleep", "60"])
squeeze.hold([sleeping.pid], Path("/"))
link = squeeze.link
carrier = link.line.pid if link.line else os.getpid()
print(sleeping.pid, carrier, link.name, link.device, *squeeze.server.folders, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("wanted", [WANTED, FAR])
def test_everything_is_undone(wanted: Wanted) -> None:
    squeeze = Squeeze(wanted)
    assert squeeze.server
    assert squeeze.link
    folders, name, device = squeeze.server.folders, squeeze.link.name, squeeze.link.device
    line = Path(f"/proc/{squeeze.link.line.pid}") if squeeze.link.line else None
    assert all(folder.exists() for folder in folders)
    assert (Path("/run/netns") / name).exists()
    assert (DEVICES / device).exists()
    assert line is None or line.exists()
    squeeze.close()
    squeeze.close()
    assert not any(folder.exists() for folder in folders)
    assert not (Path("/run/netns") / name).exists()
    assert not (DEVICES / device).exists()
    assert line is None or not line.exists()


@pytest.mark.parametrize("where", ["near", "far"])
def test_everything_is_undone_when_the_run_is_killed(where: str) -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD, where], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    pid, carrier, name, device, *folders = run.stdout.readline().split()
    made = [*map(Path, folders), Path("/run/netns") / name, DEVICES / device]
    made.append(Path("/proc") / carrier)
    assert all(path.exists() for path in made)
    os.kill(run.pid, signal.SIGKILL)
    os.kill(int(pid), signal.SIGKILL)  # what a keeper does with a server
    run.wait()
    run.stdout.close()
    deadline_s = time.monotonic() + 30
    while any(path.exists() for path in made):
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


@pytest.mark.parametrize("line", [None, Line(0.015)])
def test_the_network_is_limited_to_its_rate(line: Line | None) -> None:
    """2 MB at 40 Mbit/s take 0.4 s, of which the bucket's first 64 KiB and little else are free."""
    squeeze = Squeeze(Wanted(network_bits_s=40_000_000, line=line))
    assert squeeze.link
    amount, took_s = 2_000_000, [0.0]
    try:
        with socket.create_server((squeeze.link.address, 0)) as server:

            def receive() -> None:
                port = server.getsockname()[1]
                with socket.create_connection(server.getsockname()) as client:
                    assert client.getpeername()[1] == port
                    assert client.getsockname()[0] != squeeze.link.address  # type: ignore[union-attr]
                    got = 0
                    began_s = time.monotonic()
                    while data := client.recv(1 << 16):
                        got += len(data)
                    took_s[0] = time.monotonic() - began_s
                    assert got == amount

            with squeeze.generating():
                thread = threading.Thread(target=receive)
                thread.start()
            here, _ = server.accept()
            with here:
                here.sendall(bytes(amount))
            thread.join(30)
    finally:
        squeeze.close()
    assert took_s[0] > (amount - 200_000) * 8 / 40_000_000, "never faster than the rate"


def test_files_are_forgotten_by_the_page_cache(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "data"
    file.parent.mkdir()
    file.write_bytes(os.urandom(1 << 20))
    assert cached_pages(file) > 0
    assert forget(tmp_path) == 1
    assert cached_pages(file) == 0


def cached_pages(file: Path) -> int:
    """Pages in memory, as util-linux counts them (fincore(1))."""
    finished = subprocess.run(
        ["fincore", "--noheadings", "--output", "PAGES", file],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(finished.stdout)
