"""Signs that one server thread, or each of a few, used up a core and needed more.

Or one process: threads of an interpreter with a global lock (Python, Ruby) take turns, so all of
them together use one core while others are idle.
"""

from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import between, ramp, threshold
from headcount.text import share, significant

BUSIEST = cpu.BUSIEST_THREAD
PROCESS = "process.cpu.busiest_process"
THREADS = "process.threads"
TURNS = "process.threads.waiting{wait=lock}"


def signs(level: Observation) -> Sign | None:
    """How surely a thread had no time left while CPUs were idle; None if none is watched."""
    found = [sign for sign in (_thread(level), _process(level)) if sign is not None]
    return max(found, key=lambda sign: sign.score, default=None)


def _thread(level: Observation) -> Sign | None:
    busy = level.mean(BUSIEST)
    if busy is None:
        return None
    used, wants = cpu.cores(level), cpu.wanted(level)
    delay = level.mean(cpu.DELAY) or 0.0
    # A thread that sometimes waits for its CPU still wants it all the time.
    busiest = min(busy / max(1 - delay, 0.5), 1.0)
    score = ramp(busiest, "thread.busy.low", "thread.busy.high")
    score *= 1 - min(level.mean(cpu.THROTTLED) or 0.0, 1.0)
    text = f"its busiest thread used {share(busy)} of a core"
    threads = 1
    if used.server is not None and used.there:
        text += f", the server {significant(used.server)} of {significant(used.there)} CPUs"
        threads = max(round(used.server / busy), 1) if busy else 1
        # If the server's own threads want all CPUs, none is idle for another thread.
        most = max(used.server, wants or 0.0) / used.there
        score *= 1 - ramp(most, "cpu.wanted.low", "cpu.wanted.high")
    shown = figure(level, BUSIEST, busy, text, threshold=threshold("thread.busy.high"))
    detail = "one thread" if threads == 1 else "a few threads"
    return Sign("thread", detail, score, (shown,), float(threads), "{thread}")


def _process(level: Observation) -> Sign | None:
    """Threads that take turns: one core in use, by several threads of one process."""
    busy, thread, runnable = level.mean(PROCESS), level.mean(BUSIEST), level.mean(cpu.RUNNABLE)
    if busy is None or thread is None:
        return None
    # Threads that are ready to run and get no CPU lack cores; those that take turns wait for the
    # lock, and few at a time wake up to ask for it.
    at_work = max(min(level.under_way or 1.0, level.mean(THREADS) or 1.0), 1.0)
    ready = max((runnable or 1.0) - 1.0, 0.0) / at_work
    used, throttled = cpu.cores(level), level.mean(cpu.THROTTLED) or 0.0
    most = max(busy, level.peaks.get(PROCESS, 0.0))  # a lock allows at most a core in any second
    score = (
        ramp(busy, "process.busy.low", "process.busy.high")
        * (1 - between(most, 1.1, threshold("process.several")))
        * between(busy - thread, 0.05, 0.15)
        * (1 - between(ready, 0.3, 0.6))
        * (1 - min(throttled, 1.0))
    )
    if used.server is not None and used.there:
        score *= 1 - ramp(used.server / used.there, "cpu.wanted.low", "cpu.wanted.high")
    text = (
        f"its busiest process used {significant(busy)} CPUs, and none of its threads more than "
        f"{share(thread)} of one"
    )
    shown = [figure(level, PROCESS, busy, text, threshold=threshold("process.busy.high"))]
    waiting = level.mean(TURNS)
    if waiting:
        text = f"{significant(waiting)} of its threads waited for a lock"
        shown.append(figure(level, TURNS, waiting, text))
    return Sign("thread", "one process", score, tuple(shown), 1.0, "{process}")
