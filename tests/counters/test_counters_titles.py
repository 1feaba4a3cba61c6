"""Titles of PostgreSQL's processes, as its manual gives them and as a real server sets them."""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from database import Postgres, serving
from headcount.counters.proc.titles import Statements, statements
from headcount.counters.proc.upstream_programs import ACTIVE, WAITING, UpstreamPrograms
from processes import wait_for

TITLES = {
    "postgres: shop shop 127.0.0.1(51234) SELECT": (1, 0),
    "postgres: shop shop 127.0.0.1(51234) SELECT waiting": (1, 1),
    "postgres: 15/main: shop my shop ::1(51234) UPDATE waiting": (1, 1),
    "postgres: shop shop [local] idle": (0, 0),
    "postgres: shop shop [local] idle in transaction (aborted)": (0, 0),
    "postgres: shop shop db.example(5) authentication": (0, 0),
    "postgres: shop shop [local] LOCK TABLE waiting  \0\0\0": (1, 1),
}
OTHERS = (
    "postgres: checkpointer ",
    "postgres: 15/main: autovacuum launcher ",
    "/usr/lib/postgresql/15/bin/postgres\0-D\0/data",
    "python3\0postgres: shop shop 127.0.0.1(51234) SELECT",
)


@pytest.mark.parametrize("title", TITLES)
def test_a_title_says_whether_a_session_works_or_waits(title: str) -> None:
    assert statements([7], {7: title}.get) == Statements(*TITLES[title])


def test_other_processes_are_not_sessions() -> None:
    titles = dict(enumerate(OTHERS))
    assert statements([*titles, 99], titles.get) is None


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    with serving() as one:
        yield one


def lock_holder(postgres: Postgres, seconds: float) -> threading.Thread:
    """A session that holds a lock of the application's for a while."""
    text = f"SELECT pg_advisory_lock(7), pg_sleep({seconds})"
    thread = threading.Thread(target=postgres.sql, args=(text,))
    thread.start()
    return thread


def test_a_real_session_that_waits_for_a_lock_is_counted(postgres: Postgres) -> None:
    programs = UpstreamPrograms(Path("/proc"), Path("/sys"))
    members = {os.getpid()}
    sessions = [lock_holder(postgres, 2.0) for _ in range(3)]
    began_s = time.monotonic()

    def values() -> dict[str, float]:
        return programs.sample(time.monotonic() - began_s, [postgres.server.address], members)

    try:
        wait_for(lambda: values().get(WAITING) == 2)
        assert values()[ACTIVE] == 3
    finally:
        for session in sessions:
            session.join()


def test_sessions_behind_a_proxy_count_too(postgres: Postgres) -> None:
    """Behind pgbouncer, for example, and other programs that pass connections on."""
    host, _, port = postgres.server.address.partition(":")
    proxy = subprocess.Popen(
        ["python3", "-c", PROXY, host, port], stdout=subprocess.PIPE, text=True
    )
    assert proxy.stdout is not None
    address = f"127.0.0.1:{int(proxy.stdout.readline())}"
    programs = UpstreamPrograms(Path("/proc"), Path("/sys"))
    session = lock_holder(postgres, 3.0)
    try:
        wait_for(lambda: programs.sample(time.monotonic(), [address], ()).get(ACTIVE) == 1)
    finally:
        session.join()
        proxy.kill()
        proxy.communicate()


PROXY = """
import socket, sys, time
listener = socket.create_server(("127.0.0.1", 0))
behind = socket.create_connection((sys.argv[1], int(sys.argv[2])))
print(listener.getsockname()[1], flush=True)
time.sleep(60)
"""
"""It listens, and is connected to a database."""
