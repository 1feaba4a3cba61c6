"""Plays home folders in a folder; prints which system calls the engine counted (JSON).

Run by the tests below strace, which sees the calls themselves.
"""

import json
import sys
from collections import Counter

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.files import FilesAccess
from headcount.plan.plan import engine_plan
from headcount.plan.resolve import Overrides, resolve

USERS = 4
PLAYED_S = 6.0


def main() -> None:
    """Prepare if told to, else play and print."""
    folder, job = sys.argv[1:]
    overrides = Overrides(
        users=USERS, seed=5, scale=0.02, pace="150ms", workers=2, client={"engine": "threads"}
    )
    plan = resolve(workloads.load("home-folders"), f"file://{folder}", overrides)
    access = FilesAccess(plan, folder)
    if job == "prepare":
        access.prepare(USERS, lambda _done, _all: None)
        return
    engine = Engine(engine_plan(plan), plan.protocol, access.engine_target())
    engine.set_users(USERS, 0.2)
    intervals = []
    while engine.now_s() < PLAYED_S:
        if (interval := engine.next(5.0)) is not None:
            intervals.append(interval)
    engine.set_users(0, 0.0)
    engine.stop(10.0)
    while (interval := engine.next(10.0)) is not None:
        intervals.append(interval)
    failed = [f"{fault.kind}: {fault.examples}" for i in intervals for fault in i.faults]
    assert not failed, failed
    counts = Counter[str]()
    for interval in intervals:
        counts.update(dict(zip(engine.request_names, interval.requests, strict=True)))
    print(json.dumps(+counts))


if __name__ == "__main__":
    main()
