"""Checks reported response times: a real server is stopped for 1 s of each 10 s.

The truth comes from elsewhere than the engine's clockwork: when the server stood still is known,
because this program stopped it; how long an undisturbed request takes was measured before. Requests
fall due at moments that know nothing of the stalls, so a request that falls due in a stall takes
what is left of the stall and then as long as any other.
"""

import json
import os
import signal
import time
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from bench.figure import Figure
from headcount import _engine
from headcount._engine import Engine, Histogram, Interval
from headcount.errors import EngineError
from headcount.generator.real_time import real_time
from headcount.protocols.registry import start_lab

USERS = 50
EVERY_S = 0.2
"""Mean time from one request of a user to the next; the rate is so low that what piled up in
a stall is served within a hundredth of the stall's length."""
SETTLE_S = 3.0
CALM_S = 20.0
PERIOD_S = 10.0
STALL_S = 1.0
QUANTILES = (0.5, 0.95, 0.99)
FILE_BYTES = 65_536
SEED = 1


@dataclass(frozen=True, slots=True)
class Stall:
    """When the server stood still, in seconds of the engine's clock."""

    from_s: float
    to_s: float


def stalls(periods: int = 10) -> list[Figure]:
    """Response times reported, the truth, and what service times would have claimed."""
    server = start_lab("app", {})
    try:
        address = server.address
        _engine.prepare("app", _target(address), 0, USERS - 1, lambda _progress: None)
        with real_time():
            engine = Engine(_plan(), "app", _target(address))
        try:
            return _measure(engine, server.pids[0], periods)
        finally:
            engine.close()
    finally:
        server.stop()


def _measure(engine: Engine, pid: int, periods: int) -> list[Figure]:
    engine.set_users(USERS, 1.0)
    until(engine, SETTLE_S)
    calm = until(engine, SETTLE_S + CALM_S)
    begun_s = engine.now_s()
    stood_still: list[Stall] = []
    stormy: list[Interval] = []
    for period in range(periods):
        stormy += until(engine, begun_s + (period + 0.4) * PERIOD_S)
        stood_still.append(_stall(engine, pid))
        stormy += until(engine, begun_s + (period + 1) * PERIOD_S)
    reported = Histogram.merge([second.scenarios[0].response for second in stormy])
    service = Histogram.merge([second.scenarios[0].service for second in stormy])
    alone = Histogram.merge([second.scenarios[0].response for second in calm])
    begin_s, end_s = stormy[0].from_s, stormy[-1].to_s
    figures = []
    for quantile in QUANTILES:
        truth_ms = true_quantile_s(quantile, alone, stood_still, end_s - begin_s) * 1e3
        name = f"p{quantile * 100:g} of {reported.count:,} requests"
        reported_ms = reported.quantile_us(quantile) / 1e3
        claimed_ms = service.quantile_us(quantile) / 1e3
        figures += [
            Figure("truth", f"{name}, reported", reported_ms, "ms", truth_ms, "truth"),
            Figure("truth", f"{name}, service time alone", claimed_ms, "ms", truth_ms, "truth"),
        ]
    return figures


def true_quantile_s(
    quantile: float, alone: Histogram, stood_still: list[Stall], length_s: float
) -> float:
    """The response time that this share of requests does not exceed, in seconds.

    With F the distribution of undisturbed response times, requests due at uniform moments and
    stalls of lengths L in a time T, the share of responses above t is, outside stalls,
    (1 - sum(L) / T) (1 - F(t)), and in each stall the mean of 1 - F(t - r) over what is left of it,
    r from 0 to L. Found by bisection.
    """
    values_us, counts = zip(*alone.buckets(), strict=True)
    cumulative: list[int] = list(accumulate(counts))

    def share_above(limit_s: float) -> float:
        seen = bisect_right(values_us, limit_s * 1e6)
        return 1.0 - (cumulative[seen - 1] if seen else 0) / cumulative[-1]

    lengths_s = [stall.to_s - stall.from_s for stall in stood_still]
    cells = 2000
    low_s, high_s = 0.0, 2 * max(lengths_s) + 10.0
    for _ in range(50):
        middle_s = (low_s + high_s) / 2
        above = (1 - sum(lengths_s) / length_s) * share_above(middle_s)
        for stall_s in lengths_s:
            left = (stall_s * (cell + 0.5) / cells for cell in range(cells))
            mean = sum(share_above(middle_s - left_s) for left_s in left) / cells
            above += stall_s / length_s * mean
        low_s, high_s = (middle_s, high_s) if above > 1 - quantile else (low_s, middle_s)
    return high_s


def _stall(engine: Engine, pid: int) -> Stall:
    """Stop the server for a while, and continue it whatever happens."""
    try:
        os.kill(pid, signal.SIGSTOP)
        from_s = engine.now_s()
        time.sleep(STALL_S)
    finally:
        os.kill(pid, signal.SIGCONT)
    return Stall(from_s, engine.now_s())


def until(engine: Engine, at_s: float) -> list[Interval]:
    """The reports until a moment of the engine's clock; nothing between two calls is missed."""
    intervals: list[Interval] = []
    while engine.now_s() < at_s:
        interval = engine.next(5.0)
        if interval is None:
            raise EngineError("the engine reported nothing for 5 s; it reports each second")
        intervals.append(interval)
    return intervals


def _plan() -> str:
    step = {"name": "answer", "op": "server-client", "reply_bytes": 1}
    limits = {"limit_ms": 1000.0, "late_ms": 1000.0}
    scenario = {"name": "answer", "weight": 1.0, **limits, "steps": [step]}
    every = {"draw": "exponential", "mean_s": EVERY_S}
    return json.dumps(
        {
            "seed": SEED,
            "workers": 1,
            "pace": {"pace": "open", "every": every},
            "step_timeout_ms": 60_000,
            "report_every_ms": 1000,
            "scenarios": [scenario],
        }
    )


def _target(address: str) -> str:
    shape = {"file_bytes": FILE_BYTES, "range_bytes": FILE_BYTES, "seed": SEED}
    return json.dumps({"address": address, **shape})
