"""The diagnosis of a log for programs."""

from typing import Any

from headcount.analyse.rules.condition import Reading
from headcount.analyse.rules.coverage import topics
from headcount.analyse.rules.diagnosis import LogDiagnosis
from headcount.analyse.rules.finding import Finding
from headcount.analyse.rules.least import counted, least
from headcount.report.findings import log_sentences


def record(found: LogDiagnosis) -> dict[str, Any]:
    """All findings as a JSON value; times in seconds since 1970 (UTC)."""
    decision, seen = found.decision, found.examination
    return {
        "source": found.recording.source,
        "format": found.recording.format,
        "host": found.recording.host,
        "system": found.recording.system,
        "start_s": seen.span[0],
        "end_s": seen.span[1],
        "samples": len(seen.frame.at_s),
        "profile": seen.profile,
        "facts": {
            "cpus": seen.facts.cpus,
            "cpus_from": seen.facts.cpus_from,
            "memory_bytes": seen.facts.memory_bytes,
            "memory_from": seen.facts.memory_from,
            "spindles": seen.facts.spindles,
            "spindles_from": seen.facts.spindles_from,
        },
        "verdict": {
            "kind": decision.kind,
            "area": decision.area,
            "sentence": log_sentences.verdict(found),
            "confidence": decision.confidence,
            "masked": decision.masked,
            "runner_up": decision.runner_up,
            "ruled_out": list(decision.ruled_out),
            "not_judged": list(decision.not_judged),
            "used": dict(decision.used),
            "is_enough": decision.coverage.is_enough,
            "samples": decision.coverage.samples,
            "apart_s": decision.coverage.apart_s,
            "observed_s": decision.coverage.observed_s,
            "counters": topics(seen.frame),
            "evidence": [one.rule.id for one in decision.evidence],
        },
        "findings": [_finding(one, found) for one in seen.found],
        "taken_back": [_finding(one, found) for one in seen.taken_back],
        "not_judged": [
            {"rule": one.rule.id, "missing": list(one.missing)} for one in seen.not_judged
        ],
        "advice": [
            {
                "id": one.id,
                "text": one.text,
                "era": one.era,
                "holds": one.holds,
                "source": found.library.source(one),
            }
            for one in found.advice
        ],
        "notes": list(found.notes),
        "unknown_counters": list(found.recording.unknown),
    }


def _finding(one: Finding, found: LogDiagnosis) -> dict[str, Any]:
    return {
        "rule": one.rule.id,
        "title": one.rule.title,
        "area": one.rule.area,
        "strength": one.strength,
        "era": one.rule.era,
        "verdict": one.rule.verdict,
        "source": found.library.source(one.rule),
        "share": one.share,
        "spans": [list(span) for span in one.spans],
        "readings": [_reading(part) for part in one.readings],
        "conflicts": [
            {
                "rule": other.rule.id,
                "holds": other.holds,
                "source": found.library.source(other.rule),
            }
            for other in one.conflicts
        ],
        "taken_back_by": [rule.id for rule in one.taken_back_by],
    }


def _reading(part: Reading) -> dict[str, Any]:
    leaf = part.leaf
    return {
        "counter": leaf.counter,
        "plus": list(leaf.plus),
        "over": leaf.over,
        "instance": part.instance,
        "statistic": leaf.is_,
        "op": leaf.op,
        "value": part.value,
        "threshold": part.threshold,
        "unit": part.unit,
        "violating": part.violating,
        "count_of": counted(leaf),
        "count": part.count,
        "least_count": least(leaf) if counted(leaf) else None,
    }
