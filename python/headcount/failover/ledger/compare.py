"""Compares what was acknowledged with what is there; pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from headcount.bundle.failover import Writes
from headcount.failover.ledger.store import Kept


@dataclass
class Written:
    """The rows of one writer.

    Attributes:
        acknowledged: When each was acknowledged, in seconds of the run's clock, by its number.
        last: The last number that was tried.
        newest: The last number that was acknowledged.

    """

    acknowledged: dict[int, float] = field(default_factory=dict)
    last: int = 0
    newest: int = 0

    def next(self) -> int:
        """The number of a row that is about to be written."""
        self.last += 1
        return self.last

    def acknowledge(self, number: int, at_s: float) -> None:
        """Note that the server has acknowledged a row."""
        self.acknowledged[number] = at_s
        self.newest = number


@dataclass(frozen=True)
class StaleRead:
    """An answer that lacks rows which were acknowledged before the question.

    Attributes:
        writer: The writer of the rows.
        first, last: Numbers of the first and the last of them.
        at_s: When the answer came, in seconds of the run's clock.

    """

    writer: int
    first: int
    last: int
    at_s: float


def compare(
    written: Sequence[Written], kept: Kept, stale: Sequence[StaleRead], injected_s: float
) -> Writes:
    """What became of the rows; times count from the fault, which began at `injected_s`.

    A read is stale if a row that it did not show is there in the end: a row that is gone for good
    counts as gone.
    """
    gone: list[float] = []
    acknowledged = unanswered = came = 0
    for writer, one in enumerate(written):
        there = kept.get(writer, frozenset())
        gone += [at_s for number, at_s in one.acknowledged.items() if number not in there]
        acknowledged += len(one.acknowledged)
        open_ends = set(range(1, one.last + 1)) - one.acknowledged.keys()
        unanswered += len(open_ends)
        came += len(open_ends & there)
    behind = [
        one.at_s
        for one in stale
        if not kept.get(one.writer, frozenset()).isdisjoint(
            set(range(one.first, one.last + 1)) & written[one.writer].acknowledged.keys()
        )
    ]
    return Writes(
        acknowledged=acknowledged,
        unanswered=unanswered,
        unanswered_kept=came,
        gone=len(gone),
        gone_from_s=min(gone) - injected_s if gone else None,
        gone_to_s=max(gone) - injected_s if gone else None,
        stale=len(behind),
        stale_to_s=max(behind) - injected_s if behind else None,
    )
