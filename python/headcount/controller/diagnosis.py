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
    """The verdict with the diagnosis of its levels, from what the bundle's folder has of them."""
    return verdict.model_copy(update={"diagnosis": diagnosis_of(levels, folder)})


def diagnosed(verdict: Verdict, bundle: Bundle) -> Verdict:
    """The verdict with its diagnosis, from a bundle that was read."""
    return verdict.model_copy(update={"diagnosis": diagnose(bundle)})


def diagnosis_of(levels: Sequence[LevelResult], folder: Path) -> Diagnosis | None:
    """What stopped the server at some levels of the bundle in a folder; None without levels."""
    known = environment_of(folder)
    server = known.server if known is not None else None
    levels = counted(levels)
    seconds = stretches(series.each(folder), lengths_s(levels))
    return of_levels(levels, seconds, events.read(folder), server, stacks.read(folder))
