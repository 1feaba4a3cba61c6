"""What latencies cost, as a record: two starts in each of two repeats."""

from collections.abc import Sequence

from headcount.analyse import latency as analysis
from headcount.bundle.latency import LatencyFile, LatencyMemory, LatencyPoint


def memory(process_bytes: float, sockets: int, socket_bytes: float) -> LatencyMemory:
    return LatencyMemory(
        processes=3,
        process_bytes=process_bytes,
        sockets=sockets,
        socket_bytes=socket_bytes,
        kernel_bytes=90e6,
    )


def point(repeat: int, latency_s: float) -> LatencyPoint:
    held = 10 * (400 + 30_000 * latency_s + 7 * repeat)
    return LatencyPoint(
        repeat=repeat,
        latency_s=latency_s,
        bundle="20261128T000000-file-copy-lab-samba",
        users=10,
        outcome="passed",
        reasons=[],
        offered_per_s=20.0,
        achieved_per_s=19.9,
        round_trip_s=latency_s or None,
        before=memory(5e6, 0, 0.0),
        during=memory(13e6, 10, held),
        samples=4,
        socket_samples=400,
    )


def latency_record(given: Sequence[LatencyPoint] = ()) -> LatencyFile:
    """The record of these starts."""
    points = [point(repeat, latency_s) for repeat in (0, 1) for latency_s in (0.0, 0.015)]
    points = list(given) or points
    costs = analysis.costs(points)
    return LatencyFile(
        headcount="0.1.0",
        started_at="2026-11-28T00:00:00.000+00:00",
        target="lab:samba",
        programs={"samba": "4.17.12"},
        workload="each user copies a file",
        outcome="finished",
        counted=analysis.COUNTED,
        points=points,
        costs=costs,
        sentences=analysis.sentences(costs),
        doubts=analysis.doubts(points),
    )
