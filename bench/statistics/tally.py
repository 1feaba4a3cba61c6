"""One line of the table: a kind of interval in one case."""

import math
import statistics
from dataclasses import dataclass, field

CLAIMED = 0.95


@dataclass
class Tally:
    """The outcomes of one kind of interval over many seeds.

    Widths are half-widths on the log scale, so 0.05 is 5%.
    """

    interval: str
    case: str
    benign: bool
    held: list[bool] = field(default_factory=list)
    flags: list[bool] = field(default_factory=list)
    halves: list[float] = field(default_factory=list)
    missing: int = 0

    def add(self, truth: float, ends: tuple[float, float] | None, *, flagged: bool = False) -> None:
        """Counts one interval; None where the function gave none."""
        if ends is None:
            self.missing += 1
            return
        low, high = ends
        self.held.append(low <= truth <= high)
        self.flags.append(flagged)
        self.halves.append(math.log(high / low) / 2 if low > 0 else math.inf)

    @property
    def covered(self) -> float:
        """Share of the intervals that hold the truth."""
        return statistics.fmean(self.held)

    @property
    def flagged(self) -> float:
        """Share of the intervals that were flagged."""
        return statistics.fmean(self.flags)

    @property
    def error(self) -> float:
        """Standard error of `covered`."""
        share = min(max(self.covered, 0.01), 0.99)
        return math.sqrt(share * (1 - share) / len(self.held))

    def line(self) -> str:
        """One line of the table, in Markdown."""
        half = statistics.median(self.halves)
        width = f"{half:.1%}" if math.isfinite(half) else "open"
        mark = "" if self.benign else "bad: "
        return (
            f"| {self.interval} | {mark}{self.case} | {self.covered:.1%} ±{self.error:.1%} "
            f"| {self.flagged:.0%} | ±{width} | {len(self.held)} |"
        )


HEAD = (
    "| interval | case | held the truth | flagged | median width | seeds |\n"
    "|---|---|---|---|---|---|"
)
