"""Whether the level that the answer rests on was in steady state."""

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.analyse.standing import level_at
from headcount.bundle.level import LevelResult
from headcount.text import plural

CHECK = "steady"
TITLE = "the level behind the answer was in steady state"


def check(evidence: Evidence) -> Result:
    """MSER-5 and a trend test, as computed when the level was measured."""
    level = answering(evidence)
    if level is None:
        return unknown(CHECK, TITLE, "no level supports the answer")
    drifting = [one for one in evidence.levels if not one.steadiness.steady]
    figures: dict[str, float | int | None] = {
        "levels": len(evidence.levels),
        "not_steady": len(drifting),
        "level": level.index,
    }
    places = []
    if not level.steadiness.steady:
        text = "; ".join(level.steadiness.reasons)
        places.append(Place(file="levels.json", level=level.index, at="steadiness", text=text))
    good = f"level {level.index} at {plural('user', level.users)} was steady"
    if drifting:
        good += f"; {len(drifting)} of {plural('level', len(evidence.levels))} were not"
    return result(CHECK, TITLE, places, good, figures)


def answering(evidence: Evidence) -> LevelResult | None:
    """The level behind the answer; in a run with a single level, that one if it counts."""
    found = evidence.verdict
    users = found.capacity.users if found is not None and found.capacity is not None else None
    level = level_at(users, evidence.levels)
    counting = [one for one in evidence.levels if one.outcome != "invalid"]
    if level is None and len(evidence.levels) == 1 and counting:
        return counting[0]
    return level
