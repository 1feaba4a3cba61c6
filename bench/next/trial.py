"""One trial: measure with the first limit, take it away, measure again, and compare."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.foreign.figures import levels
from bench.foreign.judge import diagnosis
from bench.foreign.play import Played, play
from bench.foreign.tools import Tools
from bench.next.server import Server

FIRST_LEVELS = (2, 8, 16, 64)
"""What an impatient user tries: below the first limit, and beyond it."""
LIFTED_LEVELS = (2, 16, 64, 128, 256)
"""Far enough beyond the next limit for throughput to be flat."""
WITHIN = 1.3
"""A prediction is good within this factor, either way."""


@dataclass(frozen=True)
class Outcome:
    """The result for a server.

    Attributes:
        server: Which.
        first: The limit that was found with the first limit in place.
        predicted: The limit that the diagnosis expected next; None where it expected none.
        predicted_per_s: The throughput at which it expected it.
        found: The limit that was found once the first one was gone.
        found_per_s: The largest throughput then.

    """

    server: Server
    first: str
    predicted: str | None
    predicted_per_s: float | None
    found: str
    found_per_s: float

    @property
    def factor(self) -> float | None:
        """Predicted over measured throughput; None without a prediction."""
        return None if self.predicted_per_s is None else self.predicted_per_s / self.found_per_s

    @property
    def is_near(self) -> bool:
        """Whether the prediction is within `WITHIN`."""
        return self.factor is not None and 1 / WITHIN <= self.factor <= WITHIN

    @property
    def is_named(self) -> bool:
        """Whether the limit that binds next was the one that was expected."""
        return self.predicted in self.server.next

    def record(self) -> dict[str, Any]:
        """For a file."""
        own = {name: value for name, value in vars(self).items() if name != "server"}
        return {"name": self.server.name, "expected": list(self.server.next), **own}


def run(server: Server, keep: Path, tools: Tools, seed: int = 1) -> Outcome:
    """Play both; raises PlayError or RuntimeError where a run leaves nothing."""
    first = play(server.case(is_lifted=False), seed, keep, tools, beside=False, levels=FIRST_LEVELS)
    lifted = play(
        server.case(is_lifted=True), seed, keep, tools, beside=False, levels=LIFTED_LEVELS
    )
    return judged(server, first, lifted)


def judged(server: Server, first: Played, lifted: Played) -> Outcome:
    """Compare what the first run expected with what the second one found."""
    before, after = diagnosis(first.bundle), diagnosis(lifted.bundle)
    expected: Mapping[str, Any] = before.get("next") or {}
    return Outcome(
        server,
        str(before.get("limit", "unknown")),
        expected.get("limit"),
        expected.get("per_s"),
        str(after.get("limit", "unknown")),
        max(float(level["achieved_per_s"]) for level in levels(lifted)),
    )
