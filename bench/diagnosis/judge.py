"""The diagnoses of bundles against what was injected: the confusion matrix."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.diagnosis.baselines import BASELINES
from headcount.analyse.diagnosis.diagnose import diagnose
from headcount.bundle import reader

LIMITS = (
    *("cpu", "thread", "memory", "disk", "network", "pool", "lock", "refusal", "generator"),
    *("none", "unknown"),
)
SURE = 0.7
"""Confidence from which on a wrong verdict about the generator counts as confidently wrong."""


@dataclass(frozen=True)
class Judged:
    """One trial: what was injected, and what each method says.

    `elsewhere` is the CPU that other programs of the machine used, in cores, at the highest level:
    a limit that is drawn beside busy neighbours may not be the one that binds.
    """

    truth: Mapping[str, Any]
    limit: str
    detail: str | None
    confidence: float
    confidence_word: str
    joint: list[str]
    sentence: str
    baselines: Mapping[str, str]
    elsewhere: float | None

    @property
    def is_right(self) -> bool:
        """Whether the limit is named, alone or as the first of several."""
        return self.limit in self.truth["accepted"]

    @property
    def is_confidently_wrong_of_generator(self) -> bool:
        """Whether the generator is blamed for the server's limit, or the other way round."""
        mixed = (self.limit == "generator") != (self.truth["limit"] == "generator")
        return mixed and not self.is_right and self.confidence >= SURE and self.limit != "unknown"

    def record(self) -> dict[str, Any]:
        """For a file."""
        return {**asdict(self), "right": self.is_right}


def judge(keep: Path, truth: Mapping[str, Any]) -> Judged:
    """Ask the diagnosis of a bundle, which is all that it sees, and the baselines."""
    bundle = reader.load(keep / truth["bundle"])
    found = diagnose(bundle)
    last = bundle.levels[-1].counters.get("sut", {}).get("system.cpu.foreign")
    return Judged(
        truth=truth,
        limit=found.limit if found else "unknown",
        detail=found.detail if found else None,
        confidence=(found.confidence or 0.0) if found else 0.0,
        confidence_word=found.confidence_word if found else "low",
        joint=[other.limit for other in found.joint] if found else [],
        sentence=found.sentence if found else "",
        baselines={name: rival(bundle.levels) for name, rival in BASELINES.items()},
        elsewhere=last.mean if last is not None else None,
    )


def shown(judged: Sequence[Judged]) -> str:
    """The matrix, the score of each class, and those of the baselines, as text."""
    lines = ["", "injected (rows) and said (columns)", ""]
    columns = [one for one in LIMITS if any(j.limit == one for j in judged)]
    rows = [one for one in LIMITS if any(j.truth["limit"] == one for j in judged)]
    cells = Counter((j.truth["limit"], j.limit) for j in judged)
    lines.append(" " * 11 + "".join(f"{one:>10}" for one in columns))
    for row in rows:
        figures = "".join(f"{cells[row, column] or '.':>10}" for column in columns)
        lines.append(f"{row:11}{figures}")
    lines += ["", f"{'class':14}{'trials':>7}{'right':>7}"]
    for name in dict.fromkeys(j.truth["class"] for j in judged):
        of_class = [j for j in judged if j.truth["class"] == name]
        lines.append(f"{name:14}{len(of_class):7}{sum(j.is_right for j in of_class):7}")
    lines += ["", f"{'confidence':14}{'trials':>7}{'right':>7}{'mean':>7}"]
    for word in ("high", "fair", "low"):
        those = [j for j in judged if j.confidence_word == word]
        if those:
            mean = sum(j.confidence for j in those) / len(those)
            right = sum(j.is_right for j in those)
            lines.append(f"{word:14}{len(those):7}{right:7}{mean:7.2f}")
    right = sum(j.is_right for j in judged)
    lines += ["", f"{'diagnosis':14}{_score(right, len(judged))}"]
    for name in BASELINES:
        hits = sum(j.baselines[name] in j.truth["accepted"] for j in judged)
        lines.append(f"{name:14}{_score(hits, len(judged))}")
    wrong = sum(j.is_confidently_wrong_of_generator for j in judged)
    lines.append(f"confidently wrong about the generator: {wrong}")
    return "\n".join(lines)


def _score(right: int, total: int) -> str:
    """A share with its 95% interval (Wilson, 1927)."""
    if not total:
        return "nothing to judge"
    share, z = right / total, 1.96
    middle = (share + z * z / (2 * total)) / (1 + z * z / total)
    spread = z * ((share * (1 - share) + z * z / (4 * total)) / total) ** 0.5 / (1 + z * z / total)
    return f"{right:4} of {total} = {share:.1%} ({middle - spread:.0%} to {middle + spread:.0%})"


def line(one: Judged) -> str:
    """A trial in a line."""
    mark = "right" if one.is_right else "WRONG"
    injected = f"{one.truth['class']} on {one.truth['stage']}, {one.truth['strength']}"
    text = f"{one.limit}{f' ({one.detail})' if one.detail else ''} {one.confidence:.2f}"
    return f"{mark}  {one.truth['bundle']}  {injected} -> {text}"
