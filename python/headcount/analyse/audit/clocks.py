"""Whether time ran forwards, without gaps, and covers the levels."""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle.events import MADE_BY
from headcount.bundle.recovery import RECOVERED
from headcount.bundle.series import LINES
from headcount.text import plural

CHECK = "clocks"
TITLE = "time runs forwards, without gaps, and covers the levels"
JOINT_S = 1e-4
"""How far a second may begin from where the one before ended: times are kept to a microsecond."""
COVER_S = 1e-3
"""How far the measured seconds may differ from the level's length."""
STEP_S = 1.0
"""How far the machine's clock may move against the run's between two events: a disciplined clock
drifts by milliseconds."""

REST_S = 1.5
"""How far a rest between turns may be from the seconds around it: the last and first second of a
turn may be cut short."""
NOT_OF_THE_RUN = ("error", "interrupted", "prepared", "before", "trial", "view", MADE_BY)
"""Events whose second an older Headcount took from another clock, or that come before the first
second of the run, when its clock stands still."""
GOING_ON = ("resumed", RECOVERED)
"""Events of another process that continues the run later."""


def check(evidence: Evidence) -> Result:
    """The run's clock in the series, its levels, and the machine's clock in the events."""
    if not evidence.seconds:
        return unknown(CHECK, TITLE, f"{LINES} has no seconds")
    places = [*_joints(evidence), *_covered(evidence), *_numbers(evidence), *_wall(evidence)]
    # While data is prepared between levels nobody reads reports, and a second may take minutes.
    measured = [one for one in evidence.seconds if one.phase == "steady"] or evidence.seconds
    longest = max(one.to_s - one.from_s for one in measured)
    figures: dict[str, float | int | None] = {
        "seconds": len(evidence.seconds),
        "covered_s": round(sum(one.to_s - one.from_s for one in evidence.seconds), 6),
        "longest_s": round(longest, 6),
    }
    number = plural("second", len(evidence.seconds))
    good = f"{number} follow each other; the longest measured took {longest:.3f} s"
    return result(CHECK, TITLE, places, good, figures)


def _joints(evidence: Evidence) -> Iterator[Place]:
    """Each second begins where the one before ended, except for resumptions and rests."""
    resumed = sum(event.get("event") == "resumed" for event in evidence.events)
    for before, after in pairwise(evidence.seconds):
        off_s = after.from_s - before.to_s
        if after.to_s <= after.from_s:
            yield Place(file=LINES, at=f"line {after.line}", text="a second without length")
        if abs(off_s) <= JOINT_S:
            continue
        if any(
            began_s - REST_S <= before.to_s and after.from_s <= ended_s + REST_S
            for began_s, ended_s in evidence.rests
        ):
            continue
        if off_s > 0 and resumed:
            resumed -= 1
            continue
        way = "later" if off_s > 0 else "earlier"
        text = f"begins {abs(off_s):.3f} s {way} than the second before it ended"
        yield Place(file=LINES, at=f"line {after.line}", text=text)


def _covered(evidence: Evidence) -> Iterator[Place]:
    """The measured seconds of each level are as long as the level says."""
    for level in evidence.levels:
        steady = evidence.steady(level.index)
        covered_s = sum(one.to_s - one.from_s for one in steady)
        if abs(covered_s - level.steady_s) > COVER_S:
            text = f"{level.steady_s:.3f} s measured, and {covered_s:.3f} s of them in {LINES}"
            yield Place(file="levels.json", level=level.index, at="steady_s", text=text)


def _numbers(evidence: Evidence) -> Iterator[Place]:
    """Levels are numbered from 1 on, and come in that order."""
    for wanted, level in enumerate(evidence.levels, start=1):
        if level.index != wanted:
            text = f"level {level.index} where level {wanted} is due"
            yield Place(file="levels.json", level=level.index, at="index", text=text)
    numbered = [one for one in evidence.seconds if one.level > 0]
    for before, after in pairwise(numbered):
        if after.level < before.level:
            text = f"level {after.level} after level {before.level}"
            yield Place(file=LINES, at=f"line {after.line}", text=text)


def _wall(evidence: Evidence) -> Iterator[Place]:
    """The machine's clock did not step during the run."""
    known = []
    for number, event in enumerate(evidence.events, start=1):
        try:
            if event["event"] in NOT_OF_THE_RUN:
                continue
            at = datetime.fromisoformat(str(event["at"])).timestamp()
            known.append((number, event.get("event"), at - float(event["t_s"]), at))
        except (KeyError, TypeError, ValueError):
            yield Place(file="events.ndjson", at=f"line {number}", text="an event without its time")
    for before, after in pairwise(known):
        moved_s = after[2] - before[2]
        # Another process continues a resumed run, later.
        if abs(moved_s) > STEP_S and not (after[1] in GOING_ON and after[3] >= before[3]):
            text = f"the machine's clock moved by {moved_s:+.1f} s against the run's"
            yield Place(file="events.ndjson", at=f"line {after[0]}", text=text)
