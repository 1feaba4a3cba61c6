"""What a log is too small to show, in sentences."""

from headcount.analyse.rules.coverage import LEAST_SAMPLES, MOST_APART_S, Coverage, topics
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.model import AREAS, Area, Strength
from headcount.counters.catalogue import label
from headcount.report.findings.log_areas import AREAS as NAMES
from headcount.report.findings.log_areas import be, named
from headcount.text import listed, plural, span


def too_few(shown: Coverage) -> str:
    """Why the samples allow no conclusion."""
    if not shown.samples:
        return "Nothing can be concluded: the log has no samples of a counter that Headcount knows."
    needed = [f"at least {LEAST_SAMPLES} are needed"] if shown.is_few else []
    if shown.is_far_apart:
        needed.append(f"{'' if needed else 'they must be '}at most {span(MOST_APART_S)} apart")
    return f"Nothing can be concluded from {samples(shown)}: {', '.join(needed)}."


def samples(shown: Coverage) -> str:
    """The samples, and how far apart they are: `2 samples, 4,660 h apart`."""
    number = plural("sample", shown.samples)
    if shown.samples < 2:
        return number
    usually = "usually " if shown.samples > 2 else ""
    return f"{number}, {usually}{span(shown.apart_s)} apart"


def gaps(shown: Coverage) -> str | None:
    """How much of the time the samples cover, for a log with large gaps; None for others."""
    if not shown.has_gaps or not shown.is_enough:
        return None
    return (
        f"The samples cover {span(shown.observed_s)} of {span(shown.span_s)}; nothing is known of "
        "the rest."
    )


def one_counter(found: LogDiagnosis) -> str | None:
    """What a log of one counter can show, and what it cannot; None for other logs."""
    counters = topics(found.examination.frame)
    if len(counters) != 1:
        return None
    start = f"The log has one counter, {label(counters[0])}"
    proved = _judged(found, "proof")
    pointed = [one for one in _judged(found, "sign") if one not in proved]
    if not proved and not pointed:
        return f"{start}, and no rule judges it alone."
    rest: list[Area] = [one for one in AREAS[:4] if one not in proved and one not in pointed]
    can = f"prove that {named(proved, 'or')} {be(proved)} the limit" if proved else ""
    if pointed:
        can += f"{', and ' if can else ''}point at {named(pointed, 'or')} without proof"
    return f"{start}. It can {can}; it says nothing about {named(rest, 'or')}."


def _judged(found: LogDiagnosis, strength: Strength) -> list[Area]:
    """The areas in which a rule of this strength was evaluated."""
    seen = found.examination
    areas = {one.area for one in seen.quiet if one.strength == strength}
    areas |= {
        one.rule.area for one in (*seen.found, *seen.taken_back) if one.rule.strength == strength
    }
    return [area for area in AREAS if area in areas]


def lacking(found: LogDiagnosis, areas: list[Area]) -> str:
    """Areas that were not judged, each with a counter that would have helped."""
    return listed([f"{NAMES[area]}{_missing(found, area)}" for area in areas])


def _missing(found: LogDiagnosis, area: Area) -> str:
    """The fewest counters that a proof of the area lacks: ` (missing: Link in use)`."""
    sets = [
        one.missing
        for one in found.examination.not_judged
        if one.rule.area == area and one.rule.strength == "proof" and one.missing
    ]
    if not sets:
        return ""
    return f" (missing: {' and '.join(label(name) for name in min(sets, key=len)[:2])})"
