"""How exact the delay line is, what it lets through, and what it costs.

`sudo .venv/bin/python -m bench.line` prints round trips over TCP beside those of the same network
without a line, then the rate of one connection and the line's CPU for each packet.
"""

import os
import socket
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from headcount.lab.squeeze import Line, Squeeze, Wanted

TRIPS, PAUSE_S = 200, 0.004
LENGTH_S = 3.0
PIECE = bytes(1 << 20)
ONE_BY_ONE = 1e-9
"""A loss that loses nothing, with which the line has packets one by one."""
EXACT = (
    ("without a line", Wanted(network=True)),
    ("latency=15ms", Wanted(line=Line(0.015))),
    ("latency=15ms jitter=2ms", Wanted(line=Line(0.015, 0.002))),
    ("latency=100ms", Wanted(line=Line(0.1))),
)
FAST = (
    ("without a line", Wanted(network=True)),
    ("latency=0.1ms", Wanted(line=Line(0.0001))),
    ("latency=0.1ms, one by one", Wanted(line=Line(0.0001, loss=ONE_BY_ONE))),
    ("latency=15ms", Wanted(line=Line(0.015))),
    ("latency=15ms loss=0.1%", Wanted(line=Line(0.015, loss=0.001))),
    ("latency=15ms network=80Mbit/s", Wanted(network_bits_s=80_000_000, line=Line(0.015))),
)


@dataclass(frozen=True)
class Ends:
    """A connection through a run's network."""

    squeeze: Squeeze
    here: socket.socket
    client: threading.Thread


@contextmanager
def connected(wanted: Wanted, client: Callable[[socket.socket], None]) -> Iterator[Ends]:
    squeeze = Squeeze(wanted)
    try:
        assert squeeze.link
        with socket.create_server((squeeze.link.address, 0)) as server:

            def play() -> None:
                with socket.create_connection(server.getsockname()) as there:
                    there.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    client(there)

            with squeeze.generating():
                thread = threading.Thread(target=play)
                thread.start()
            here, _ = server.accept()
            here.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with here:
                yield Ends(squeeze, here, thread)
            thread.join()
    finally:
        squeeze.close()


def round_trips_s(wanted: Wanted) -> list[float]:
    took_s = []

    def ask(there: socket.socket) -> None:
        for _ in range(TRIPS):
            time.sleep(PAUSE_S)
            began_s = time.perf_counter()
            there.send(b"x")
            there.recv(1)
            took_s.append(time.perf_counter() - began_s)

    with connected(wanted, ask) as ends:
        while data := ends.here.recv(1):
            ends.here.send(data)
    return took_s


def rate(wanted: Wanted) -> tuple[float, float | None]:
    """Gbit/s that arrive, and the line's CPU for each packet in µs, if there is one."""
    got = [0]

    def receive(there: socket.socket) -> None:
        buffer = bytearray(len(PIECE))
        while count := there.recv_into(buffer):
            got[0] += count

    with connected(wanted, receive) as ends:
        link = ends.squeeze.link
        assert link
        before, began_s = link.figures(), time.monotonic()
        while time.monotonic() < began_s + LENGTH_S:
            ends.here.sendall(PIECE)
        gigabits_s = got[0] * 8 / 1e9 / (time.monotonic() - began_s)
        after = link.figures()
    if before is None or after is None:
        return gigabits_s, None
    packets = after["packets"] - before["packets"]
    return gigabits_s, (after["cpu_s"] - before["cpu_s"]) / packets * 1e6


def main() -> int:
    # As what is measured is the line, both ends have the priority that generators ask for.
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    print("| a round trip over TCP | median | 5% to 95% |\n|---|---|---|")
    for name, wanted in EXACT:
        found = sorted(one * 1000 for one in round_trips_s(wanted))
        low, high = found[len(found) // 20], found[-len(found) // 20]
        print(f"| {name} | {statistics.median(found):.2f} ms | {low:.2f} to {high:.2f} ms |")
    print("\n| one connection | rate | CPU of the line for each packet |\n|---|---|---|")
    for name, wanted in FAST:
        gigabits_s, cpu_us = rate(wanted)
        cost = "none" if cpu_us is None else f"{cpu_us:.1f} µs"
        print(f"| {name} | {gigabits_s:.2f} Gbit/s | {cost} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
