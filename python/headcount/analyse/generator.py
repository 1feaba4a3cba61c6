"""Whether the load generator, not the server, was the limit of a level."""

from headcount.analyse.window import Window
from headcount.bundle.level import GeneratorResult
from headcount.plan.criteria import TIMES, Criterion
from headcount.text import duration, share

BUSY_SHARE = 0.80
"""CPU of the busiest worker above which its users wait for the generator (share of a core)."""
LATENESS_SHARE = 0.05
"""Lateness of the generator's own timers, as a share of the response time that decides, above which
it could have decided instead of the server."""
LATENESS_LEAST_MS = 1.0
"""Lateness below this never matters: it is what a quiet machine's scheduler does."""


def generator_result(window: Window, criteria: list[Criterion]) -> GeneratorResult:
    """What the generator did in the window, and whether it was the limit."""
    workers = list(zip(*(i.worker_cpu_s for i in window.intervals), strict=True))
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
    tolerated_ms = max(LATENESS_LEAST_MS, LATENESS_SHARE * _decisive_ms(criteria))
    if known and p99_ms > tolerated_ms:
        reasons.append(
            f"1% of the load generator's own timers were over {duration(p99_ms)} late; up to "
            f"{duration(tolerated_ms)} could not change the verdict"
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


def _decisive_ms(criteria: list[Criterion]) -> float:
    """The shortest response time that a criterion asks for; one second when none does."""
    limits = [c.limit * 1000 for c in criteria if c.metric in TIMES]
    return min(limits, default=1000.0)
