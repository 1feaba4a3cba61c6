"""The ratios of a version beside those of another, and which bars are missed."""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from bench.gate.change import Change, change
from bench.gate.results import Ratio, Results, ratios

BUSY = 2.0
"""Load average above which other programs affect times. The previous item adds one."""
TIMES = ("µs", "ms", "s")
SAME = ("processor", "processors")
"""What a machine must have in common with another for times of both to be comparable."""


@dataclass(frozen=True)
class Compared:
    """One ratio, and how it changed.

    Attributes:
        ratio: That of the version in question.
        first: How it changed since the other version; None where the other has no such ratio.
        again: The same of the repeat, if there was one.
        reason: Why it is not compared, where it is not.

    """

    ratio: Ratio
    first: Change | None = None
    again: Change | None = None
    reason: str = ""

    @property
    def is_worse(self) -> bool:
        """Whether it is worse beyond its noise: by all that was measured."""
        found = [one for one in (self.first, self.again) if one is not None]
        return bool(found) and all(one.verdict == "worse" for one in found)

    @property
    def text(self) -> str:
        """What to say of the change; nothing where there is nothing to compare with."""
        if self.first is None:
            return self.reason
        if self.again is None:
            return self.first.text
        so = "confirmed" if self.again.verdict == "worse" else "not confirmed"
        return f"{self.first.text}; {so} by a repeat: {self.again.text}"

    @property
    def misses_bar(self) -> bool:
        """Whether the median of the rounds is above the bar."""
        return self.ratio.reference == "bar" and statistics.median(self.ratio.values) > 1


def compare(results: Results, other: Results | None) -> Iterator[Compared]:
    """All ratios, beside those of another version if there is one."""
    before = {} if other is None else {one.key: one for one in _ratios(other)}
    is_same = other is not None and all(
        results.machine.get(key) == other.machine.get(key) for key in SAME
    )
    for ratio in _ratios(results):
        old = before.get(ratio.key)
        if old is None:
            yield Compared(ratio, reason="" if other is None else "new")
        elif reason := _incomparable(ratio, old, is_same=is_same):
            yield Compared(ratio, reason=f"not compared: {reason}")
        else:
            again = change(old.values, ratio.repeated) if ratio.repeated else None
            yield Compared(ratio, change(old.values, ratio.values), again)


def _incomparable(ratio: Ratio, old: Ratio, *, is_same: bool) -> str:
    """Why two ratios cannot be compared; nothing if they can.

    A peer of the same round was affected by the machine in the same way. A bar was not: a time
    compared with it also depends on the machine, and on what else ran there.
    """
    if ratio.metric.bar != old.metric.bar:
        return "another bar"
    if ratio.reference != "bar" or ratio.metric.unit not in TIMES:
        return ""
    if not is_same:
        return "another machine"
    return "the machine was busy" if max(ratio.load, old.load) > BUSY else ""


def _ratios(results: Results) -> Iterator[Ratio]:
    for item in results.items:
        yield from ratios(item)
