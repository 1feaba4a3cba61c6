"""A server that somebody else started on this machine: what a run finds, counts and reports."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from processes import Headcount, lines

pytestmark = pytest.mark.e2e

WORKLOAD = """
name = "hello"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again."
deviations = []
sources = []
criteria = ["errors<50%"]
client = { keep_alive = "off" }
pace = { kind = "closed", time = { draw = "fixed", mean = "0.1s" } }

[run]
ladder = [1]
ramp = "0s"
settle = "0s"
duration = "3s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""

FORKING = """
import os, signal, socket, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
server = socket.create_server(("127.0.0.1", 0), backlog=64)
print(server.getsockname()[1], flush=True)
while True:
    client, _ = server.accept()
    if os.fork() == 0:
        client.recv(4096)
        while time.process_time() < 0.02:
            pass
        client.sendall(b"HTTP/1.0 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
        os._exit(0)
    client.close()
"""
"""A program of 20 ms of CPU time for each request; nobody waits for its end."""


@pytest.fixture
def server() -> Iterator[tuple[int, str]]:
    """Its process and its target."""
    process = subprocess.Popen(
        [sys.executable, "-c", FORKING], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        assert process.stdout
        yield process.pid, f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def command(folder: Path, target: str, *more: str) -> tuple[str, ...]:
    workload = folder / "hello.toml"
    workload.write_text(WORKLOAD)
    return ("run", str(workload), "--target", target, "--users", "4", *more)


def test_its_processes_are_found_and_their_ended_children_counted(
    headcount: Headcount, server: tuple[int, str], tmp_path: Path
) -> None:
    pid, target = server
    ended = headcount.run(*command(tmp_path, target))
    (folder,) = headcount.bundles()
    bundle = reader.load(folder)
    assert bundle.environment is not None
    found = bundle.environment.server
    assert found is not None
    assert str(pid) in found.processes
    assert found.addresses == [target.removeprefix("http://")]
    assert found.missing is None
    assert f"listens on {found.addresses[0]}" in ended.err
    (level,) = bundle.levels
    counters = level.counters["sut"]
    # The server computes for 20 ms a request, and a fork costs time, too. The figure is what the
    # machine's other programs leave over, so an error comes from those that start and end; without
    # the ended children almost nothing would be left.
    wanted = level.achieved_per_s * 0.02
    assert counters["process.cpu.utilization"].mean > 0.5 * wanted
    assert "system.cpu.foreign" in counters
    assert connections(level) <= level.users + 1


def connections(level: LevelResult) -> float:
    """Connections of the target alone, not all of this machine."""
    return level.counters["sut"]["socket.connections"].mean


def test_processes_that_are_named_are_the_server(
    headcount: Headcount, server: tuple[int, str], tmp_path: Path
) -> None:
    pid, target = server
    ended = headcount.run(*command(tmp_path, target, "--pid", str(pid), "--json"))
    bundle = reader.load(Path(json.loads(ended.out)["bundle"]))
    assert bundle.environment is not None
    assert bundle.environment.server is not None
    assert bundle.environment.server.found_by == "named with --pid"
    assert str(pid) in bundle.environment.server.processes


def test_a_resumed_run_finds_the_named_server(
    headcount: Headcount, server: tuple[int, str], tmp_path: Path
) -> None:
    pid, target = server
    workload = tmp_path / "hello.toml"
    workload.write_text(WORKLOAD)
    options = ("--levels", "2,3", "--duration", "2s", "--pid", str(pid))
    run = headcount.start("run", str(workload), "--target", target, *options)

    def is_in_the_second() -> bool:
        seconds = lines(headcount.bundle / "series.ndjson") if headcount.bundles() else []
        return bool(seconds) and seconds[-1]["level"] == 2

    run.reach(is_in_the_second)
    run.send(signal.SIGINT)
    assert run.ended().code == 130, run.err
    bundle = reader.load(headcount.bundle)
    assert bundle.environment is not None
    assert bundle.environment.server is not None
    assert bundle.environment.server.named == {"pids": [str(pid)]}
    ended = headcount.run("resume", str(headcount.bundle))
    assert "named with --pid" in ended.err
    assert [level.users for level in reader.load(headcount.bundle).levels] == [2, 3]


def test_missing_processes_and_those_of_lab_servers_are_refused(
    headcount: Headcount, server: tuple[int, str], tmp_path: Path
) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    _, target = server
    ended = headcount.run(*command(tmp_path, target, "--pid", str(gone.pid)))
    assert ended.code == 2
    assert f"--pid {gone.pid}: there is no such process" in ended.message
    lab = headcount.run(*command(tmp_path, "lab:nginx", "--pid", str(os.getpid())))
    assert lab.code == 2
    assert "are known" in lab.message
    assert not headcount.bundles()
