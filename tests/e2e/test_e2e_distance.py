"""Users who are far from the server, and users behind a network that loses packets."""

import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from network import ip
from processes import Headcount

pytestmark = pytest.mark.e2e

WORKLOAD = """
name = "hello"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["p90<=100ms", "errors<50%"]
pace = { kind = "closed", time = { draw = "exponential", mean = "0.2s" } }

[run]
ladder = [4, 24]
ramp = "0s"
settle = "0s"
duration = "5s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""
SERVER = """
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Page(BaseHTTPRequestHandler):
    protocol_version, disable_nagle_algorithm, wbufsize = "HTTP/1.1", True, -1
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *_):
        pass

server = ThreadingHTTPServer((sys.argv[1], 0), Page)
print(server.server_port, flush=True)
server.serve_forever()
"""


@contextmanager
def far_server(*way: str) -> Iterator[str]:
    """The address of a server behind a network that delays or loses packets."""
    name = f"hcf{uuid.uuid4().hex[:6]}"
    # Of 10.232.0.0/16, which nobody routes here: a pair of addresses for each process of the tests.
    first = os.getpid() * 2 % 65_536
    here, there = (f"10.232.{(first + one) // 256}.{(first + one) % 256}" for one in (0, 1))
    pipe = subprocess.PIPE
    ip("netns", "add", name)
    started: list[subprocess.Popen[str]] = []
    try:
        for command in (
            [sys.executable, "-m", "bench.foreign.distance", name, here, there, *way],
            ["ip", "netns", "exec", name, sys.executable, "-c", SERVER, there],
        ):
            started.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True))
            output = started[-1].stdout
            assert output is not None
            last_line = output.readline().strip()  # the relay's `ready`, then the server's port
        yield f"http://{there}:{last_line}"
    finally:
        for process in started:
            process.send_signal(signal.SIGKILL)
            process.communicate()
        ip("netns", "del", name)


def diagnosed(headcount: Headcount, folder: Path, target: str) -> dict[str, object]:
    file = folder / "hello.toml"
    file.write_text(WORKLOAD)
    ended = headcount.run("run", str(file), "--target", target, "--authorised-by", "the tests")
    assert ended.code in {0, 1, 4}, ended
    found: dict[str, object] = headcount.run("diagnose", str(headcount.bundle), "--json").json
    return found


def test_latency_is_diagnosed_without_counters_of_the_server(
    headcount: Headcount, tmp_path: Path
) -> None:
    with far_server("--delay-ms", "60") as target:
        found = diagnosed(headcount, tmp_path, target)["diagnosis"]
    assert isinstance(found, dict)
    assert (found["limit"], found["detail"]) == ("delay", "latency")
    (figure,) = found["figures"]
    # Each way takes 60 ms; a busy machine passes packets on later, never earlier.
    assert (figure["side"], figure["counter"]) == ("generator", "socket.round_trip")
    assert 120 <= figure["value"] < 200


def test_packet_loss_is_diagnosed(headcount: Headcount, tmp_path: Path) -> None:
    with far_server("--loss", "0.06") as target:
        found = diagnosed(headcount, tmp_path, target)["diagnosis"]
    assert isinstance(found, dict)
    assert (found["limit"], found["detail"]) == ("delay", "loss")
    assert "loses packets" in found["sentence"]
