"""Signs that one thread of the server, or each of a few, had a core of its own and needed more."""

from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import held, ramp
from headcount.text import share, significant

BUSIEST = "process.cpu.busiest_thread"


def signs(level: Observation) -> Sign | None:
    """How surely a thread had no time left while CPUs were idle; None where none is watched."""
    busy = level.mean(BUSIEST)
    if busy is None:
        return None
    score = ramp(busy, "thread.busy.low", "thread.busy.high")
    used = cpu.cores(level)
    said = f"its busiest thread used {share(busy)} of a core"
    threads = 1
    if used.server is not None and used.there:
        said += f", the server {significant(used.server)} of {significant(used.there)} CPUs"
        threads = max(round(used.server / busy), 1) if busy else 1
        # With all CPUs full of the server's own work there is nothing idle for another thread.
        score *= 1 - ramp(used.server / used.there, "cpu.full.low", "cpu.full.high")
    throttled = level.mean(cpu.THROTTLED) or 0.0
    score *= 1 - min(throttled, 1.0)
    told = figure(level, BUSIEST, busy, said, threshold=held("thread.busy.high"))
    detail = "one thread" if threads == 1 else "a few threads"
    return Sign("thread", detail, score, (told,), float(threads), "{thread}")
