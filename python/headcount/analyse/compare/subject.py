"""A subject of a comparison: runs of one server in one configuration, and their levels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.analyse.compare.measured import Measured, measured_levels
from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from headcount.bundle.reader import Bundle
from headcount.errors import InputError
from headcount.plan.plan import Plan
from headcount.text import shell_path


@dataclass(frozen=True, slots=True)
class Side:
    """A subject before it is compared.

    Attributes:
        name: Short, for tables.
        bundles: Its runs, in the order they were begun.

    """

    name: str
    bundles: Sequence[Bundle]

    @property
    def plan(self) -> Plan:
        """The plan of its first run."""
        return self.bundles[0].plan

    def levels(self, wanted: Callable[[LevelResult], bool]) -> list[Measured]:
        """The wanted levels that count, run by run in the order they were made."""
        return [
            one
            for place, bundle in enumerate(self.bundles)
            for one in measured_levels(bundle, place, lambda level: counts(level) and wanted(level))
        ]

    def users(self) -> list[int]:
        """The numbers of users at which something that counts was measured, ascending."""
        return sorted(
            {level.users for bundle in self.bundles for level in bundle.levels if counts(level)}
        )


def counts(level: LevelResult) -> bool:
    """Whether a level is compared: it is valid, and not a soak, which asks more of a server."""
    return level.outcome != "invalid" and level.purpose != "soak"


def side(name: str, folders: Sequence[Path]) -> Side:
    """Read the runs of a subject; raises InputError if one is not a finished bundle."""
    bundles = [reader.load(folder) for folder in folders]
    for bundle in bundles:
        if not bundle.levels:
            raise InputError(
                f"{bundle.folder} has no finished level to compare "
                f"(headcount resume {shell_path(bundle.folder)} continues it)"
            )
    return Side(name, sorted(bundles, key=lambda one: one.levels[0].started_at))
