"""What a latency costs: figures against scipy and real sockets, the order, and the sentences."""

import io
import os
import socket
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from scipy import stats

import latency_file
from headcount import workloads
from headcount.analyse import latency as analysis
from headcount.bundle.latency import LatencyMemory, LatencyPoint
from headcount.controller.access import Secrets
from headcount.controller.listener import Silent
from headcount.controller.shares.latency import (
    LatencyExperiment,
    LatencyRun,
    order,
    prepared,
)
from headcount.counters.socket_memory import SocketTable, sums
from headcount.errors import MachineLimitError
from headcount.report.terminal import latency as report

USERS = 50
LATENCIES = (0.0, 0.015, 0.1)
SOCKETS = {0.0: 1e3, 0.015: 13e3, 0.1: 41e3}
"""Bytes for each connection, give or take what a repeat adds."""
NOISE = np.random.default_rng(11).normal(size=(4, 3, 3))


def memory(process_bytes: float, socket_bytes: float, kernel_bytes: float | None) -> LatencyMemory:
    return LatencyMemory(
        processes=3,
        process_bytes=process_bytes,
        sockets=USERS,
        socket_bytes=socket_bytes,
        kernel_bytes=kernel_bytes,
    )


def point(repeat: int, latency_s: float, **changes: Any) -> LatencyPoint:
    at = LATENCIES.index(latency_s)
    noise = NOISE[repeat, at]
    values: dict[str, Any] = {
        "repeat": repeat,
        "latency_s": latency_s,
        "bundle": "runs/one",
        "users": USERS,
        "outcome": "passed",
        "reasons": [],
        "offered_per_s": 10.0,
        "achieved_per_s": 9.9,
        "round_trip_s": latency_s + 1e-4,
        "before": memory(5e6, 0.0, 100e6),
        "during": memory(
            5e6 + USERS * (700e3 + 300 * noise[0]),
            USERS * (SOCKETS[latency_s] + 200 * noise[1]),
            100e6 + USERS * 250e3 * noise[2],
        ),
        "samples": 10,
        "socket_samples": 400,
    }
    return LatencyPoint(**{**values, **changes})


def points() -> list[LatencyPoint]:
    return [point(repeat, latency_s) for repeat in range(4) for latency_s in LATENCIES]


def bytes_each(latency_s: float) -> dict[str, np.ndarray[Any, Any]]:
    """The same figures from the noise itself."""
    noise = NOISE[:, LATENCIES.index(latency_s), :]
    return {
        "processes": 700e3 + 300 * noise[:, 0],
        "sockets": SOCKETS[latency_s] + 200 * noise[:, 1],
        "kernel": 250e3 * noise[:, 2],
    }


def test_costs_and_differences_have_the_intervals_of_scipy() -> None:
    found = {(cost.latency_s, cost.of): cost for cost in analysis.costs(points())}
    assert len(found) == 9
    for (latency_s, of), cost in found.items():
        values = bytes_each(latency_s)[of]
        interval = stats.ttest_1samp(values, 0).confidence_interval(0.95)
        assert cost.value == pytest.approx(values.mean())
        assert (cost.low, cost.high) == pytest.approx((interval.low, interval.high))
        if not latency_s:
            assert cost.more is cost.more_low is cost.more_high is None
            continue
        paired = stats.ttest_rel(values, bytes_each(0.0)[of]).confidence_interval(0.95)
        assert cost.more == pytest.approx((values - bytes_each(0.0)[of]).mean())
        assert (cost.more_low, cost.more_high) == pytest.approx((paired.low, paired.high))


def test_sentences_name_only_measurable_costs() -> None:
    first, second = analysis.sentences(analysis.costs(points()))
    assert first.startswith("15 ms cost a connection 11.9 kB [11.")
    assert first.endswith("the server's sockets; nothing measurable in the server's processes.")
    assert "kernel" not in first + second
    assert second.startswith("100 ms cost a connection ")


def test_a_single_repeat_has_no_intervals_and_no_sentence() -> None:
    found = analysis.costs(points()[:3])
    assert all(cost.low is cost.more_low is None for cost in found)
    assert not any(map(analysis.is_measurable, found))
    assert analysis.sentences(found) == []


def test_a_repeat_that_was_cut_short_is_compared_as_far_as_it_came() -> None:
    cut = points()[1:]  # the first repeat has no latency of 0
    found = {(cost.latency_s, cost.of): cost for cost in analysis.costs(cut)}
    values, base = bytes_each(0.1)["sockets"], bytes_each(0.0)["sockets"]
    assert found[0.1, "sockets"].value == pytest.approx(values.mean())
    assert found[0.1, "sockets"].more == pytest.approx((values - base)[1:].mean())


def test_a_kernel_without_figures_is_left_out() -> None:
    silent = memory(6e6, 1e3, None)
    found = analysis.costs([point(0, 0.0, during=silent), point(1, 0.0, during=silent)])
    assert [cost.of for cost in found] == ["processes", "sockets"]


def test_less_throughput_and_failed_levels_are_doubts() -> None:
    late = point(0, 0.1, achieved_per_s=9.4)
    failed = point(1, 0.015, outcome="invalid", reasons=["the line was full"])
    one, two = analysis.doubts([point(0, 0.0), late, failed])
    assert one.startswith("100 ms, repeat 1: 9.4 of 10 scenarios/s were done")
    assert two == "15 ms, repeat 2: the level is invalid: the line was full"


def test_all_latencies_are_in_each_repeat_in_an_order_from_the_seed() -> None:
    found = order(LATENCIES, 5, 1)
    assert Counter(found) == Counter((repeat, one) for repeat in range(5) for one in LATENCIES)
    assert [repeat for repeat, _ in found] == sorted(repeat for repeat, _ in found)
    assert found == order(LATENCIES[::-1], 5, 1)
    assert any(order(LATENCIES, 5, seed) != found for seed in (2, 3))
    assert len({tuple(one for each, one in found if each == r) for r in range(5)}) > 1


def test_without_root_there_is_no_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    asked = LatencyExperiment(
        workload=workloads.load("web-mix"),
        target="lab:nginx",
        latencies={0.0: "0", 0.015: "15ms"},
        users=2,
        repeats=2,
        duration="1s",
        seed=1,
        runs=tmp_path,
    )
    with pytest.raises(MachineLimitError, match="needs root"):
        LatencyRun(asked, Secrets(None, None)).measure(Silent(), lambda _: None)
    assert list(tmp_path.iterdir()) == []


def test_only_web_pages_are_made_larger() -> None:
    copies = workloads.load("file-copy")
    assert prepared(copies) == copies
    pages = prepared(workloads.load("web-mix")).pages
    assert pages is not None
    assert [one.sizes_bytes[0] for one in pages.classes] == [128 * 1024]


def test_the_report_fits_and_has_every_figure() -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, highlight=False)
    report.show(latency_file.latency_record(points()), console)
    table = [line for line in stream.getvalue().splitlines() if " sockets " in line and "[" in line]
    assert len([line for line in table if line.startswith((" ", "1"))]) >= 3
    assert "From 4 repeats" in stream.getvalue()
    assert "…" not in stream.getvalue()
    assert all(len(line) <= 80 for line in stream.getvalue().splitlines())


def message(address: str, figures: tuple[int, ...], trip_us: int, *, is_v6: bool = False) -> bytes:
    """What the kernel says about a socket, by the layout in its headers."""
    own = socket.inet_pton(socket.AF_INET, address)
    content = bytearray(72)
    content[0] = socket.AF_INET6 if is_v6 else socket.AF_INET
    content[8:24] = bytes(10) + b"\xff\xff" + own if is_v6 else own + bytes(12)
    info = bytearray(232)
    struct.pack_into("=I", info, 148, trip_us)
    for kind, value in ((7, struct.pack("=9I", *figures)), (2, bytes(info))):
        content += struct.pack("=HH", 4 + len(value), kind) + value
    return bytes(content)


def test_sockets_of_the_address_are_summed_and_no_others() -> None:
    held = (100, 9, 9, 9, 20, 3_000, 9, 9, 9)
    of = [
        message("10.77.1.1", held, 15_000),
        message("10.77.1.1", held, 17_000, is_v6=True),
        message("10.77.1.1", held, 0xFFFF_FFFF),
        message("10.77.1.2", held, 1),
    ]
    found = sums(of, "10.77.1.1")
    assert (found.sockets, found.memory_bytes) == (3, 3 * 3_120)
    assert found.round_trip_s == pytest.approx(0.016)
    assert sums(of[2:3], "10.77.1.1").round_trip_s is None


@pytest.mark.parametrize("end", ["reader", "writer"])
def test_the_memory_of_a_real_socket_holds_its_data(end: str) -> None:
    low, high = os.getpid() % 120 * 2 + 1, os.getpid() // 120 % 250  # other tests run meanwhile
    ours, theirs = f"127.77.{high}.{low}", f"127.77.{high}.{low + 1}"
    address = ours if end == "reader" else theirs
    with socket.create_server((ours, 0)) as server, socket.socket() as writer:
        writer.bind((theirs, 0))
        writer.connect(server.getsockname())
        reader, _ = server.accept()
        table = SocketTable()
        try:
            idle = table.read(address)
            assert idle.sockets == 1
            sent = fill(writer)
            full = table.read(address)
            unread = len(reader.recv(1 << 26, socket.MSG_PEEK))
        finally:
            table.close()
            reader.close()
    held = unread if end == "reader" else sent - unread
    assert held > 0
    assert full.memory_bytes - idle.memory_bytes > 0.9 * held
    assert full.memory_bytes < 20 * held


def fill(writer: socket.socket) -> int:
    """Send until neither end takes any more; returns how much that was."""
    writer.setblocking(False)
    sent = 0
    while True:
        try:
            sent += writer.send(bytes(65_536))
        except BlockingIOError:
            return sent
