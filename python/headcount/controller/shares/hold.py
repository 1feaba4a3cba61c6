"""One start of the server: its points are held in turn and its memory is read."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from headcount._engine import SmbHold
from headcount.analyse.costs import Holding
from headcount.bundle.shares import LeftOut, SharesPoint
from headcount.controller.sut import Sut
from headcount.counters import footprint
from headcount.counters.footprint import Footprint
from headcount.errors import HeadcountError, SystemLimitError

SETTLE_S = 0.4
"""How long a point is held before it is read, so that work after an answer is over."""
SAMPLES = 3
APART_S = 0.2
RESERVE = 0.1
"""Share of the machine's memory that is left to others."""

Progress = Callable[[Holding, int], None]
"""Takes the point being held, and how many of its connections there are."""


def hold(
    sut: Sut,
    pids: Sequence[int],
    start: int,
    points: Sequence[Holding],
    on_progress: Progress,
    kept: list[SharesPoint],
) -> list[LeftOut]:
    """Hold the points one after the other, appending to `kept`; returns those that could not be.

    Points after one that could not be held need more of the same, and are left out with it. Raises
    SystemLimitError if the memory of the processes may not be read.
    """
    held = SmbHold(sut.access.engine_target())
    before = points[0]
    try:
        for index, point in enumerate(points):
            cpu_s = read_footprint(pids).cpu_s
            try:
                _bring(held, point, on_progress)
            except HeadcountError as error:
                return [left_out_point(each, str(error)) for each in points[index:]]
            sample = _sample(pids, start, before, point, cpu_s)
            answering = json.loads(held.check())["connections"]
            if answering < point.connections:
                why = f"{point.connections - answering:,} of its connections were lost"
                return [left_out_point(each, why) for each in points[index:]]
            kept.append(sample)
            before = point
    finally:
        with suppress(HeadcountError):  # a server that is gone keeps nothing of ours
            held.close()
    return []


def _bring(held: SmbHold, point: Holding, on_progress: Progress) -> None:
    """Hold a point; gives up before the machine's memory is used up."""

    def progress(text: str) -> None:
        state = footprint.memory()
        if state is not None and state[0] < RESERVE * state[1]:
            raise SystemLimitError(
                f"memory ran short: {state[0] / 1e6:,.0f} MB of {state[1] / 1e6:,.0f} MB left"
            )
        on_progress(point, json.loads(text)["users_done"])

    on_progress(point, 0)
    held.bring(point.connections, point.net_uses, point.open_files, progress)


def _sample(
    pids: Sequence[int], start: int, before: Holding, point: Holding, cpu_s: float | None
) -> SharesPoint:
    """What the server holds, with the CPU time since the previous point."""
    time.sleep(SETTLE_S)
    samples = [read_footprint(pids)]
    while len(samples) < SAMPLES:
        time.sleep(APART_S)
        samples.append(read_footprint(pids))
    sizes = [sample.process_bytes for sample in samples]
    kernel = [sample.kernel_bytes for sample in samples if sample.kernel_bytes is not None]
    ended_s = samples[0].cpu_s
    used_s = ended_s - cpu_s if ended_s is not None and cpu_s is not None else None
    return SharesPoint(
        start=start,
        shares=point.shares,
        connections=point.connections,
        net_uses=point.net_uses,
        open_files=point.open_files,
        processes=samples[-1].processes,
        process_bytes=sum(sizes) / len(sizes),
        spread_bytes=max(sizes) - min(sizes),
        kernel_bytes=sum(kernel) / len(kernel) if kernel else None,
        logon_cpu_s=used_s if point.connections > before.connections else None,
        net_use_cpu_s=used_s if point.net_uses > before.net_uses == 1 else None,
    )


def read_footprint(pids: Sequence[int]) -> Footprint:
    """The memory of these processes and their children; raises SystemLimitError."""
    found = footprint.read(pids)
    if found is None:
        numbers = ", ".join(str(pid) for pid in pids)
        raise SystemLimitError(
            f"the memory of the server's processes (of process {numbers} and its children) cannot "
            "be read: they have ended, belong to another user (run as root), or Linux is older "
            "than 5.3"
        )
    return found


def left_out_point(point: Holding, reason: str) -> LeftOut:
    """A point that could not be held."""
    return LeftOut(
        shares=point.shares,
        connections=point.connections,
        net_uses=point.net_uses,
        open_files=point.open_files,
        reason=reason,
    )
