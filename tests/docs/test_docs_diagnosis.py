"""docs/diagnosis.md and docs/diagnosis-thresholds.md against what the diagnosis is made of."""

from typing import get_args

from pages import rows, sections, text

from headcount.analyse.diagnosis.advice import entries
from headcount.analyse.diagnosis.evidence import generator
from headcount.analyse.diagnosis.sentences import HEADS
from headcount.analyse.diagnosis.thresholds import thresholds
from headcount.bundle.diagnosis import Limit

PAGE = text("diagnosis.md")


def test_every_threshold_is_listed_with_its_value_and_reason() -> None:
    listed = {row[0].strip("`"): (row[1], row[2]) for row in rows(text("diagnosis-thresholds.md"))}
    for name, threshold in thresholds().items():
        assert listed[name] == (f"{threshold.value:g}", threshold.reason), name
    assert len(listed) == len(thresholds()) + 1  # the heading


def test_every_limit_and_its_kinds_are_listed() -> None:
    section = sections(PAGE)["Reading it"]
    for limit in get_args(Limit):
        assert f"| `{limit}` |" in section
    for _, detail in HEADS:
        assert detail is None or f"`{detail}`" in section
    assert "`late`" in section
    assert generator.LATE


def test_there_is_advice_for_every_limit() -> None:
    # What to do about errors is with their causes.
    assert {entry.limit for entry in entries()} == set(get_args(Limit)) - {"errors"}
    assert len({entry.id for entry in entries()}) == len(entries())
