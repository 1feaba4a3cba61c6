"""The servers that a server waits for, against connections made and answered here."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager

import pytest

from headcount.counters.naming import PEER, instance_name, split_instance
from headcount.counters.proc import process
from headcount.counters.proc.process import Process
from headcount.counters.proc.sockets import DiagTable, Listener, Outgoing, ProcTable
from headcount.counters.proc.upstream import (
    ACCEPT_QUEUE,
    CONNECTIONS,
    PEERS_MAX,
    WAITING,
    Upstreams,
    listens_at,
    peer_name,
)


def this_process() -> Process:
    one = process.read("/proc", os.getpid())
    assert one is not None
    return one


@contextmanager
def listening(host: str = "127.0.0.1") -> Iterator[tuple[socket.socket, str]]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        yield listener, f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def figures(upstreams: Upstreams) -> dict[str, float]:
    return {name: value for name, _, value in upstreams.look()}


def name_of(family: str, peer: str) -> str:
    return instance_name(family, PEER, peer)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_end_that_sent_last_waits_for_an_answer(host: str) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        listener, peer = stack.enter_context(listening(host))
        upstreams = Upstreams(table, "/proc", lambda: [this_process()])
        assert name_of(WAITING, peer) not in figures(upstreams)
        ours, theirs = [], []
        for _ in range(4):
            ours.append(stack.enter_context(socket.create_connection(listener.getsockname()[:2])))
            theirs.append(stack.enter_context(listener.accept()[0]))
        for ask, answer in zip(ours[:3], theirs[:3], strict=True):
            ask.sendall(b"question")
            assert answer.recv(100) == b"question"
        found = figures(upstreams)
        assert found[name_of(CONNECTIONS, peer)] == 4
        assert found[name_of(WAITING, peer)] == 3
        _pause()
        assert figures(upstreams)[name_of(WAITING, peer)] == 3
        _pause()
        theirs[0].sendall(b"answer")
        assert ours[0].recv(100) == b"answer"
        _pause()
        assert figures(upstreams)[name_of(WAITING, peer)] == 2
        for each in ours:
            each.close()
        assert figures(upstreams)[name_of(CONNECTIONS, peer)] == 0


def test_a_connection_that_nobody_accepts_waits() -> None:
    """The queue of the listener is full, so that the kernel does not answer the second."""
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        place = listener.getsockname()
        stack.enter_context(socket.create_connection(place))
        more = [stack.enter_context(socket.socket()) for _ in range(3)]
        for each in more:
            each.setblocking(False)
            each.connect_ex(place)
        _pause()
        peer = f"{place[0]}:{place[1]}"
        found = figures(Upstreams(table, "/proc", lambda: [this_process()]))
        assert found[name_of(WAITING, peer)] >= 2


def test_accepted_connections_are_not_upstream() -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        listener, _ = stack.enter_context(listening())
        client = stack.enter_context(socket.create_connection(listener.getsockname()))
        server = stack.enter_context(listener.accept()[0])
        inode = os.fstat(server.fileno()).st_ino
        assert table.outgoing(frozenset({inode})) == []
        (one,) = table.outgoing(frozenset({os.fstat(client.fileno()).st_ino}))
        assert one.peer_port == listener.getsockname()[1]


def test_all_peers_are_counted_and_only_some_are_named() -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        upstreams = Upstreams(table, "/proc", lambda: [this_process()])
        before = figures(upstreams).get(CONNECTIONS, 0)
        for _ in range(PEERS_MAX + 3):
            listener, _ = stack.enter_context(listening())
            stack.enter_context(socket.create_connection(listener.getsockname()))
        found = figures(upstreams)
        assert found[CONNECTIONS] == before + PEERS_MAX + 3
        named = [name for name in found if split_instance(name)[0] == CONNECTIONS]
        assert len(named) == PEERS_MAX + 1


def test_upstreams_are_unknown_from_the_text_of_proc() -> None:
    table = ProcTable("/proc/self/net")
    assert table.outgoing(frozenset({1})) is None
    assert figures(Upstreams(table, "/proc", lambda: [this_process()])) == {}


def test_peers_are_named_in_the_usual_form() -> None:
    def name(family: int, text: str) -> str:
        kind = socket.AF_INET if family == 2 else socket.AF_INET6
        packed = socket.inet_pton(kind, text).ljust(16, b"\0")
        return peer_name(Outgoing(1, family, packed, 5432, is_waiting=True))

    assert name(2, "10.0.0.9") == "10.0.0.9:5432"
    assert name(10, "2001:db8::1") == "[2001:db8::1]:5432"
    assert name(10, "::ffff:10.0.0.9") == "10.0.0.9:5432"


def _pause() -> None:
    """Longer than a tick of the kernel's clock, in which two events are at the same time."""
    time.sleep(0.05)


def test_connections_that_a_peer_has_not_accepted_are_counted() -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        listener, peer = stack.enter_context(listening())
        upstreams = Upstreams(table, "/proc", lambda: [this_process()])
        for _ in range(5):
            stack.enter_context(socket.create_connection(listener.getsockname()))
        stack.enter_context(listener.accept()[0])
        assert figures(upstreams)[name_of(ACCEPT_QUEUE, peer)] == 4


def test_a_listener_on_any_address_is_a_peer_on_loopback_only() -> None:
    def listener(address: str) -> Listener:
        return Listener(1, 2, socket.inet_aton(address).ljust(16, b"\0"), 80, 0, None)

    assert listens_at(listener("127.0.0.1"), "127.0.0.1:80")
    assert listens_at(listener("0.0.0.0"), "127.0.0.1:80")  # noqa: S104 - nobody listens
    assert not listens_at(listener("0.0.0.0"), "192.0.2.1:80")  # noqa: S104 - nobody listens
    assert not listens_at(listener("127.0.0.1"), "127.0.0.1:81")
