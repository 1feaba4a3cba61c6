"""file-copy on a folder: the library is made there, copied from and to, and deleted again."""

import zlib
from pathlib import Path
from typing import Any

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.files import FilesAccess
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve

USERS = 4
PLAYED_S = 3.0


def plan_of(folder: Path) -> Plan:
    overrides = Overrides(users=USERS, seed=2, scale=0.01, think="10ms", workers=1)
    return resolve(workloads.load("file-copy"), f"file://{folder}", overrides)


def played(plan: Plan, target: str) -> list[Any]:
    engine = Engine(engine_plan(plan), "files", target)
    engine.set_users(USERS, 0.0)
    intervals = []
    while engine.now_s() < PLAYED_S:
        if (interval := engine.next(5.0)) is not None:
            intervals.append(interval)
    engine.stop(10.0)
    while (interval := engine.next(10.0)) is not None:
        intervals.append(interval)
    return intervals


def test_copies_on_a_folder(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    access = FilesAccess(plan, str(tmp_path))
    prepared = access.prepare(USERS, lambda _done, _all: None)
    library = {path: path.read_bytes() for path in (tmp_path / "headcount/library").rglob("*.*")}
    assert prepared.created_users == USERS
    # A hundredth of 533 files of each class of 64 KB, and of 30 of 1 MB at least one.
    assert len(library) == 6 * 5 + 1
    assert prepared.written_bytes == sum(map(len, library.values())) == 30 * 65536 + (1 << 20)
    for path, content in library.items():
        if path.parent.name == "text":
            assert len(content) / len(zlib.compress(content, 6)) > 3.8

    intervals = played(plan, access.engine_target())
    assert not [fault.examples for interval in intervals for fault in interval.faults]
    names = [scenario.name for scenario in plan.workload.scenarios]
    completed = dict.fromkeys(names, 0)
    for interval in intervals:
        for name, tally in zip(names, interval.scenarios, strict=True):
            completed[name] += tally.completed
    assert sum(completed.values()) > 50
    read = sum(tally.read_bytes for interval in intervals for tally in interval.scenarios)
    large = (1 << 20) - (64 << 10)
    gets = sum(number for name, number in completed.items() if name.startswith("get-"))
    assert read == gets * (64 << 10) + completed["get-office-1m"] * large

    uploads = [path for path in tmp_path.glob("headcount/user*/u*") if path.is_file()]
    assert uploads
    assert all(path.stat().st_size in (64 << 10, 1 << 20) for path in uploads)
    cleaned = access.cleanup(lambda _done, _all: None)
    assert f"of {USERS} users" in cleaned
    assert list(tmp_path.iterdir()) == []
