"""Whether levels that passed achieved the load they offered."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.law import window_of
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.level import SHORTFALL_SHARE
from headcount.text import plural, share

CHECK = "offered"
TITLE = "levels that passed achieved the offered load"


def check(evidence: Evidence) -> Result:
    """Scenarios that fell due against those that ended, from the seconds."""
    places = []
    least: float | None = None
    passed = [level for level in evidence.levels if level.outcome == "passed"]
    for level in passed:
        window = window_of(evidence, level)
        if window is None:
            continue
        due = window.pool().due()
        ended = window.pool().completed + window.pool().failed
        achieved = ended / due if due else 1.0
        least = achieved if least is None else min(least, achieved)
        if due - ended > level.users + SHORTFALL_SHARE * due:
            text = f"it passed with {ended:,} of {plural('scenario', due)} answered"
            places.append(Place(file="series.ndjson", level=level.index, at="steady", text=text))
    if least is None:
        return unknown(CHECK, TITLE, "no level passed")
    good = (
        f"{plural('level', len(passed))} passed; at least {share(least)} of what fell due was "
        "answered"
    )
    return result(CHECK, TITLE, places, good, {"least_achieved": least})
