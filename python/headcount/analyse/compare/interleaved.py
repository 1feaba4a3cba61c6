"""Two sides that one run measured in turn: which levels are pairs, and what only pairs can show."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from headcount.analyse.compare.comparison import Unlike
from headcount.analyse.compare.difference import Between
from headcount.analyse.compare.figure import Figure
from headcount.analyse.compare.joint import FEWEST, Joint, Point, joint
from headcount.analyse.compare.subject import Side, counts
from headcount.analyse.observe import observe
from headcount.analyse.statistics.drift import drift
from headcount.analyse.statistics.student import LogRatio
from headcount.bundle import versus as record
from headcount.bundle.level import LevelResult
from headcount.bundle.versus import SideName, Versus
from headcount.plan.criteria import Criterion
from headcount.text import plural, share

DRIFT_P = 0.01
"""p-value of a trend, as for the drift of each side."""
BUSY_CORES = 0.05
"""Cores: an idle server that uses more than a twentieth of a core disturbs the measured one."""

Pair = tuple[LevelResult, LevelResult]


@dataclass(frozen=True)
class Interleaved:
    """Two sides of one run.

    Attributes:
        versus: The run's record of the two sides.
        sides: The sides in the order of the comparison, which may be B against A.

    """

    versus: Versus
    sides: tuple[Side, Side]

    @cached_property
    def names(self) -> tuple[SideName, SideName]:
        """Which side of the record each is."""
        return ("A", "B") if self.versus.here == "A" else ("B", "A")

    @cached_property
    def pairs(self) -> list[tuple[int, Pair]]:
        """The number of each pair whose levels both count, with those levels."""
        found = []
        levels = [{level.index: level for level in side.bundles[0].levels} for side in self.sides]
        for pair in self.versus.pairs:
            at = {turn.side: turn.level for turn in pair.turns}
            both = [
                here.get(at.get(name, 0)) for name, here in zip(self.names, levels, strict=True)
            ]
            if both[0] is not None and both[1] is not None and all(map(_counts, both)):
                found.append((pair.number, (both[0], both[1])))
        return found

    def at(self, users: int) -> list[tuple[int, int]]:
        """The `index` of both levels of each pair at this number of users."""
        return [
            (one.index, two.index)
            for _, (one, two) in self.pairs
            if one.users == users == two.users
        ]

    @cached_property
    def capacity(self) -> tuple[str, Joint] | None:
        """The criterion that sets the capacity of both, and what the pairs show about it.

        None if the pairs are not around a capacity, or two criteria limit the sides.
        """
        if self.versus.kind != "capacity":
            return None
        criteria = self.sides[0].plan.criteria
        found = {
            criterion.text: one
            for criterion in criteria
            if (one := joint(list(self._points(criterion, criteria)))) is not None
        }
        if not found:
            return None
        first = min(found, key=lambda text: found[text].first.log)
        second = min(found, key=lambda text: found[text].second.log)
        return (first, found[first]) if first == second else None

    def _points(self, wanted: Criterion, criteria: list[Criterion]) -> Iterator[Point]:
        for number, pair in self.pairs:
            for second, level in zip((False, True), pair, strict=True):
                seen = observe(level, criteria)
                for response in seen.constraints:
                    if response.name == wanted.text:
                        yield Point(number, second, level.users, response, seen.measure_s)

    def difference(self) -> Between | None:
        """The difference in capacity that the pairs show."""
        if self.capacity is None:
            return None
        _, found = self.capacity
        return Between(
            _figure(found.first),
            _figure(found.second),
            (found.pairs, found.pairs),
            (found.ratio.low, found.ratio.high),
            "pairs",
            found.pairs,
        )

    def asked(self, different: Sequence[Unlike]) -> list[Unlike]:
        """How the sides differ; a different client does not spoil the comparison.

        One plan made both sides, so their users behave differently only if that was asked for.
        """
        return [
            one.model_copy(update={"spoils": False}) if one.what == "client" else one
            for one in different
        ]

    def sentence(self) -> str | None:
        """How many times as many users the second holds; None if the pairs do not show it."""
        if self.capacity is None:
            return None
        ratio = self.capacity[1].ratio
        one, two = (side.name for side in self.sides)
        times = f"{ratio.value:.2f} times ({ratio.low:.2f} to {ratio.high:.2f})"
        if ratio.low <= 1 <= ratio.high:
            return f"No difference shown: {two} holds {times} as many users as {one}."
        return f"{two} holds {times} as many users as {one}."

    def doubts(self) -> list[str]:
        """Doubts about the pairs, in sentences."""
        return [*self._cut(), *self._without_capacity(), *self._moving(), *self._busy()]

    def _cut(self) -> list[str]:
        versus = self.versus
        if versus.ending != "finished":
            left = f"{len(self.pairs)} of {versus.wanted_pairs} pairs"
            return [f"the comparison did not finish: it rests on {left}"]
        lost = sum(pair.whole for pair in versus.pairs) - len(self.pairs)
        if not lost:
            return []
        are = "pair is" if lost == 1 else "pairs are"
        return [f"{lost} {are} left out because of an invalid level"]

    def _without_capacity(self) -> list[str]:
        """Why pairs around a capacity show nothing about it."""
        if self.versus.kind != "capacity" or self.capacity is not None:
            return []
        if len(self.pairs) < FEWEST:
            are = "is" if len(self.pairs) == 1 else "are"
            return [
                f"comparing capacities takes at least {FEWEST} pairs; there {are} {len(self.pairs)}"
            ]
        return [
            (
                "the pairs do not show how fast both sides get worse with more users, or two "
                "criteria limit them, so the capacities come from the searches, with wider "
                "intervals; use longer levels (--duration) or more --pairs"
            )
        ]

    def _moving(self) -> list[str]:
        """A trend of the difference itself: drift that affects one side more than the other."""
        parts = []
        for users in sorted({one.users for _, (one, _) in self.pairs}):
            logs = [
                math.log(two.achieved_per_s / one.achieved_per_s)
                for _, (one, two) in self.pairs
                if one.users == users == two.users
                and min(one.achieved_per_s, two.achieved_per_s) > 0
            ]
            found = drift([math.exp(log) for log in logs])
            if found is not None and found.p < DRIFT_P:
                parts.append(
                    f"the ratio of throughput at {plural('user', users)} changed by "
                    f"{share(abs(found.moved))} from the first pair to the last: drift affected "
                    "the two sides differently, and no interval covers that"
                )
        return parts

    def _busy(self) -> list[str]:
        """Servers that were not idle while they had no users."""
        parts = []
        for name, side in zip(self.names, self.sides, strict=True):
            rests = [rest for rest in self.versus.rests if rest.side == name]
            known = [(rest.ended_s - rest.began_s, rest.cpu_cores) for rest in rests]
            length_s = math.fsum(s for s, cpu in known if cpu is not None)
            if length_s <= 0:
                continue
            cores = math.fsum(s * cpu for s, cpu in known if cpu is not None) / length_s
            if cores > BUSY_CORES:
                parts.append(
                    f"{side.name}: its server used {cores:.2f} cores while it had no users and the "
                    "other was measured"
                )
        return parts


def interleaved_run(first: Side, second: Side) -> Interleaved | None:
    """The run that measured both in turn; None if they are not the two sides of one run."""
    if len(first.bundles) != 1 or len(second.bundles) != 1:
        return None
    found = record.matching(first.bundles[0].folder, second.bundles[0].folder)
    return None if found is None else Interleaved(found, (first, second))


def interleaved_sides(sides: Sequence[Side]) -> Interleaved | None:
    """The run that measured all sides of a comparison in turn, if there are two of them."""
    return interleaved_run(sides[0], sides[1]) if len(sides) == 2 else None


def _counts(level: LevelResult | None) -> bool:
    return level is not None and counts(level)


def _figure(found: LogRatio) -> Figure:
    return Figure(found.value, found.error, found.freedom)
