"""The server's sockets as the kernel reports them, against what was done to them."""

import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from headcount.counters.catalogue import catalogue
from headcount.counters.naming import split_instance
from headcount.counters.proc.netlink import _ends, own_namespace
from headcount.counters.proc.served import of_network, shares
from headcount.counters.proc.serving import Place
from headcount.counters.proc.sockets import (
    DiagTable,
    Listener,
    ProcTable,
    Table,
    Times,
    inodes,
    open_table,
    parse,
)
from headcount.counters.proc.source import HostSource

BACKLOG = 8
WAY = pytest.mark.parametrize("way", ["inet_diag", "text"])


class Server:
    """The process under test; see sockets_child.py."""

    def __init__(self, *around: str) -> None:
        script = Path(__file__).with_name("sockets_child.py")
        own = ["--up"] if around else []
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*around, sys.executable, script, *own], stdin=pipe, stdout=pipe, text=True, bufsize=1
        )
        self.port = self.answer()

    def answer(self) -> int:
        assert self.process.stdout
        return int(self.process.stdout.readline())

    def send(self, command: str) -> int:
        assert self.process.stdin
        self.process.stdin.write(command + "\n")
        return self.answer()

    def connect(self, many: int) -> list[socket.socket]:
        return [socket.create_connection(("127.0.0.1", self.port)) for _ in range(many)]

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def server() -> Iterator[Server]:
    one = Server()
    yield one
    one.end()


def make_table(way: str) -> Table:
    return DiagTable(None) if way == "inet_diag" else ProcTable("/proc/self/net")


def listeners_of(table: Table, server: Server) -> list[Listener]:
    own = inodes("/proc", [server.process.pid])
    return [one for one in table.listeners() if one.inode in own]


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait: the kernel moves bytes over the loopback on its own time."""
    deadline_s = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


@WAY
def test_queues_hold_what_was_put_into_them(server: Server, way: str) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(make_table(way)))
        clients = [stack.enter_context(client) for client in server.connect(5)]
        assert server.send("accept 2") == 2
        wait_until(lambda: listeners_of(table, server)[0].queue == 3)
        (listener,) = listeners_of(table, server)
        assert listener.port == server.port
        assert listener.limit == (BACKLOG if way == "inet_diag" else None)
        empty = table.queues([listener])
        assert (empty.connections, empty.sending, empty.unread) == (5, 0, 0)

        clients[0].sendall(bytes(1234))
        clients[4].sendall(bytes(100))  # of the connections that wait to be accepted
        wait_until(lambda: table.queues([listener]).received_bytes == 1334)
        assert table.queues([listener]).unread == 2
        assert server.send("read") == 1234
        assert table.queues([listener]).received_bytes == 100

        written = server.send("fill")
        wait_until(lambda: table.queues([listener]).sent_bytes > 0)
        queues = table.queues([listener])
        assert queues.sending == 1
        # What is written is unread by the client, or still with the server.
        assert queues.sent_bytes <= written
        elsewhere = Listener(0, listener.family, listener.address, 1, 0, None)
        assert table.queues([elsewhere]).connections == table.queues([]).connections == 0
        assert table.queues([elsewhere, listener]).connections == 5


def test_a_client_that_does_not_read_holds_the_server_up(server: Server) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(make_table("inet_diag")))
        for client in server.connect(2):
            stack.enter_context(client)
        server.send("accept 2")
        listeners = listeners_of(table, server)
        server.send("fill")
        time.sleep(0.1)  # until all that fits has gone over
        began_s, before = time.monotonic(), table.queues_and_times(listeners)[1]
        time.sleep(0.3)
        now, ended_s = table.queues_and_times(listeners)[1], time.monotonic()
        assert before is not None
        assert now is not None
        figures = shares(before, now, ended_s - began_s)
        # One of two connections has bytes to send all the time and may not; counted by the tick.
        assert figures["socket.busy"] == pytest.approx(0.5, abs=0.1)
        assert figures["socket.rwnd_limited"] == pytest.approx(0.5, abs=0.1)
        assert figures["socket.sndbuf_limited"] == pytest.approx(0, abs=0.1)


def test_shares_are_of_connections_in_both_readings() -> None:
    before = {1: (100_000, 0, 0), 2: (0, 0, 0), 3: (5, 5, 5)}
    now = {1: (600_000, 250_000, 0), 2: (0, 0, 0), 4: (9, 9, 9)}
    assert shares(before, now, 1.0) == {
        "socket.busy": 0.25,
        "socket.rwnd_limited": 0.125,
        "socket.sndbuf_limited": 0,
    }
    assert shares({}, now, 1.0) == shares(before, now, 0.0) == {}


def test_network_figures_come_from_connections_to_the_target(server: Server) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        clients = [stack.enter_context(client) for client in server.connect(3)]
        place = Place.of(f"127.0.0.1:{server.port}")
        to = [(place.family, place.address, place.port)]
        before = table.times_to(to)
        assert len(before) == 3
        for _ in range(5):
            clients[0].sendall(b"segment")
            time.sleep(0.01)
        wait_until(lambda: sum(one.segments_out for one in table.times_to(to).values()) == 5)
        figures = of_network(before, table.times_to(to), 2.0)
        assert figures["socket.segments"] == 2.5
        assert figures["socket.segments.lost"] == 0
        assert 0 < figures["socket.round_trip"] < 100
        # Of the same three connections, the kernel's own answer to the programs that hold them.
        own_us = [tcp_info(client, "I", 148) for client in clients]
        assert figures["socket.round_trip"] == pytest.approx(sum(own_us) / 3 / 1000, abs=0.01)
        elsewhere = [(place.family, place.address, 1), (10, bytes(16), place.port)]
        assert table.times_to(elsewhere) == table.times_to([]) == {}


def tcp_info(client: socket.socket, form: str, offset: int) -> int:
    info = client.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    value: int = struct.unpack_from(f"={form}", info, offset)[0]
    return value


def test_duplicate_segments_are_not_lost() -> None:
    def times(trip: int, out: int, resent: int, duplicates: int) -> Times:
        return Times(0, 0, 0, 1448, trip, out, resent, duplicates)

    before = {1: times(900, 100, 2, 0), 2: times(1100, 10, 5, 5), 3: times(1000, 7, 0, 0)}
    now = {1: times(800, 150, 6, 1), 2: times(1200, 20, 9, 9), 4: times(0xFFFF_FFFF, 30, 3, 0)}
    assert of_network(before, now, 2.0) == {
        "socket.round_trip": 1.0,
        "socket.segments": (50 + 10 + 30) / 2,
        "socket.segments.lost": (3 + 0 + 3) / 2,
    }
    assert of_network({}, {}, 2.0) == {}


def test_both_families_and_any_address() -> None:
    with ExitStack() as stack:
        listening = [
            stack.enter_context(socket.create_server(("127.0.0.2", 0))),
            stack.enter_context(
                socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True)
            ),
        ]
        for at, port in (("127.0.0.2", 0), ("::1", 1), ("127.0.0.1", 1)):
            address = (at, listening[port].getsockname()[1])
            stack.enter_context(socket.create_connection(address))
        queues = []
        for way in ("inet_diag", "text"):
            table = stack.enter_context(closing(make_table(way)))
            own = [one for one in table.listeners() if one.inode in inodes("/proc", [_pid()])]
            ours = [one for one in own if one.port in {s.getsockname()[1] for s in listening}]
            by_family = {one.family: (one.queue, table.queues([one]).connections) for one in ours}
            # By default the socket of version 6 serves version 4 too.
            queues.append(by_family)
        assert queues[0] == queues[1]
        assert queues[0][2] == (1, 1)
        assert sum(queue for queue, _ in queues[0].values()) >= 2


def _pid() -> int:
    return int(Path("/proc/self").readlink().name)


TEXT = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000003 00:00000000 00000000     0        0 4711 1 0
   1: 0100007F:1F90 0200007F:D431 01 000001F4:0000000A 01:00000014 00000000     0        0 4712 2 0
   2: 0100007F:1F91 0200007F
"""


def test_the_text_of_proc_is_parsed() -> None:
    found = list(parse(TEXT, 2))
    loopback = b"\x7f\0\0\x01".ljust(16, b"\0")
    assert found == [(2, 10, loopback, 8080, 0, 3, 4711), (2, 1, loopback, 8080, 500, 10, 4712)]


def test_a_connection_in_two_pieces_of_the_text_counts_once() -> None:
    """The second piece begins with the last line of the first, renumbered."""
    last = TEXT.splitlines()[2]
    again = f"{TEXT.rpartition('   2:')[0]}{last.replace('1:', '2:', 1)}\n"
    shared = again + TEXT.splitlines()[1].replace("4711", "4713")  # SO_REUSEPORT
    assert [row[-1] for row in parse(shared, 2)] == [4711, 4712, 4713]


def test_a_folder_without_sockets_cannot_be_read(tmp_path: Path) -> None:
    table = open_table(str(tmp_path), None, None)
    with pytest.raises(OSError, match="tcp"):
        table.listeners()
    assert inodes(str(tmp_path), [1]) == frozenset()


SOCKET = {name for name in catalogue() if name.startswith("socket.")}


def test_a_source_gives_its_servers_sockets_and_no_others(server: Server) -> None:
    other = Server()
    try:
        with closing(HostSource("sut", [server.process.pid])) as source, ExitStack() as stack:
            source.sample()
            for client in [*server.connect(4), *other.connect(7)]:
                stack.enter_context(client)
            server.send("accept 1")
            values: dict[str, float] = {}
            deadline_s = time.monotonic() + 20
            while not (values.keys() >= SOCKET and values["socket.accept_queue.max"] == 3):
                assert time.monotonic() < deadline_s, SOCKET - values.keys()
                time.sleep(0.3)
                values |= source.sample().values
            assert values["socket.accept_queue.limit"] == BACKLOG
            assert values["socket.connections"] <= 4
            assert values["socket.accept_queue.utilization"] == pytest.approx(3 / BACKLOG)
            assert {"process.threads.runnable", "process.threads.blocked"} <= values.keys()
    finally:
        other.end()


def test_a_server_in_a_network_namespace_of_its_own_is_seen_there() -> None:
    # Without root the namespace is in a namespace of users, and may not be entered: then by text.
    server = Server("unshare", "--user", "--map-root-user", "--net", "--")
    try:
        assert own_namespace("/proc", server.process.pid) is not None
        with closing(HostSource("sut", [server.process.pid])) as source:
            source.sample()
            server.send("connect 6")
            server.send("accept 2")
            values: dict[str, float] = {}
            deadline_s = time.monotonic() + 20
            while values.get("socket.accept_queue.max") != 4:
                assert time.monotonic() < deadline_s
                time.sleep(0.2)
                values = dict(source.sample().values)
            # Its network has a loopback and nothing else.
            traffic = {name for name in values if name.startswith("system.network.io{")}
            assert {split_instance(name)[1] for name in traffic} == {"lo"}
            assert values["system.network.tcp.connections"] == 12  # both ends
    finally:
        server.end()


def test_connections_are_not_looked_for_where_none_is_established(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ExitStack() as stack:
        table = stack.enter_context(closing(DiagTable(None)))
        for client in server.connect(3):
            stack.enter_context(client)
        (listener,) = listeners_of(table, server)
        protocols = tmp_path / "snmp"
        monkeypatch.setattr(table, "_protocols", str(protocols))
        place = (listener.family, listener.address, listener.port)
        for established, seen in ((0, 0), (3, 3)):
            protocols.write_text(f"Tcp: MaxConn CurrEstab\nTcp: -1 {established}\n")
            queues, times = table.queues_and_times([listener])
            assert queues.connections == table.queues([listener]).connections == seen
            assert len(times) == len(table.times_to([place])) == seen


def test_a_dump_ends_with_its_last_message() -> None:
    def message(length: int, kind: int) -> bytes:
        return struct.pack("=IHHII", length, kind, 2, 1, 0).ljust(length, b"\0")

    done, data = message(20, 3), message(88, 18)
    assert _ends(data + done)
    assert _ends(done)
    # The last bytes of a message may look like an end.
    false = message(88, 18)[:-20] + done
    assert not _ends(data + false)
    assert not _ends(data)
    assert not _ends(b"")
