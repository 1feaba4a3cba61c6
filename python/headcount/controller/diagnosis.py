"""A verdict with its diagnosis."""

from pathlib import Path

from headcount.analyse import diagnosis
from headcount.bundle import events, series
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict


def with_diagnosis(verdict: Verdict, levels: list[LevelResult], folder: Path) -> Verdict:
    """Add what stopped the server, from the levels and what the bundle's folder has of them."""
    found = diagnosis.of_levels(levels, series.read(folder), events.read(folder))
    return verdict.model_copy(update={"diagnosis": found})
