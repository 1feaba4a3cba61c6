"""Signs that one server thread, or each of a few, used up a core and needed more."""

from headcount.analyse.diagnosis.evidence import cpu
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.sign import Sign, figure
from headcount.analyse.diagnosis.thresholds import ramp, threshold
from headcount.text import share, significant

BUSIEST = cpu.BUSIEST_THREAD


def signs(level: Observation) -> Sign | None:
    """How surely a thread had no time left while CPUs were idle; None where none is watched."""
    busy = level.mean(BUSIEST)
    if busy is None:
        return None
    used, wants = cpu.cores(level), cpu.wanted(level)
    delay = level.mean(cpu.DELAY) or 0.0
    # A thread that is kept waiting for its CPU now and then wants it all the time, too.
    busiest = min(busy / max(1 - delay, 0.5), 1.0)
    score = ramp(busiest, "thread.busy.low", "thread.busy.high")
    text = f"its busiest thread used {share(busy)} of a core"
    threads = 1
    if used.server is not None and used.there:
        text += f", the server {significant(used.server)} of {significant(used.there)} CPUs"
        threads = max(round(used.server / busy), 1) if busy else 1
        # With all CPUs wanted by the server's own threads there is nothing idle for another one.
        most = max(used.server, wants or 0.0) / used.there
        score *= 1 - ramp(most, "cpu.wanted.low", "cpu.wanted.high")
    throttled = level.mean(cpu.THROTTLED) or 0.0
    score *= 1 - min(throttled, 1.0)
    shown = figure(level, BUSIEST, busy, text, threshold=threshold("thread.busy.high"))
    detail = "one thread" if threads == 1 else "a few threads"
    return Sign("thread", detail, score, (shown,), float(threads), "{thread}")
