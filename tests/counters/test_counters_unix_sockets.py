"""Unix sockets to other servers, against connections that were made here."""

import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from headcount.counters.naming import PEER, instance_name
from headcount.counters.proc import process
from headcount.counters.proc.sockets import DiagTable
from headcount.counters.proc.unix_sockets import UnixConnection, UnixTable
from headcount.counters.proc.upstream import ACCEPT_QUEUE, CONNECTIONS, WAITING, Turnover, Upstreams
from headcount.counters.proc.upstream_programs import UpstreamPrograms


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "fpm.sock"))
        one.listen(8)
        yield one


def inode(one: socket.socket) -> int:
    return os.fstat(one.fileno()).st_ino


def connect(stack: ExitStack, listener: socket.socket) -> socket.socket:
    client = stack.enter_context(socket.socket(socket.AF_UNIX))
    client.connect(listener.getsockname())
    return client


def test_a_connection_has_the_path_of_its_listener_before_and_after_it_is_accepted(
    listener: socket.socket,
) -> None:
    path = listener.getsockname()
    with ExitStack() as stack:
        table = stack.enter_context(closing(UnixTable()))
        first, second = connect(stack, listener), connect(stack, listener)
        accepted = stack.enter_context(listener.accept()[0])
        found = table.outgoing(frozenset(map(inode, (first, second, accepted))))
        assert sorted(found, key=lambda one: one.inode) == sorted(
            [
                UnixConnection(inode(first), path, is_accepted=True),
                UnixConnection(inode(second), path, is_accepted=False),
            ],
            key=lambda one: one.inode,
        )
        assert table.listeners([path, "/nowhere"]) == {path: (inode(listener), 1)}


def test_an_abstract_name_is_written_with_an_at_sign() -> None:
    name = f"headcount-test-{os.getpid()}"
    with ExitStack() as stack:
        table = stack.enter_context(closing(UnixTable()))
        listener = stack.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(f"\0{name}")
        listener.listen(1)
        client = connect(stack, listener)
        (one,) = table.outgoing(frozenset({inode(client)}))
        assert (one.path, one.is_accepted) == (f"@{name}", False)


def test_connections_of_one_request_wait_and_pooled_ones_may_be_idle(
    listener: socket.socket,
) -> None:
    peer = f"unix:{listener.getsockname()}"
    connections, waiting, queue = (
        instance_name(name, PEER, peer) for name in (CONNECTIONS, WAITING, ACCEPT_QUEUE)
    )
    one = process.read("/proc", os.getpid())
    assert one is not None

    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        upstreams = Upstreams(table, "/proc", lambda: [one], UnixTable())
        stack.callback(upstreams.close)

        def look() -> tuple[float, float, float]:
            values = {name: value for name, _, value in upstreams.look()}
            return values[connections], values[waiting], values[queue]

        pool = [connect(stack, listener) for _ in range(2)]
        assert look() == (2, 2, 2)
        for _ in pool:
            stack.enter_context(listener.accept()[0])
        assert look() == (2, 0, 0)
        for client in pool:
            client.close()
        for _ in range(4):  # six connections were there, two at most at a time
            client = connect(stack, listener)
            stack.enter_context(listener.accept()[0])
            last = look()
            client.close()
        assert last == (1, 1, 0)


def test_a_pool_is_not_taken_for_requests_however_long_it_is_watched() -> None:
    turnover = Turnover()
    assert not any(turnover.is_of_requests([1, 2, 3]) for _ in range(100))
    assert not turnover.is_of_requests([2, 3, 4])
    assert turnover.is_of_requests([7, 8, 9]) is False
    assert turnover.is_of_requests([10, 11]) is True


def test_own_and_missing_listeners_are_not_upstream(listener: socket.socket) -> None:
    programs = UpstreamPrograms(Path("/proc"), Path("/sys"))
    # We listen there ourselves, and are not behind ourselves.
    assert programs.sample(0.0, [f"unix:{listener.getsockname()}"], ()) == {}
    assert programs.sample(0.0, ["unix:/nowhere"], ()) == {}
