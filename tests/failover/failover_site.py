"""Somebody's server for tests of failover: an nginx with one page, and users who ask for it."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headcount.lab import port
from headcount.lab.keeper import descendants
from headcount.lab.nginx import program
from processes import wait_for

HELLO = """
name = "hello"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["overload<5%"]
pace = { kind = "closed", time = { draw = "uniform", low = "0.1s", high = "0.3s" } }

[run]
ladder = [1]
ramp = "0s"
settle = "0s"
duration = "2s"

[[scenarios]]
name = "page"
weight = 1
limit = "100ms"
steps = [{ name = "get", op = "get", path = "/" }]
"""
CONFIGURATION = """daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/nginx.log;
events {{}}
http {{
access_log off;
server {{ listen 127.0.0.1:{number}; location / {{ return 200 hello; }} }}
}}
"""


@contextmanager
def hello_nginx(folder: Path) -> Iterator[int]:
    """An nginx with one page; its port."""
    number = port.free()
    file = folder / "nginx.conf"
    file.write_text(CONFIGURATION.format(folder=folder, number=number))
    command = [program(), "-c", str(file), "-p", str(folder), "-e", str(folder / "nginx.log")]
    with subprocess.Popen(command) as one:
        try:
            wait_for(lambda: port.answers(number))
            yield number
        finally:
            for pid in (one.pid, *descendants(one.pid)):  # a test may have stopped it
                os.kill(pid, signal.SIGKILL)
