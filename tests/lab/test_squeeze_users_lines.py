"""Groups of users have lines of their own: each as long as it says, and the others none."""

import os
import socket
import statistics
import threading
import time
from pathlib import Path

import pytest
from line_ends import round_trips_s, squeezed

from headcount.errors import MachineLimitError
from headcount.lab.squeeze import Line, Squeeze, UsersLine, Wanted
from headcount.lab.squeeze.way import Way

WITHIN_S = 0.0003
"""What a round trip may be off by, at the median, on a machine that has a moment of quiet."""
ROUNDS, MOST_ROUNDS, TRIPS = 5, 40, 40
LINES = (UsersLine("branch", Line(0.03)), UsersLine("ship", Line(0.1, loss=0.001)))
DEVICES = Path("/sys/class/net")


def test_each_line_is_as_long_as_it_says_and_the_others_are_not_delayed() -> None:
    """By the best median of some rounds: other programs make round trips slower, never faster."""
    wanted_s = (0.0, 0.03, 0.1)
    with squeezed(Wanted(network=True)) as near, squeezed(Wanted(lines=LINES)) as far:
        assert far.link
        without_s = min(_median_s(near, None) for _ in range(ROUNDS))
        found_s = [float("inf")] * 3
        for rounds in range(MOST_ROUNDS):
            off = (one - without_s - wanted for one, wanted in zip(found_s, wanted_s, strict=True))
            if rounds >= ROUNDS and max(off) <= WITHIN_S:
                break
            for place, source in enumerate(far.link.users_addresses):
                found_s[place] = min(found_s[place], _median_s(far, source))
        figures = {name: way.figures() or {} for name, way in far.link.lines.items()}
        assert far.link.figures() is None
    for one, wanted in zip(found_s, wanted_s, strict=True):
        assert one - without_s == pytest.approx(wanted, abs=WITHIN_S)
    for of in figures.values():
        assert of["packets"] >= 2 * ROUNDS * TRIPS
        assert of["dropped"] == of["refused"] == of["device_dropped"] == 0
    assert figures["branch"]["lost"] == 0


def _median_s(squeeze: Squeeze, source: str | None) -> float:
    return statistics.median(round_trips_s(squeeze, TRIPS, 1, source))


def test_the_others_may_be_far_away_too() -> None:
    wanted = Wanted(line=Line(0.02), lines=(UsersLine("branch", Line(0.06)),))
    with squeezed(wanted) as far:
        assert far.link
        others, branch = far.link.users_addresses
        assert 0.0199 <= min(round_trips_s(far, 10, 1, others)) < 0.06
        assert min(round_trips_s(far, 10, 1, branch)) >= 0.0599
        carried = far.link.figures() or {}
        own = far.link.lines["branch"].figures() or {}
    assert carried["packets"] >= 20
    assert own["packets"] >= 20


def test_one_line_may_be_narrow_without_the_others() -> None:
    """2 MB at 40 Mbit/s take 0.4 s, of which the bucket's first 64 KiB and little else are free."""
    amount = 2_000_000
    with squeezed(Wanted(lines=(UsersLine("branch", None, 40_000_000),))) as far:
        assert far.link
        others, branch = far.link.users_addresses
        took_s = {source: _sent_s(far, source, amount) for source in (others, branch)}
        assert _sent(far.link.lines["branch"]) > amount
    assert took_s[branch] > 0.9 * (amount - 65_536) * 8 / 40_000_000
    assert took_s[others] < took_s[branch]


def _sent(way: Way) -> int:
    """Bytes that the server's end has sent."""
    return int((DEVICES / way.device / "statistics" / "tx_bytes").read_text("ascii"))


def _sent_s(squeeze: Squeeze, source: str, amount: int) -> float:
    """How long the server takes to send this many bytes to a user at an address."""
    assert squeeze.link
    took_s = []
    with socket.create_server((squeeze.link.address, 0)) as server:

        def receive() -> None:
            target = server.getsockname()
            with socket.create_connection(target, 30, (source, 0)) as client:
                began_s, left = time.perf_counter(), amount
                while left > 0:
                    left -= len(client.recv(1 << 16))
                took_s.append(time.perf_counter() - began_s)

        with squeeze.generating():
            thread = threading.Thread(target=receive)
            thread.start()
        here, peer = server.accept()
        with here:
            here.sendall(bytes(amount))
        thread.join(60)
    assert peer[0] == source
    return took_s[0]


def test_nothing_is_left_of_lines() -> None:
    squeeze = Squeeze(Wanted(lines=(*LINES, UsersLine("thin", None, 8_000_000))))
    assert squeeze.link
    ways = [squeeze.link.way, *squeeze.link.lines.values()]
    made = [DEVICES / way.device for way in ways]
    made += [Path(f"/proc/{way.line.pid}") for way in ways if way.line]
    made.append(Path("/run/netns") / squeeze.link.name)
    assert len(made) == 4 + 2 + 1
    assert all(one.exists() for one in made)
    squeeze.close()
    squeeze.close()
    assert not any(one.exists() for one in made)


def test_lines_need_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(MachineLimitError, match=r"lines use a network namespace, .* root: sudo"):
        Squeeze(Wanted(lines=LINES))
