"""Both ends of a run's network: round trips by TCP, and numbered datagrams one way."""

import contextlib
import os
import socket
import statistics
import struct
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from headcount.lab.squeeze import Squeeze, Wanted

PAUSE_S = 0.004
"""Between two round trips: both ends sleep then, as they do while a packet is under way."""
BUFFER_BYTES = 8 << 20
SO_RCVBUFFORCE = 33
"""asm-generic/socket.h: a buffer that is larger than the system's limit, for root."""


@contextlib.contextmanager
def squeezed(wanted: Wanted) -> Iterator[Squeeze]:
    squeeze = Squeeze(wanted)
    try:
        yield squeeze
    finally:
        squeeze.close()


def round_trips_s(
    squeeze: Squeeze, count: int, connections: int = 1, source: str | None = None
) -> list[float]:
    """Round trips on each of some connections, in seconds; from an address of the generator."""
    assert squeeze.link
    with (
        socket.create_server((squeeze.link.address, 0)) as server,
        squeeze.generating(),
        ThreadPoolExecutor(2 * connections) as pool,
    ):
        address = server.getsockname()
        asked = [pool.submit(_ask, address, count, source) for _ in range(connections)]
        for _ in range(connections):
            here, peer = server.accept()
            assert source in {None, peer[0]}
            pool.submit(_echo, here)
        return [one for each in asked for one in each.result()]


def _hurry() -> None:
    """Keep this thread from waiting for other programs: only the line is measured."""
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))


def _ask(address: tuple[str, int], count: int, source: str | None) -> list[float]:
    _hurry()
    took_s = []
    bound = None if source is None else (source, 0)
    with socket.create_connection(address, timeout=30, source_address=bound) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for _ in range(count):
            time.sleep(PAUSE_S)
            began_s = time.perf_counter()
            client.send(b"x")
            client.recv(1)
            took_s.append(time.perf_counter() - began_s)
    return took_s


def _echo(here: socket.socket) -> None:
    _hurry()
    with here:
        here.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while data := here.recv(1):
            here.send(data)


def median_s(squeeze: Squeeze, count: int, connections: int = 1) -> float:
    """The median of round trips on each of some connections, in seconds."""
    return statistics.median(round_trips_s(squeeze, count, connections))


def datagrams(squeeze: Squeeze, count: int, gap_s: float = 0.0, *, back: bool = False) -> list[int]:
    """The numbers of the datagrams that arrived, in their order of arrival.

    From the generator's side to the server's, or `back`.
    """
    assert squeeze.link
    ends = []
    for inside in (False, True):
        with squeeze.generating() if inside else contextlib.nullcontext():
            ends.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    here, there = ends
    sender, receiver = (here, there) if back else (there, here)
    with here, there:
        here.bind((squeeze.link.address, 0))
        there.connect(here.getsockname())
        here.connect(there.getsockname())
        receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)
        receiver.settimeout(2.0)
        found: list[int] = []

        def receive() -> None:
            with contextlib.suppress(TimeoutError):
                while len(found) < count:
                    found.append(struct.unpack("!I", receiver.recv(64)[:4])[0])

        thread = threading.Thread(target=receive)
        thread.start()
        began_s = time.perf_counter()
        for number in range(count):
            sender.send(struct.pack("!I", number).ljust(64))
            while time.perf_counter() < began_s + number * gap_s:
                time.sleep(gap_s / 4)
        thread.join()
    return found
