"""What a run makes to squeeze a server is gone when the run is, however it ends."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from headcount.lab.squeeze import Limits, Squeeze, Wanted
from headcount.lab.squeeze.cache import forget

WANTED = Wanted(server=Limits(cpu_cores=0.5), network_bits_s=80_000_000)
HOLD = """
import subprocess, sys, time
from headcount.lab.squeeze import Limits, Squeeze, Wanted
from pathlib import Path
squeeze = Squeeze(Wanted(server=Limits(cpu_cores=0.5), network=True))
sleeping = subprocess.Popen(["sleep", "60"])
squeeze.hold([sleeping.pid], Path("/"))
print(sleeping.pid, squeeze.link.name, *squeeze.server.folders, flush=True)
time.sleep(60)
"""


def test_everything_is_undone() -> None:
    squeeze = Squeeze(WANTED)
    assert squeeze.server
    assert squeeze.link
    folders, name = squeeze.server.folders, squeeze.link.name
    assert all(folder.exists() for folder in folders)
    assert (Path("/run/netns") / name).exists()
    squeeze.close()
    squeeze.close()
    assert not any(folder.exists() for folder in folders)
    assert not (Path("/run/netns") / name).exists()


def test_everything_is_undone_when_the_run_is_killed() -> None:
    run = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert run.stdout
    pid, name, *folders = run.stdout.readline().split()
    assert all(Path(folder).exists() for folder in folders)
    os.kill(run.pid, signal.SIGKILL)
    os.kill(int(pid), signal.SIGKILL)  # what a keeper does with a server
    run.wait()
    run.stdout.close()
    deadline_s = time.monotonic() + 30
    while any(Path(folder).exists() for folder in folders) or (Path("/run/netns") / name).exists():
        assert time.monotonic() < deadline_s
        time.sleep(0.05)


def test_the_network_lets_through_what_it_is_told_to() -> None:
    """2 MB at 40 Mbit/s take 0.4 s, of which the bucket's first 64 KiB and little else are free."""
    squeeze = Squeeze(Wanted(network_bits_s=40_000_000))
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
