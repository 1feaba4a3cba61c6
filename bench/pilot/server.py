"""The server of the proof: an nginx of this machine that compresses the pages of web-mix."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import port
from headcount.lab.nginx import program

HEADCOUNT = str(Path(sys.executable).with_name("headcount"))
WORKLOAD = "web-mix"
STARTS_S = 30.0
POLL_S = 0.1
CONFIGURATION = """\
user root;
daemon off;
worker_processes auto;
pid {place}/pid;
error_log {place}/log;
events {{ worker_connections 4096; }}
http {{
access_log off;
types {{ text/html html; }}
gzip on;
gzip_comp_level 9;
keepalive_requests 1000000;
server {{ listen 127.0.0.1:{number} backlog=4096; root {place}/www; }}
}}
"""
"""All other settings are nginx's defaults."""


@dataclass(frozen=True, slots=True)
class Server:
    """The server while it is up.

    Attributes:
        pid: Its first process.
        url: Where it serves its pages.
        pages: Their folder.

    """

    pid: int
    url: str
    pages: Path


@contextmanager
def server(place: Path) -> Iterator[Server]:
    """An nginx with its pages in a folder, in a session of its own as a service has."""
    pages, file, number = place / "www", place / "nginx.conf", port.free()
    made = [HEADCOUNT, "prepare", WORKLOAD, "--folder", str(pages)]
    subprocess.run(made, check=True, capture_output=True)
    file.write_text(CONFIGURATION.format(place=place, number=number), "utf-8")
    # If this program is killed, the kernel ends nginx.
    command = ["setpriv", "--pdeathsig", "TERM", program(), "-c", str(file), "-e", f"{place}/log"]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        end_s = time.monotonic() + STARTS_S
        while not port.is_held_by(process.pid, number):
            if process.poll() is not None or time.monotonic() > end_s:
                raise SystemLimitError(f"nginx does not listen: {(place / 'log').read_text()}")
            time.sleep(POLL_S)
        yield Server(process.pid, f"http://127.0.0.1:{number}", pages)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()
