"""A bundle read back, whole or as a killed process left it."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from headcount._engine import Histogram
from headcount.bundle import (
    confirmation,
    events,
    failover,
    hlog,
    manifest,
    series,
    stretches,
    tuning,
)
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.events import MADE_BY
from headcount.bundle.failover import Failover
from headcount.bundle.files import disk_error, lock_folder
from headcount.bundle.level import LevelResult, Levels
from headcount.bundle.stored import stored_record
from headcount.bundle.stretches import Head, head_of
from headcount.bundle.tuning import Tuning
from headcount.bundle.verdict import Verdict
from headcount.errors import InputError
from headcount.foreign.file import has_regular
from headcount.plan import plan as plans

UNFINISHED = ("interrupted", "unfinished")
"""Outcomes of runs that can be resumed."""


@dataclass(frozen=True)
class Bundle:
    """A run's results. What was not written when the run ended is None or empty."""

    folder: Path
    plan: plans.Plan
    environment: EnvironmentFile | None
    levels: list[LevelResult]
    verdict: Verdict | None

    @property
    def confirmation(self) -> Confirmation | None:
        """The results of experiments on the server after the run; None without any."""
        return confirmation.read(self.folder)

    @cached_property
    def tuning(self) -> Tuning | None:
        """The result of a tuning whose turns the levels are; None in another bundle."""
        return tuning.read(self.folder)

    @cached_property
    def failover(self) -> Failover | None:
        """What users felt of faults, one per level; None in another bundle."""
        return failover.read(self.folder)

    @property
    def events(self) -> list[Any]:
        """What happened, in order."""
        return events.read(self.folder)

    @property
    def seconds(self) -> list[dict[str, Any]]:
        """Every second of the run."""
        return series.read(self.folder)

    def each_second(self) -> Iterator[dict[str, Any]]:
        """Every second, one at a time: a run of hours does not fit into memory."""
        return series.each(self.folder)

    @property
    def stretches(self) -> list[dict[str, Any]]:
        """Every second of the run, those of long levels summed up: as many, however long it is."""
        return self._course[0]

    @property
    def heads(self) -> list[Head]:
        """When each second was, and what it was part of."""
        return self._course[1]

    @cached_property
    def _course(self) -> tuple[list[dict[str, Any]], list[Head]]:
        """Stretches and heads together, because reading the seconds takes most of the time."""
        heads: list[Head] = []

        def headed() -> Iterator[dict[str, Any]]:
            for second in self.each_second():
                heads.append(head_of(second))
                yield second

        return [*stretches.stretches(headed(), stretches.lengths_s(self.levels))], heads

    def each_answer(self) -> Iterator[tuple[float, Histogram]]:
        """The response times of each second and scenario, and when that second began."""
        found = hlog.each(self.folder / hlog.FILE, hlog.RESPONSE)
        return ((start_s, histogram) for _, start_s, _, histogram in found)


def load(folder: Path) -> Bundle:
    """Read a bundle; raises InputError if the folder is not one or a file is damaged."""
    if not has_regular(folder / "plan.toml"):
        raise InputError(
            f"{folder} is not a bundle: it has no plan.toml (headcount runs lists the bundles)"
        )
    levels = stored_record(folder / "levels.json", Levels)
    return Bundle(
        folder,
        plans.load(folder / "plan.toml", follow=False),
        environment_of(folder),
        list(levels.levels) if levels else [],
        stored_record(folder / "verdict.json", Verdict),
    )


def special_kind(bundle: Bundle) -> str | None:
    """Whose record the levels are, if not of one server's capacity: `a tuning`, `a failover`."""
    verb = made_by(bundle)
    return None if verb is None else {"tune": "a tuning", "failover": "a failover"}[verb]


def made_by(bundle: Bundle) -> Literal["tune", "failover"] | None:
    """The command that made a bundle; None for a run."""
    if bundle.tuning is not None:
        return "tune"
    if bundle.failover is not None:
        return "failover"
    if bundle.verdict is not None:
        return None
    # Killed, it has no result yet. Lines that a crash damaged do not matter here.
    try:
        verbs = [one.get("verb") for one in bundle.events if one["event"] == MADE_BY]
    except InputError:
        return None
    found: Sequence[Literal["tune", "failover"]] = ("tune", "failover")
    return next((verb for verb in found if verb in verbs), None)


def ensure_run(bundle: Bundle) -> None:
    """Raise InputError if a bundle is a tuning or a failover."""
    kind = special_kind(bundle)
    if kind is not None:
        raise InputError(
            f"{bundle.folder} is {kind}: its levels do not show what one server holds; give a run"
        )


def environment_of(folder: Path) -> EnvironmentFile | None:
    """The environment of a bundle, if it was written; raises InputError if it is damaged."""
    return stored_record(folder / "environment.json", EnvironmentFile)


def find(runs: Path) -> list[Path]:
    """The bundles below a folder, oldest first; without folders that may not be read."""
    if not runs.is_dir():
        return []
    return sorted(folder for folder in runs.iterdir() if _has_plan(folder))


def _has_plan(folder: Path) -> bool:
    """Whether a folder has a plan; False where access is denied, as to `lost+found`."""
    return os.path.isfile(folder / "plan.toml")  # noqa: PTH113 - Path raises


def is_finished(bundle: Bundle) -> bool:
    """Whether a run ended, so that nothing is left to resume.

    A run that was killed after its verdict was written, while its bundle was closed, did not.
    """
    if bundle.verdict is None or bundle.verdict.outcome in UNFINISHED:
        return False
    return any(has_regular(bundle.folder / name) for name in (series.TABLE, manifest.NAME))


def check_idle(folder: Path) -> None:
    """Raise InputError if a process is writing the bundle now, or its folder cannot be read."""
    try:
        os.close(lock_folder(folder))
    except OSError as error:
        raise disk_error(folder / "plan.toml", error) from error


def under_way(folder: Path) -> bool:
    """Whether a process is writing the bundle now."""
    try:
        os.close(lock_folder(folder))
    except InputError:
        return True
    return False
