"""Whether every file can be read, to the last line."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result
from headcount.text import plural

CHECK = "readable"
TITLE = "every file can be read"
_NEEDED = ("environment.json", "events.ndjson", "series.ndjson", "histograms.hlog")
"""What every run has that has begun."""


def check(evidence: Evidence) -> Result:
    """JSON, TOML and histograms; a torn last line of a run that was killed is none of it."""
    missing = [
        Place(file=name, at="the file", text="is missing")
        for name in _NEEDED
        if not (evidence.folder / name).is_file()
    ]
    if evidence.verdict is not None and not evidence.levels and not evidence.damage:
        text = f"has {evidence.verdict.cost.levels} levels, and levels.json has none"
        if evidence.verdict.cost.levels:
            missing.append(Place(file="verdict.json", at="cost.levels", text=text))
    good = f"{plural('second', len(evidence.seconds))} and {plural('level', len(evidence.levels))}"
    return result(CHECK, TITLE, [*evidence.damage, *missing], good)
