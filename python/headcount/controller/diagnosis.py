"""A verdict with its diagnosis."""

from collections.abc import Sequence
from pathlib import Path

from headcount.analyse.diagnosis.diagnose import diagnose, of_levels
from headcount.bundle import events, series, stacks
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.level import LevelResult, counted
from headcount.bundle.reader import Bundle, environment_of
from headcount.bundle.stretches import lengths_s, stretches
from headcount.bundle.verdict import Verdict


def with_diagnosis(verdict: Verdict, levels: list[LevelResult], folder: Path) -> Verdict:
    """Add what stopped the server, from the levels and what the bundle's folder has of them."""
    return verdict.model_copy(update={"diagnosis": diagnosis_of(levels, folder)})


def diagnosed(verdict: Verdict, bundle: Bundle) -> Verdict:
    """The same from what was read of a bundle."""
    return verdict.model_copy(update={"diagnosis": diagnose(bundle)})


def diagnosis_of(levels: Sequence[LevelResult], folder: Path) -> Diagnosis | None:
    """What stopped the server in some levels of the bundle in a folder; None of no level."""
    known = environment_of(folder)
    server = known.server if known is not None else None
    levels = counted(levels)
    seconds = stretches(series.each(folder), lengths_s(levels))
    return of_levels(levels, seconds, events.read(folder), server, stacks.read(folder))
