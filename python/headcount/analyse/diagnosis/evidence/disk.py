"""Signs that the server waited for its disk, including because memory was short."""

from dataclasses import replace

from headcount.analyse.diagnosis.evidence import cpu, locks
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import ramp, threshold
from headcount.bundle.diagnosis import Figure
from headcount.text import duration, megabytes_per_s, share, significant

SOME = "cgroup.pressure{resource=io,kind=some}"
FULL = "cgroup.pressure{resource=io,kind=full}"
HOST_SOME = "system.linux.pressure{resource=io,kind=some}"
HOST_FULL = "system.linux.pressure{resource=io,kind=full}"
BLOCKED = "process.threads.blocked.occupied"
BUSY = "system.disk.utilization.busiest"
AWAIT = "system.disk.operation_time"
READ = "process.disk.io{disk.io.direction=read}"
WRITTEN = "process.disk.io{disk.io.direction=write}"
HOST_READ = "system.disk.io{disk.io.direction=read}"
HOST_WRITTEN = "system.disk.io{disk.io.direction=write}"
FLUSHING = "process.threads.waiting{wait=sync}"
LEAN = 2.0
"""Ratio of reads to writes, in bytes, from which a disk's load is called one of them."""
IDLE = 0.5
"""Share of busy time below which a disk that the server waits for is not itself the limit."""


def signs(level: Observation, light: Observation | None) -> Sign | None:
    """How surely the server waited for its disk; `light` is the level with the fewest users.

    None if nothing shows it.
    """
    detail = _direction(level)
    waited = _waited(level)
    flush = _flush(level)
    if flush is not None and (waited is None or flush.score > waited[0]):
        return flush
    if waited is not None:
        score, counter, value = waited
        queue = locks.commit_queue(level)
        if queue > score:
            return Sign("disk", detail, queue, (_queue(level, queue), *_where(level, queue)))
        tasks = "a task of the machine" if counter == HOST_SOME else "a task of the server"
        text = f"{tasks} waited for I/O {share(value)} of the time"
        shown = figure(level, counter, value, text, threshold=threshold("decide.score"))
        return Sign("disk", detail, score, (shown, *_where(level, score)))
    return _device(level, light, detail)


def _flush(level: Observation) -> Sign | None:
    """A thread that does all the work, and stands still while data reach the disk.

    Pressure does not show it: the kernel counts only part of a flush as waiting for I/O.
    """
    flushing, busy, still = level.mean(FLUSHING), level.mean(cpu.BUSIEST_THREAD), _still(level)
    if flushing is None or busy is None or still < threshold("flush.still"):
        return None
    waiting = level.mean(cpu.PRESSURE) or 0.0
    score = ramp(flushing, "flush.low", "flush.high")
    score *= ramp(flushing + busy + waiting, "flush.full.low", "flush.full.high")
    text = (
        f"a thread waited for data to reach the disk (fsync) {share(min(flushing, 1.0))} of the "
        "time, and nothing else of the server ran meanwhile"
    )
    shown = figure(level, FLUSHING, flushing, text, threshold=threshold("flush.high"))
    return Sign("disk", "write", score, (shown, *_where(level, 0.0))) if score else None


def _still(level: Observation) -> float:
    """The share of the waiting for I/O during which nothing ran; 0 if not observed."""
    for some, full in ((SOME, FULL), (HOST_SOME, HOST_FULL)):
        waited, whole = level.mean(some), level.mean(full)
        if waited and whole is not None:
            return min(whole / waited, 1.0)
    return 0.0


def _queue(level: Observation, part: float) -> Figure:
    """Statements that wait for the one that writes the log."""
    waiting = level.mean(locks.INSIDE) or 0.0
    text = (
        f"a statement waited for I/O {share(part)} of the time, and {significant(waiting)} others "
        "for its lock inside PostgreSQL"
    )
    return figure(level, locks.WRITING, part, text, threshold=threshold("decide.score"))


def _waited(level: Observation) -> tuple[float, str, float] | None:
    """Score, counter and value of the best available figure on waiting for I/O."""
    for some, full in ((SOME, FULL), (BLOCKED, None), (HOST_SOME, HOST_FULL)):
        value = level.mean(some)
        if value is not None:
            whole = level.mean(full) if full else None
            return value * _clear_of_cpu(level, value, whole), some, value
    return None


def _clear_of_cpu(level: Observation, some: float, full: float | None) -> float:
    """How far waiting for I/O means that nothing else was going on.

    With many tasks, one of them nearly always waits for a disk, even if all others wait for CPUs.
    The difference is whether anything ran meanwhile (`full`).
    """
    used = cpu.cores(level)
    if used.host is None or not used.there:
        return 1.0
    crowded = ramp(used.host / used.there, "cpu.full.low", "cpu.full.high")
    idle_meanwhile = min(full / some, 1.0) if full is not None and some > 0 else 0.5
    return 1 - crowded * (1 - max(idle_meanwhile, 0.5))


def _device(level: Observation, light: Observation | None, detail: str | None) -> Sign | None:
    """Without figures on waiting: a disk always busy whose requests take longer and longer."""
    busy = level.mean(BUSY)
    if busy is None:
        return None
    score = ramp(busy, "disk.busy.low", "disk.busy.high")
    text = f"the busiest disk was busy {share(busy)} of the time"
    figures = [figure(level, BUSY, busy, text, threshold=threshold("disk.busy.high"))]
    took, before = level.mean(AWAIT), light.mean(AWAIT) if light is not None else None
    if took is not None and before:
        grown = took / before
        text = (
            f"a disk request took {duration(took)}, {significant(grown)} times as long as with few "
            "users"
        )
        figures.append(
            figure(level, AWAIT, took, text, threshold=threshold("disk.growth") * before)
        )
        score *= min(grown / threshold("disk.growth"), 1.0)
    return Sign("disk", detail, score, tuple(figures))


def _direction(level: Observation) -> str | None:
    read, written = level.mean(READ, HOST_READ), level.mean(WRITTEN, HOST_WRITTEN)
    if not read and not written:
        return None
    read, written = read or 0.0, written or 0.0
    if read >= LEAN * written:
        return "read"
    return "write" if written >= LEAN * read else "read and write"


def _where(level: Observation, score: float) -> list[Figure]:
    """What was moved, and whether the disk itself was busy: if not, a limit lies above it."""
    figures = []
    for counter, word in ((READ, "read"), (WRITTEN, "wrote")):
        moved = level.mean(counter)
        if moved:
            text = f"it {word} {megabytes_per_s(moved)}"
            figures.append(figure(level, counter, moved, text))
    busy = level.mean(BUSY)
    if busy is not None:
        text = f"the busiest disk was busy {share(busy)} of the time"
        if busy < IDLE and score >= threshold("decide.score"):
            text += ": the limit is above the disk (a control group, a volume)"
        figures.append(figure(level, BUSY, busy, text))
    return figures


def without(sign: Sign, part: float) -> Sign:
    """The sign, less the part of it that is explained otherwise."""
    return replace(sign, score=sign.score * (1 - min(max(part, 0.0), 1.0)))
