"""Servers to tune in tests: those of the lab, and processes that pose as a server."""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from headcount.lab.server import Server as LabServer
from headcount.protocols.registry import start_lab
from headcount.tune.host import COMMAND_S, Ended, ThisHost
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.server import Running, Server
from headcount.tune.values import Values

MACHINES = (
    {"cpus": 1, "memory_mib": 512, "users": 1},
    {"cpus": 2, "memory_mib": 4096, "users": 1000},
    {"cpus": 256, "memory_mib": 4 << 20, "users": 100_000},
)
"""From the smallest to the largest that formulas should do for."""
PATIENCE_S = 20.0


class PosingHost(ThisHost):
    """This machine, where this process seems to run another program."""

    def __init__(self, program: str) -> None:
        self._program = program

    def run(self, command: Sequence[str], longest_s: float = COMMAND_S) -> Ended:
        if list(command) == ["readlink", f"/proc/{os.getpid()}/exe"]:
            return Ended(0, f"{self._program}\n")
        return super().run(command, longest_s)


def posing(*command: str, directory: str = "/", **environment: str) -> Running:
    """This process, as if started with this command."""
    return Running(os.getpid(), 1, command, directory, environment)


def knob(server: str, name: str) -> Knob:
    """A built-in knob."""
    return next(one for one in of_server(server).knob if one.name == name)


def candidates(one: Knob) -> list[str]:
    """All words of a knob, and its bounds and rules of thumb on machines of all sizes."""
    found = list(one.words)
    for names in MACHINES:
        values = Values(one, None, names)
        found += [*map(str, values.bounds or ()), *values.rules]
    return list(dict.fromkeys(found))


def rounds(server: str) -> Iterator[dict[Knob, str]]:
    """All knobs at once with their first values, then with their second ones, and so on."""
    knobs = {one: candidates(one) for one in of_server(server).knob}
    for number in range(max(map(len, knobs.values()))):
        yield {one: values[min(number, len(values) - 1)] for one, values in knobs.items()}


def first_time(changes: Iterable[dict[Knob, str]]) -> Iterator[tuple[dict[Knob, str], set[Knob]]]:
    """The same rounds, each with the knobs whose values are new."""
    before: set[tuple[str, str]] = set()
    for one in changes:
        yield one, {knob for knob, value in one.items() if (knob.name, value) not in before}
        before |= {(knob.name, value) for knob, value in one.items()}


@contextlib.contextmanager
def put(files: Mapping[str, bytes]) -> Iterator[None]:
    """Files as a tuning writes them; put back at the end."""
    before = {path: Path(path).read_bytes() for path in files}
    host = ThisHost()
    try:
        for path, content in files.items():
            host.write(path, content)
        yield
    finally:
        for path, old in before.items():
            host.write(path, old)
            assert Path(path).read_bytes() == old


def reload(server: Server) -> None:
    """Have a server read its configuration again."""
    ended = ThisHost().run(server.reload_command)
    assert ended.code == 0, ended.output


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait until a condition holds, which a server brings about soon."""
    end_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end_s, "it does not come"
        time.sleep(0.1)


@contextlib.contextmanager
def lab(name: str, monkeypatch: pytest.MonkeyPatch, **settings: str) -> Iterator[LabServer]:
    """A server of the lab, in a home of its own that every user may pass through."""
    with tempfile.TemporaryDirectory() as cache:
        Path(cache).chmod(0o711)
        monkeypatch.setenv("XDG_CACHE_HOME", cache)
        server = start_lab(name, settings)
        try:
            yield server
        finally:
            server.stop()
