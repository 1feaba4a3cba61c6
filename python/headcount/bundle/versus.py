"""Two targets measured in turn: the file `versus.json` in the bundle of each.

Both files are equal except for `here`. They say which levels belong together. What that shows about
the targets is computed from both bundles, so that nothing here can disagree with them.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from headcount.bundle.files import replace
from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.bundle.stored import stored_record

FILE = "versus.json"

SideName = Literal["A", "B"]
SIDES: tuple[SideName, SideName] = ("A", "B")


class VersusSide(Record):
    """One of the two targets."""

    name: SideName
    target: str
    bundle: str = Field(description="Name of its bundle's folder, beside that of the other")


class VersusTurn(Record):
    """One level of one side."""

    side: SideName
    level: int = Field(description="`index` of the level in the `levels.json` of its side")
    users: int
    began_s: float = Field(description="From users joining; in seconds of the run of both sides")
    ended_s: float


class VersusPair(Record):
    """Two levels, one of each side, run one right after the other."""

    number: int = Field(description="From 1, in the order in which they were run")
    round: int = Field(description="From 1: the repetition it belongs to")
    order: Literal["AB", "BA"] = Field(description="Who was first")
    turns: list[VersusTurn] = Field(
        description="In order of time; a single one if it was cut short"
    )

    @property
    def whole(self) -> bool:
        """Whether both sides have had their turn."""
        return len(self.turns) == len(SIDES)

    @property
    def equal(self) -> bool:
        """Whether both sides had the same number of users."""
        return len({turn.users for turn in self.turns}) == 1


class VersusRest(Record):
    """A time in which one side had no users."""

    side: SideName
    began_s: float
    ended_s: float
    cpu_cores: float | None = Field(
        description="CPU that its server used meanwhile, in cores; null if not known"
    )


class Versus(Record):
    """The file `versus.json`."""

    schema_version: Literal[1] = SCHEMA_VERSION
    id: str = Field(pattern="^[0-9a-f]{32}$", description="The same in both bundles, and unique")
    here: SideName = Field(description="Whose bundle this file is in")
    kind: Literal["levels", "capacity"] = Field(
        description="`levels`: both at given numbers of users; `capacity`: around the most users"
    )
    order: Literal["abba", "random"] = Field(description="How the first side of a pair is chosen")
    seed: int = Field(description="The seed of the random order and of everything else random")
    wanted_pairs: int
    sides: list[VersusSide] = Field(description="A, then B")
    pairs: list[VersusPair] = Field(default=[], description="In the order of time")
    rests: list[VersusRest] = Field(default=[], description="In the order of time")
    ending: Literal["finished", "interrupted", "unfinished"] = "unfinished"

    def other_folder(self, folder: Path) -> Path | None:
        """The bundle of the other side, which was made beside `folder`; None if it is gone."""
        beside = next(side.bundle for side in self.sides if side.name != self.here)
        if Path(beside).name != beside:  # a stranger's bundle may lead anywhere
            return None
        path = folder.resolve().parent / beside
        return path if matching(folder, path) else None


def write(versus: Versus, folder: Path) -> None:
    """Write it into a bundle."""
    replace(folder / FILE, versus.model_dump_json(indent=1))


def read(folder: Path) -> Versus | None:
    """The pairing that a bundle belongs to; None if it is a run of its own.

    Raises InputError if the file is damaged.
    """
    return stored_record(folder / FILE, Versus)


def matching(first: Path, second: Path) -> Versus | None:
    """The pairing whose sides two bundles are, in either order, as stored in the first.

    None if they are not a pair. Goes by their content, because bundles may be renamed.
    """
    one, other = read(first), read(second)
    if one is None or other is None or one.id != other.id or one.here == other.here:
        return None
    return one
