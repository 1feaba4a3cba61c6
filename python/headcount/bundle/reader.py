"""A bundle read back, whole or as a killed process left it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from headcount.bundle import confirmation, events, series
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.environment import EnvironmentFile
from headcount.bundle.files import lock_folder
from headcount.bundle.level import SCHEMA_VERSION, LevelResult, Levels, Record
from headcount.bundle.verdict import Verdict
from headcount.errors import InputError
from headcount.plan import plan as plans
from headcount.regular import has_regular, read_regular

R = TypeVar("R", bound=Record)


@dataclass(frozen=True)
class Bundle:
    """A run's results. What was not written yet when the run ended is None or empty."""

    folder: Path
    plan: plans.Plan
    environment: EnvironmentFile | None
    levels: list[LevelResult]
    verdict: Verdict | None

    @property
    def confirmation(self) -> Confirmation | None:
        """What experiments on the server came to after the run; None without any."""
        return confirmation.read(self.folder)

    @property
    def events(self) -> list[Any]:
        """What happened, in order."""
        return events.read(self.folder)

    @property
    def seconds(self) -> list[dict[str, Any]]:
        """Every second of the run."""
        return series.read(self.folder)


def load(folder: Path) -> Bundle:
    """Read a bundle; raises InputError when the folder is none or a file of it is damaged."""
    if not has_regular(folder / "plan.toml"):
        raise InputError(
            f"{folder} is not a bundle: it has no plan.toml (headcount runs lists the bundles)"
        )
    levels = _read(folder / "levels.json", Levels)
    return Bundle(
        folder,
        plans.load(folder / "plan.toml"),
        environment_of(folder),
        list(levels.levels) if levels else [],
        _read(folder / "verdict.json", Verdict),
    )


def environment_of(folder: Path) -> EnvironmentFile | None:
    """The environment of a bundle, if it was written; raises InputError if it is damaged."""
    return _read(folder / "environment.json", EnvironmentFile)


def _read(path: Path, model: type[R]) -> R | None:
    try:
        return model.model_validate_json(read_regular(path)) if has_regular(path) else None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("schema_version",) and isinstance(first["input"], int):
            raise InputError(
                f"{path} was written by another version of Headcount: its schema version is "
                f"{first['input']}, and this one reads {SCHEMA_VERSION}; upgrade Headcount"
            ) from error
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{path} is damaged at {place}: {first['msg']}") from error


def find(runs: Path) -> list[Path]:
    """The bundles below a folder, oldest first."""
    if not runs.is_dir():
        return []
    return sorted(folder for folder in runs.iterdir() if (folder / "plan.toml").is_file())


def under_way(folder: Path) -> bool:
    """Whether a process is writing the bundle now."""
    try:
        os.close(lock_folder(folder))
    except InputError:
        return True
    return False
