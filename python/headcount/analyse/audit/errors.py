"""Whether failures are explained, and no level passed despite a fault that forbids it."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.law import window_of
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.failures.summary import wrong_data
from headcount.text import plural, share

CHECK = "errors"
TITLE = "every failure has a fault, and no level passed with wrong data"


def check(evidence: Evidence) -> Result:
    """Failed scenarios against the faults that are listed for their seconds."""
    places = []
    worst, failed_all = 0.0, 0
    for level in evidence.levels:
        window = window_of(evidence, level)
        if window is None:
            continue
        failed, completed = window.pool().failed, window.pool().completed
        faults = sum(fault.count for one in window.sums for fault in one.faults)
        failed_all += failed
        if failed + completed:
            worst = max(worst, failed / (failed + completed))
        if failed > faults:
            text = f"{plural('scenario', failed)} failed, and {faults:,} faults are listed"
            places.append(Place(file="series.ndjson", level=level.index, at="faults", text=text))
        if wrong_data(level.faults) and level.outcome == "passed":
            text = "it passed although wrong data was read"
            places.append(Place(file="levels.json", level=level.index, at="outcome", text=text))
    if not evidence.levels:
        return unknown(CHECK, TITLE, "there is no level")
    good = "nothing failed"
    if failed_all:
        good = f"{plural('scenario', failed_all)} failed, {share(worst)} in the worst level"
    return result(CHECK, TITLE, places, good, {"failed": failed_all, "worst_share": worst})
