"""Whether the server was the limit, and not the load generator."""

from headcount.analyse import generator
from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.law import window_of
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.line import with_full_line
from headcount.analyse.outright import has_failed_outright
from headcount.text import percent, plural

CHECK = "generator"
TITLE = "levels that count were not limited by the load generator"


def check(evidence: Evidence) -> Result:
    """CPU of the workers and lateness of the timers at every level, from the seconds."""
    if evidence.plan is None or not evidence.levels:
        return unknown(CHECK, TITLE, "there is no level whose seconds could be judged")
    places, busiest, late = [], 0.0, 0.0
    for level in evidence.levels:
        window = window_of(evidence, level)
        if window is None:
            continue
        watched = generator.generator_result(window, level.users, level.criteria)
        watched = with_full_line(watched, level.counters)
        ended = (level.total.completed, level.total.failed)
        broke = has_failed_outright(evidence.plan.criteria, level.faults, *ended)
        if level.outcome == "invalid" or broke:
            continue
        busiest = max(busiest, watched.busiest_worker_share)
        late = max(late, watched.timer_lateness_p99_ms or 0.0)
        places += [
            Place(
                file="series.ndjson",
                level=level.index,
                at="steady",
                text=f"it counts, though {why}",
            )
            for why in watched.reasons
        ]
    invalid = [level for level in evidence.levels if level.outcome == "invalid"]
    if len(invalid) == len(evidence.levels):
        places.append(
            Place(file="levels.json", at="outcome", text="no level counts: none of them is valid")
        )
    figures: dict[str, float | int | None] = {
        "invalid_levels": len(invalid),
        "busiest_worker_share": busiest,
        "timer_lateness_p99_ms": late,
    }
    good = (
        f"a worker used at most {percent(busiest)} of a core, and 1% of timers were over "
        f"{late:.2f} ms late"
    )
    if invalid:
        good += f"; {len(invalid)} of {plural('level', len(evidence.levels))} do not count"
    return result(CHECK, TITLE, places, good, figures)
