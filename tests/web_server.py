"""A real web server that a test owns and Headcount is pointed at."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from headcount.counters.views.kinds import NGINX_PATHS
from headcount.lab.web import ACCESS_LOG, WebServer
from headcount.protocols.registry import start_lab
from processes import Headcount


@contextlib.contextmanager
def serving(name: str, cache: Path, **settings: str) -> Iterator[WebServer]:
    """A web server with no pages, as long as it is needed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(cache))
        server = start_lab(name, settings)
    assert isinstance(server, WebServer)
    try:
        yield server
    finally:
        server.stop()


def fill(headcount: Headcount, server: WebServer, workload: str, *more: str) -> None:
    """Have Headcount write a workload's pages into the folder that it serves."""
    ended = headcount.run("prepare", workload, "--folder", str(server.data), *more)
    assert ended.code == 0, ended


@dataclass(frozen=True)
class Asked:
    """One line of nginx's log as the lab has it written."""

    at_s: float
    path: str
    status: int
    body_bytes: int
    took_s: float
    connection: int
    nth_of_connection: int
    version: str


def asked(server: WebServer) -> list[Asked]:
    """What nginx says that its users asked for, without the request for its status before a run."""
    found = []
    for line in (server.home / ACCESS_LOG).read_text("ascii").splitlines():
        at, _, path, status, sent, took, connection, nth, version = line.split(" ")
        numbers = (int(status), int(sent), float(took), int(connection), int(nth))
        if path not in NGINX_PATHS:
            found.append(Asked(float(at), path, *numbers, version))
    return found


def damage(path: Path) -> None:
    """Change a byte in the middle; size and name stay."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)
