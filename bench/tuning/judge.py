"""The judgement of the steps of a proof; pure."""

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.tuning.case import Case
from bench.tuning.log import Record

SHARE = 0.9
"""Least share of the oracle's gain, and of a claim after a restart."""
MOST_MISSED = 1
LEAST_FAULTS = 12
"""With fewer, nothing is known of others."""
KEPT = 0.95
"""Of restarts."""
ANSWERS = ("oracle", "tune", "default", "rules", "random", "optuna")


@dataclass(frozen=True)
class Judged:
    """A fault whose steps are all done.

    Attributes:
        name: Its name.
        held_out: Whether it was kept out while the tuner was changed.
        found: Whether a knob that undoes it is in the tuner's answer.
        ratios: What answers gain that were played; None of one that does not run.
        low: Lower end of the oracle's interval.

    """

    name: str
    held_out: bool
    found: bool
    ratios: Mapping[str, float | None]
    low: float | None

    @property
    def is_fault(self) -> bool:
        """Whether the oracle gains at all; otherwise nothing can be found."""
        return self.low is not None and self.low > 1

    def share(self, answer: str) -> float:
        """An answer's part of the oracle's gain, by logarithms; 0 of one that does not run."""
        best, own = self.ratios["oracle"], self.ratios[answer]
        if not best or best == 1 or not own:
            return 0.0
        return math.log(own) / math.log(best)

    @property
    def is_right(self) -> bool:
        """Whether the tuner found it, and most of the gain."""
        return self.found and self.share("tune") >= SHARE


def judged(cases: Iterable[Case], steps: Iterable[Record]) -> list[Judged]:
    """All faults that have been played to the end."""
    done = {(one["name"], one["step"]): one for one in steps}
    found = []
    for case in cases:
        gains = done.get((case.name, "gains"))
        if gains is None:
            continue
        changes = done[case.name, "tune"]["changes"]
        found.append(
            Judged(
                name=case.name,
                held_out=case.held_out,
                found=any(name in changes for name in case.undo),
                ratios={name: one["ratio"] for name, one in gains["gains"].items()},
                low=gains["gains"]["oracle"]["low"],
            )
        )
    return found


def latest(proofs: Iterable[Iterable[Judged]]) -> list[Judged]:
    """Each fault as the last of the proofs has it."""
    return [*{one.name: one for proof in proofs for one in proof}.values()]


@dataclass(frozen=True)
class Bar:
    """What must hold, and whether it does."""

    text: str
    is_met: bool


def bars(cases: Sequence[Judged], steps: Iterable[Record]) -> list[Bar]:
    """The bars of all that has been played."""
    steps = list(steps)
    faults = [one for one in cases if one.is_fault]
    found = []
    if faults:
        missed = [one.name for one in faults if not one.is_right]
        text = f"faults found with {SHARE:.0%} of the oracle's gain: "
        text += f"{len(faults) - len(missed)} of {len(faults)}"
        text += f"; missed: {'; '.join(missed)}" if missed else ""
        is_enough = len(faults) >= LEAST_FAULTS
        text += "" if is_enough else f"; {LEAST_FAULTS} are needed"
        found.append(Bar(text, is_enough and len(missed) <= MOST_MISSED))
    equal = [one for one in steps if one["step"].startswith("equal ")]
    if equal:
        claims = [f"{one['name']} ({one['step']})" for one in equal if one["changes"]]
        text = f"false claims: {len(claims)} of {len(equal)}"
        text += f": {'; '.join(claims)}" if claims else ""
        # A tuning that refused, or whose budget ended before a trial, could claim nothing.
        untried = sum("code" in one or one["trials"] == 0 for one in equal)
        text += f"; {untried} tried nothing" if untried else ""
        found.append(Bar(text, not claims and not untried))
    restarted = [one for one in steps if one["step"].startswith("redeploy ")]
    if restarted:
        kept = sum(is_kept(one) for one in restarted)
        text = f"restarts that keep {SHARE:.0%} of the claim: {kept} of {len(restarted)}"
        found.append(Bar(text, kept >= KEPT * len(restarted)))
    return found


def is_kept(restarted: Record) -> bool:
    """Whether a restarted winner has most of its gain, by logarithms."""
    kept, claimed = restarted["kept"], restarted["claimed"]
    return kept is not None and math.log(kept) >= SHARE * math.log(claimed)


@dataclass(frozen=True)
class Spread:
    """Figures of all faults."""

    least: float
    median: float
    most: float


def spread(values: Sequence[float]) -> Spread:
    """Of at least one figure."""
    return Spread(min(values), statistics.median(values), max(values))


def medians(cases: Sequence[Judged]) -> Mapping[str, Spread]:
    """What answers gain over the faults that they were played on, as ratios.

    One that does not run gains nothing.
    """
    faults = [one for one in cases if one.is_fault]
    played = {
        answer: [one.ratios[answer] or 1.0 for one in faults if answer in one.ratios]
        for answer in ANSWERS
    }
    return {answer: spread(ratios) for answer, ratios in played.items() if ratios}
