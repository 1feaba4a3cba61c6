"""Users of a database in a process of their own, whose CPU time is that of the load alone.

    python -m bench.sql_users STATEMENT PARAMETER CONNECTIONS SECONDS < target.json

The target is what the engine reads. Prints one JSON object.
"""

import json
import resource
import sys
import time

from headcount._engine import Engine, Interval
from headcount.errors import EngineError

SETTLE_S = 1.0
"""After the last user has logged on."""
JOIN_S = 0.005
"""The time between two logons: each takes the server and this process 4 ms of CPU (SCRAM)."""
PATIENCE_S = 30.0


def main() -> None:
    """Play, measure and print."""
    statement, parameter, connections, seconds = sys.argv[1:]
    step = {"name": "ask", "op": "sql", "statement": statement, "parameters": [parameter]}
    limits = {"limit_ms": 10_000.0, "late_ms": 10_000.0}
    plan = {
        "seed": 1,
        "workers": 1,
        "pace": {"pace": "closed", "think": {"draw": "fixed", "s": 0.0}},
        "step_timeout_ms": 60_000,
        "report_every_ms": 1000,
        "scenarios": [{"name": "ask", "weight": 1.0, **limits, "steps": [step]}],
    }
    engine = Engine(json.dumps(plan), "sql", sys.stdin.read())
    try:
        print(json.dumps(_measured(engine, int(connections), float(seconds))))
    finally:
        engine.close()


def _measured(engine: Engine, connections: int, seconds: float) -> dict[str, float]:
    ramp_s = connections * JOIN_S
    engine.set_users(connections, ramp_s)
    opened = 0
    while opened < connections:
        opened += _next(engine).sessions_opened
    _completed_until(engine, engine.now_s() + SETTLE_S)
    used_s, began_s = _cpu_s(), time.monotonic()
    completed = _completed_until(engine, engine.now_s() + seconds)
    used_s, took_s = _cpu_s() - used_s, time.monotonic() - began_s
    return {
        "statements": completed,
        "cpu_s": used_s,
        "took_s": took_s,
        "peak_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
    }


def _completed_until(engine: Engine, at_s: float) -> int:
    """Statements in the reports until a moment of the engine's clock."""
    completed = 0
    while engine.now_s() < at_s:
        completed += _next(engine).scenarios[0].completed
    return completed


def _next(engine: Engine) -> Interval:
    """The next report; that a statement failed is an error."""
    interval = engine.next(PATIENCE_S)
    if interval is None:
        raise EngineError(f"the engine reported nothing for {PATIENCE_S:g} s")
    for fault in interval.faults:
        raise EngineError(f"a statement failed: {fault.examples}")
    return interval


def _cpu_s() -> float:
    """CPU time of this process, all its threads and the kernel's work for them included."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
