"""Whether the load generator, not the server, was the limit of a level."""

from collections.abc import Sequence

from headcount._engine import Histogram
from headcount.analyse.window import Window
from headcount.bundle.level import CriterionResult, GeneratorResult
from headcount.text import duration, share

BUSY_SHARE = 0.80
"""CPU of the busiest worker above which its users wait for the generator (share of a core)."""
LOST_SHARE = 0.05
"""Share of their time that users may lose to late starts: it lowers the load by as much."""
PROMPT_MS = 1.0
"""Lateness that a quiet machine has as well; it does not count."""


def generator_result(
    window: Window, users: int, criteria: Sequence[CriterionResult]
) -> GeneratorResult:
    """What the generator did in the window, and whether it may have been the limit.

    Late timers only ever make users slower. So a level that passed has passed. One that failed has
    failed, unless all criteria that it broke might hold without the timers' delay.
    """
    workers = list(zip(*(i.worker_cpu_s for i in window.sums), strict=True))
    shares = [sum(worker) / window.seconds for worker in workers]
    lateness = window.histogram(lambda interval: interval.timer_lateness)
    known = lateness.count > 0
    p99_ms = lateness.quantile_us(0.99) / 1000
    reasons = []
    if shares and max(shares) > BUSY_SHARE:
        reasons.append(
            f"a worker of the load generator used {share(max(shares))} of its core; "
            "give it more cores (--workers) or another machine"
        )
    broken = [result for result in criteria if not result.passed]
    if broken and all(result.undecided for result in broken):
        reasons.append(
            f"1% of the load generator's own timers were over {duration(p99_ms)} late, without "
            f"which {' and '.join(result.criterion for result in broken)} may hold"
        )
    lost = _late_s(lateness) / max(users * window.seconds, 1e-9)
    if lost > LOST_SHARE:
        reasons.append(
            f"the load generator's own timers were late for {share(lost)} of the users' time; up "
            f"to {share(LOST_SHARE)} does not matter"
        )
    return GeneratorResult(
        workers=len(shares),
        cpu_cores=sum(shares),
        busiest_worker_share=max(shares, default=0.0),
        timer_lateness_p50_ms=lateness.quantile_us(0.5) / 1000 if known else None,
        timer_lateness_p99_ms=p99_ms if known else None,
        timer_lateness_max_ms=lateness.max_us / 1000 if known else None,
        limited=bool(reasons),
        reasons=reasons,
    )


def _late_s(lateness: Histogram) -> float:
    """Total lateness of the timers beyond a quiet machine's, in seconds."""
    return sum(
        (us / 1e6 - PROMPT_MS / 1e3) * count
        for us, count in lateness.buckets()
        if us > PROMPT_MS * 1000
    )
