"""From a recording to findings: every rule, over the whole time and over each window."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headcount.analyse.rules.candidates import candidates
from headcount.analyse.rules.condition import Outcome, Reading, evaluate, threshold
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.finding import Examination, Finding, NotJudged, Other
from headcount.analyse.rules.least import counted, least
from headcount.analyse.rules.library import Library
from headcount.analyse.rules.model import AREAS, Profile, Rule, Strength
from headcount.analyse.rules.series import Frame, Series
from headcount.analyse.rules.statistic import beyond
from headcount.analyse.rules.windows import Span, covered, granular, merged_spans

_WEIGHT: dict[Strength, int] = {"proof": 0, "sign": 1, "note": 2}


@dataclass(frozen=True, slots=True)
class _Look:
    """What every rule is evaluated with."""

    frame: Frame
    facts: Facts
    profile: Profile
    library: Library
    whole: Span
    windows: Sequence[Span]

    def holds(self, rule: Rule, span: Span) -> Outcome:
        return evaluate(rule.when, self.frame, self.facts, span)


def examine(frame: Frame, facts: Facts, profile: Profile, library: Library) -> Examination:
    """Evaluate every rule for this kind of system and server.

    The frame must have samples. A rule whose counters are absent is never found.
    """
    whole = (float(frame.at_s[0]), float(frame.at_s[-1]))
    look = _Look(frame, facts, profile, library, whole, granular(frame.at_s))
    found: list[Finding] = []
    quiet: list[Rule] = []
    not_judged: list[NotJudged] = []
    for rule in library.rules.values():
        if rule.exception or not _applies(rule, facts, profile):
            continue
        finding, overall = _look_for(rule, look)
        if finding is not None:
            found.append(finding)
        elif overall.holds is None or overall.missing:
            # If one of several parts does not hold, the rule cannot; that rules nothing out.
            not_judged.append(NotJudged(rule, overall.missing))
        else:
            quiet.append(rule)
    found.sort(key=_order)
    return Examination(
        frame,
        whole,
        facts,
        profile,
        tuple(one for one in found if not one.taken_back_by),
        tuple(one for one in found if one.taken_back_by),
        tuple(quiet),
        tuple(not_judged),
    )


def strength(rule: Rule, facts: Facts) -> Strength:
    """How much a rule proves on this machine: old thresholds prove less on modern machines."""
    return rule.strength if facts.is_of_the_nineties or rule.today is None else rule.today


def _applies(rule: Rule, facts: Facts, profile: Profile) -> bool:
    system = rule.system == "any" or facts.system is None or rule.system == facts.system
    return system and rule.is_for(profile)


def _order(one: Finding) -> tuple[int, int, float]:
    areas = [*AREAS, "workload"]
    return areas.index(one.rule.area), _WEIGHT[one.strength], -one.share


def _look_for(rule: Rule, look: _Look) -> tuple[Finding | None, Outcome]:
    """The finding, if there is one, and the rule's outcome over the whole time."""
    overall = look.holds(rule, look.whole)
    spans = _spans(rule, look, overall)
    if not spans:
        return None, overall
    longest = max(spans, key=lambda span: span[1] - span[0])
    taken_back = _taken_back(rule, look, spans)
    finding = Finding(
        rule,
        strength(rule, look.facts),
        tuple(spans),
        covered(spans, look.frame.at_s),
        _readings(rule, look, longest),
        tuple(_others(rule, look, longest)),
        tuple(taken_back),
    )
    return finding, overall


def _spans(rule: Rule, look: _Look, overall: Outcome) -> list[Span]:
    by_course = any(leaf.is_ in {"rises", "falls", "last"} for leaf in rule.when.leaves())
    windows = [] if by_course else look.windows
    windows = candidates(rule.when, look.frame, look.facts, windows)
    outcomes = [(window, look.holds(rule, window)) for window in windows]
    held = [
        _trimmed(window, outcome.readings, look) for window, outcome in outcomes if outcome.holds
    ]
    if not held:
        return [_trimmed(look.whole, overall.readings, look)] if overall.holds else []
    found = merged_spans(held)
    if rule.when.counter is None or not overall.readings:
        return found
    return merged_spans(_grown(span, overall.readings[0], look) for span in found)


def _grown(span: Span, reading: Reading, look: _Look) -> Span:
    """Extend the span of a rule with one comparison as far as the samples stay beyond."""
    series, mask = _beyond(reading, look)
    if series is None or mask is None or not mask.any():
        return span
    quiet = series.at_s[~mask]
    first_s = quiet[quiet < span[0]].max(initial=float("-inf"))
    last_s = quiet[quiet > span[1]].min(initial=float("inf"))
    inside = series.at_s[mask & (series.at_s > first_s) & (series.at_s < last_s)]
    return float(min(inside[0], span[0])), float(max(inside[-1], span[1]))


def _beyond(reading: Reading, look: _Look) -> tuple[Series | None, NDArray[np.bool_] | None]:
    """The series of a reading, and which of its samples are beyond the threshold."""
    leaf = reading.leaf
    limit = threshold(leaf, look.facts)
    if limit is None or leaf.counter is None:
        return None, None
    frame = look.frame.only(reading.instance) if reading.instance else look.frame
    series = frame.of(leaf.counter, leaf.plus, leaf.over, counted(leaf))
    return series, None if series is None else beyond(series, leaf.op, limit, least(leaf))


def _trimmed(window: Span, readings: Sequence[Reading], look: _Look) -> Span:
    """The window from the first to the last sample beyond the deciding threshold."""
    for reading in readings:
        series, mask = _beyond(reading, look)
        if series is None or mask is None:
            continue
        moments = series.at_s[mask]
        inside = moments[(moments >= window[0]) & (moments <= window[1])]
        if len(inside):
            return float(inside[0]), float(inside[-1])
    return window


def _readings(rule: Rule, look: _Look, span: Span) -> tuple[Reading, ...]:
    """The figures of the longest span; if it does not hold as a whole, of a window that does."""
    outcome = look.holds(rule, span)
    if outcome.holds:
        return outcome.readings
    inner = [look.holds(rule, window) for window in (*look.windows, look.whole)]
    held = [one for one in inner if one.holds]
    return held[0].readings if held else outcome.readings


def _taken_back(rule: Rule, look: _Look, spans: Sequence[Span]) -> list[Rule]:
    """The exceptions that hold: over the whole time, or in every span with its run-up."""
    step = look.windows[0][1] - look.windows[0][0] if look.windows else 0.0
    looked_at = [(max(start_s - step, look.whole[0]), end_s) for start_s, end_s in spans]
    found = []
    for name in rule.excepted_by:
        exception = look.library.rules[name]
        if look.holds(exception, look.whole).holds or all(
            look.holds(exception, span).holds for span in looked_at
        ):
            found.append(exception)
    return found


def _others(rule: Rule, look: _Look, span: Span) -> list[Other]:
    return [
        Other(look.library.rules[name], look.holds(look.library.rules[name], span).holds)
        for name in rule.conflicts
    ]
