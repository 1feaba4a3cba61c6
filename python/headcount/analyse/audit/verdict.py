"""Whether the answer follows from the levels."""

from typing import Any

from headcount.analyse.audit.compare import differences
from headcount.analyse.audit.evidence import Evidence
from headcount.analyse.audit.figures import fields_of
from headcount.analyse.audit.result import Place, Result, result, unknown
from headcount.bundle.verdict import Verdict

CHECK = "answer"
TITLE = "the answer, recomputed from the levels"
APART = frozenset({"diagnosis", "cost.seconds"})
"""Fields to ignore: the diagnosis has its own check; the duration does not follow from levels."""


def check(evidence: Evidence, again: Verdict | None) -> Result:
    """`again` is the answer that the plan and the levels give now."""
    if evidence.raw_verdict is None or again is None:
        return unknown(
            CHECK, TITLE, "there is no answer: the run was killed, or the bundle is damaged"
        )
    recomputed = again.model_dump(mode="json")
    stored = {key: value for key, value in evidence.raw_verdict.items() if key != "diagnosis"}
    places = [
        Place(file="verdict.json", at=at, text=f"{old} is stored, {new} follows")
        for at, old, new in differences(stored, recomputed, APART)
    ]
    places += _duration_places(evidence)
    return result(
        CHECK, TITLE, places, "it follows from the levels", {"compared": fields_of(stored)}
    )


def _duration_places(evidence: Evidence) -> list[Place]:
    """The place, if a run took less time than its seconds."""
    took_s = evidence.verdict.cost.seconds if evidence.verdict else 0.0
    last_s = max((one.to_s for one in evidence.seconds), default=0.0)
    if took_s >= last_s - 1.0:
        return []
    text = f"{took_s:.1f} s is stored, but the last second ended at {last_s:.1f} s"
    return [Place(file="verdict.json", at="cost.seconds", text=text)]


DIAGNOSIS = "diagnosis"
DIAGNOSIS_TITLE = "the diagnosis, recomputed"


def check_diagnosis(evidence: Evidence, again: Verdict | None) -> Result:
    """Diagnosis rules differ between versions, so another finding is reported but does not fail."""
    stored = evidence.raw_verdict.get("diagnosis") if evidence.raw_verdict else None
    if stored is None or again is None or again.diagnosis is None:
        return unknown(DIAGNOSIS, DIAGNOSIS_TITLE, "the bundle has no diagnosis")
    recomputed = again.diagnosis.model_dump(mode="json")
    found = list(differences(_by_limit(stored), _by_limit(recomputed)))
    if not found:
        return result(DIAGNOSIS, DIAGNOSIS_TITLE, [], f"it is {again.diagnosis.limit} again")
    at, old, new = found[0]
    limit = stored.get("limit")
    why = f"this version finds something else, first at {at}: {old} is stored, {new} follows"
    if limit == again.diagnosis.limit:
        why = f"this version finds {limit} too, with other figures (first at {at})"
    return unknown(DIAGNOSIS, DIAGNOSIS_TITLE, why)


def _by_limit(diagnosis: dict[str, Any]) -> dict[str, Any]:
    """The diagnosis with its candidates by name: those with equal scores have no fixed order."""
    candidates = sorted(diagnosis.get("candidates", []), key=lambda one: str(one.get("limit")))
    return {**diagnosis, "candidates": candidates}
