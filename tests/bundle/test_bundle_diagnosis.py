"""A diagnosis in an older bundle, with the names its fields had then."""

import pytest
from pydantic import ValidationError

from headcount.bundle.diagnosis import Diagnosis, NotObserved, RuledOut

RENAMED = {"confidence_word": "sureness", "ruled_out": "exonerated", "not_observed": "blind"}
FOUND = Diagnosis(
    limit="disk",
    detail="read",
    size=None,
    size_unit=None,
    confidence=0.9,
    confidence_word="high",
    sentence="The disk, reading.",
    saturation=0.1,
    figures=[],
    runner_up=None,
    joint=[],
    candidates=[],
    ruled_out=[RuledOut(limit="cpu", figure=None, sentence="not the CPU")],
    next=None,
    log_lines=[],
    advice=[],
    not_observed=[NotObserved(limit="network", counters=["x"], sentence="the network: no x")],
    doubts=[],
    levels=[],
)


def test_older_names_of_fields_are_read() -> None:
    now = FOUND.model_dump(mode="json")
    assert set(RENAMED) < set(now)
    older = {RENAMED.get(name, name): value for name, value in now.items()}
    assert Diagnosis.model_validate(older) == FOUND
    with pytest.raises(ValidationError):
        Diagnosis.model_validate(older | {"unseen": []})
