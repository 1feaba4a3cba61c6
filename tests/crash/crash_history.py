"""What a writer was promised: what each call that returned must leave, whatever happens later."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headcount._engine import Histogram
from headcount.bundle.level import LevelResult
from headcount.bundle.writer import BundleWriter

SERIAL = "sessions_opened"
"""The figure that numbers the seconds of a simulation."""


class Ledger:
    """Things written one after the other, by number.

    Attributes:
        begun: All of them, in order.
        written: Those of which the call returned.
        durable: Those that are on the disk.

    """

    def __init__(self, what: str) -> None:
        self.what = what
        self.begun: list[int] = []
        self.written: set[int] = set()
        self.durable: set[int] = set()

    def begin(self, number: int) -> None:
        self.begun.append(number)

    def end(self) -> None:
        self.written.add(self.begun[-1])

    def whole(self, found: Sequence[int]) -> list[int]:
        """What there would be if nothing were lost that was written, or was found."""
        return [number for number in self.begun if number in self.written or number in found]

    def broken(self, found: Sequence[int], *, is_lossy: bool) -> list[str]:
        """What is wrong with those found; `is_lossy`: what was not on the disk may be lost."""
        if len(set(found)) != len(found):
            return [f"doubled {self.what}: {found}"]
        if not set(found) <= set(self.begun):
            return [f"invented {self.what}: {sorted(set(found) - set(self.begun))}"]
        if sorted(found, key=self.begun.index) != list(found):
            return [f"{self.what} out of order: {found}"]
        lost = (self.durable if is_lossy else self.written) - set(found)
        return [f"lost {self.what}: {sorted(lost)}"] if lost else []

    def adopt(self, found: Sequence[int]) -> None:
        """Go on with those found."""
        self.begun, self.written = list(found), set(found)
        self.durable &= self.written


class History:
    """All that was promised of a bundle.

    Attributes:
        is_lossy: Whether the power failed since the bundle was last opened.
        has_lost: Whether it ever did.
        levels: The levels that were finished, as JSON.
        levels_under_way: The same with the one that was being written.
        is_closed: Whether `close` returned and nothing was written since.

    """

    def __init__(self) -> None:
        self.seconds, self.events = Ledger("seconds"), Ledger("events")
        self.is_lossy = self.has_lost = False
        self.levels: list[str] = []
        self.levels_under_way: list[str] | None = None
        self.has_plan = self.is_closed = False
        self.numbers = 0

    @property
    def ledgers(self) -> tuple[Ledger, Ledger]:
        """Both, seconds first."""
        return self.seconds, self.events

    def number(self) -> int:
        """A number that nothing else has."""
        self.numbers += 1
        return self.numbers

    def adopt_levels(self, levels: Sequence[LevelResult]) -> None:
        """Go on with the levels that were found."""
        self.levels = [level_text(level) for level in levels]
        self.levels_under_way = None

    def synced(self) -> None:
        """All that was written is on the disk."""
        for ledger in self.ledgers:
            ledger.durable = set(ledger.written)


def level_text(level: LevelResult) -> str:
    """A level as text, as `json` writes what it reads of it."""
    return json.dumps(level.model_dump(mode="json"))


class Watched(BundleWriter):
    """A writer of bundles that notes what it was promised."""

    history: History

    def plan(self, toml: str) -> None:
        super().plan(toml)
        self.history.has_plan = True

    def event(self, name: str, t_s: float, **details: Any) -> None:
        number = self.history.number()
        self.history.events.begin(number)
        super().event(name, t_s, **details, number=number)
        self.history.events.end()

    def second(self, figures: Mapping[str, Any], histograms: Mapping[str, Histogram]) -> None:
        self.history.seconds.begin(figures[SERIAL])
        super().second(figures, histograms)
        self.history.seconds.end()

    def sync(self) -> None:
        super().sync()
        self.history.synced()

    def levels(self, levels: Sequence[LevelResult]) -> None:
        self.history.levels_under_way = [level_text(level) for level in levels]
        super().levels(levels)
        self.history.levels = self.history.levels_under_way
        self.history.levels_under_way = None

    def close(self) -> None:
        super().close()
        self.history.is_closed = True


def watched(history: History, folder: Path, finished: int = 0) -> Watched:
    """Open a bundle to be written; what is left of it then is what was promised from now on."""
    history.is_closed = False
    kind = type("Watched", (Watched,), {"history": history})
    writer: Watched = kind(folder, finished)
    return writer
