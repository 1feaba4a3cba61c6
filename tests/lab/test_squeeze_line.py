"""A line is as long as it says, and loses and reorders the share of packets that it says."""

import contextlib
import hashlib
import math
import os
import signal
import socket
import threading
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest
from line_ends import datagrams, median_s, round_trips_s, squeezed

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab.squeeze import Line, Squeeze, Wanted
from headcount.lab.squeeze.delay_line import DelayLine
from network import ip

WITHIN_S = 0.0003
"""What a round trip may be off by, at the median, on a machine that has a moment of quiet."""
ROUNDS, MOST_ROUNDS, TRIPS = 5, 40, 40
WITHIN = 3.29
"""Standard deviations that 99.9% of a binomial count are within."""


IFF_BROADCAST, IFF_POINTOPOINT = 0x2, 0x10
"""linux/if.h."""
ETH_P_ALL, ETH_P_IP = 0x0003, 0x0800
"""linux/if_ether.h."""


def is_share(count: int, of: int, share: float) -> bool:
    return abs(count - of * share) <= WITHIN * math.sqrt(of * share * (1 - share))


def ask_until_it_ends(squeeze: Squeeze) -> None:
    """Ask for figures until the line ends, which shows only after a moment."""
    assert squeeze.link
    while True:
        squeeze.link.figures()


def dropped(figures: dict[str, float]) -> float:
    return figures["dropped"] + figures["refused"] + figures["device_dropped"]


@pytest.mark.parametrize(("latency_s", "connections"), [(0.015, 1), (0.1, 2)])
def test_round_trips_take_longer_by_the_latency(latency_s: float, connections: int) -> None:
    """By the best median of 200 round trips or more, less that without a line.

    Other programs make round trips slower, never faster, so one round of 40 without them will do.
    """
    with (
        squeezed(Wanted(network=True)) as near,
        squeezed(Wanted(line=Line(latency_s))) as far,
    ):
        without_s = min(median_s(near, TRIPS) for _ in range(ROUNDS))
        found_s = math.inf
        for rounds in range(MOST_ROUNDS):
            if rounds >= ROUNDS and found_s - without_s <= latency_s + WITHIN_S:
                break
            found_s = min(found_s, median_s(far, TRIPS // connections, connections))
        assert far.link
        figures = dict(far.link.figures() or {})
    assert found_s - without_s == pytest.approx(latency_s, abs=WITHIN_S)
    assert figures["packets"] >= 2 * ROUNDS * TRIPS
    assert figures["lost"] == dropped(figures) == 0
    assert 0 < figures["cpu_s"] < 5


def test_jitter_spreads_round_trips_and_reorders_nothing() -> None:
    """Both ways vary by up to 4 ms: sums from 12 to 28 ms."""
    with squeezed(Wanted(line=Line(0.02, 0.008))) as far:
        found_s = sorted(round_trips_s(far, 50, 4))
        assert found_s[0] >= 0.012 - WITHIN_S
        assert found_s[len(found_s) // 10] < 0.0185
        # Of the sum of two uniform delays, a tenth is over 23.6 ms.
        assert found_s[-len(found_s) // 10] > 0.0215
        received = datagrams(far, 2000, 0.0002)
    assert received == list(range(2000))


@pytest.mark.parametrize("back", [False, True])
def test_the_requested_share_is_lost_each_way(back: bool) -> None:
    count, loss = 20_000, 0.02
    with squeezed(Wanted(line=Line(0.002, loss=loss))) as far:
        received = datagrams(far, count, 0.00002, back=back)
        assert far.link
        figures = dict(far.link.figures() or {})
    assert dropped(figures) == 0
    # A connection that the test before left half closed may have lost a packet, too.
    assert 0 <= figures["lost"] - (count - len(received)) <= 2
    assert is_share(count - len(received), count, loss)
    assert received == sorted(received)


def test_the_requested_share_overtakes() -> None:
    count, share = 5_000, 0.1
    with squeezed(Wanted(line=Line(0.02, reorder=share))) as far:
        received = datagrams(far, count, 0.0001)
    assert sorted(received) == list(range(count))
    # One that overtook arrived before another of a smaller number.
    least_after = list(accumulate(reversed(received), min))[::-1]
    after = [*least_after[1:], count]
    overtook = {number for number, least in zip(received, after, strict=True) if least < number}
    assert is_share(len(overtook), count, share)
    rest = [number for number in received if number not in overtook]
    assert rest == sorted(rest)


@pytest.mark.parametrize(
    "line",
    [
        Line(0.004),
        Line(0.004, 0.002),
        Line(0.004, loss=0.01, reorder=0.01),
        Line(loss=0.001),
    ],
)
def test_tcp_carries_data_whole_whatever_the_line_does(line: Line) -> None:
    data = os.urandom(4 << 20)
    with squeezed(Wanted(line=line)) as far:
        assert far.link
        with socket.create_server((far.link.address, 0)) as server:
            digests = []

            def receive() -> None:
                with socket.create_connection(server.getsockname(), timeout=30) as client:
                    digest = hashlib.sha256()
                    while part := client.recv(1 << 16):
                        digest.update(part)
                    digests.append(digest.hexdigest())

            with far.generating():
                thread = threading.Thread(target=receive)
                thread.start()
            here, _ = server.accept()
            with here:
                here.sendall(data)
            thread.join(60)
        figures = dict(far.link.figures() or {})
    assert digests == [hashlib.sha256(data).hexdigest()]
    assert dropped(figures) == 0
    assert figures["bytes"] > len(data)
    # No packet is longer than 1500 bytes, also where the kernel hands over many at once.
    assert figures["packets"] > len(data) / 1500


def test_the_end_of_a_line_is_an_error() -> None:
    with squeezed(Wanted(line=Line(0.001))) as far:
        assert far.link
        assert far.link.line
        os.kill(far.link.line.pid, signal.SIGKILL)
        with pytest.raises(SystemLimitError, match=r"delay line .* has ended.*killed by signal 9"):
            ask_until_it_ends(far)


def test_a_device_that_is_taken_away_ends_the_line() -> None:
    with squeezed(Wanted(line=Line(0.001))) as far:
        assert far.link
        assert far.link.line
        ip("link", "del", far.link.device)
        with pytest.raises(SystemLimitError, match=r"has ended.*exit code 1"):
            ask_until_it_ends(far)


def test_a_device_that_cannot_be_made_is_named() -> None:
    with pytest.raises(MachineLimitError, match="cannot make the network device lo through"):
        DelayLine("lo", "lo2", Line(0.001))


def test_a_line_cannot_be_changed_while_it_is_at_work() -> None:
    with squeezed(Wanted(line=Line(0.001))) as far:
        far.change(Wanted(line=Line(0.001), network_bits_s=80_000_000))
        with pytest.raises(SystemLimitError, match="only what was limited from the start"):
            far.change(Wanted(line=Line(0.002)))


def test_the_servers_end_is_an_ethernet_device_on_which_nobody_else_speaks() -> None:
    """Samba ignores devices that cannot broadcast. Nobody should send ARP or IPv6.

    Connections that an earlier test left half closed may still send packets, all of IPv4.
    """
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)  # nothing comes before `bind`
    with packets, squeezed(Wanted(line=Line(0.001))) as far:
        assert far.link
        packets.bind((far.link.device, ETH_P_ALL))
        assert datagrams(far, 100) == list(range(100))
        packets.settimeout(1.5)
        kinds = Counter[int]()
        with contextlib.suppress(TimeoutError):
            while True:
                kinds[packets.recvfrom(2000)[1][1]] += 1
        folder = Path("/sys/class/net") / far.link.device
        flags = int((folder / "flags").read_text(), 16)
        assert (folder / "mtu").read_text() == "1500\n"
    assert flags & IFF_BROADCAST
    assert not flags & IFF_POINTOPOINT
    assert kinds[ETH_P_IP] >= 100
    assert set(kinds) == {ETH_P_IP}
