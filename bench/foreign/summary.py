"""The results of many cases: how many were right, by confidence and by class."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from bench.foreign.case import Part
from bench.foreign.judge import Judged
from bench.foreign.play import Played

HIGH = "high"
WORDS = (HIGH, "fair", "low")
MARKS = ("right", "partly", "WRONG", "cannot tell")
Z = 1.96
"""Of the normal distribution, for 95%."""


def about(played: Played) -> str:
    """What a case is, how strong its cause, and how long it took."""
    drawn = ", ".join(f"{name} {played.values[name]}" for name in played.case.strength)
    return (
        f"{played.seconds:5.1f} s  {played.case.part:8}  {played.case.kind}: {played.case.name}"
        f"{f' ({drawn})' if drawn else ''}{', over SSH' if played.over_ssh else ''}"
    )


def line(one: Judged) -> str:
    """A case in a line."""
    limit = f"{one.limit}{f' ({one.detail})' if one.detail else ''}"
    advice = "advice right" if one.is_advised else "advice WRONG"
    answer = f"{one.mark:11}  {limit:28} {one.word:4} {one.confidence:.2f}  {advice}"
    return f"{answer}  {about(one.played)}"


def faults(one: Judged) -> list[str]:
    """What is missing in an answer and what misleads, a line each."""
    lines = [f"    does not say {pattern}" for pattern in one.missing]
    return lines + [f"    suggests {pattern}" for pattern in one.misleading]


def shown(found: Sequence[Judged]) -> str:
    """The figures of all cases, by part, confidence and class, as text."""
    lines = ["", *_over_ssh(found)]
    for part in (*get_args(Part), None):
        those = [one for one in found if part in (None, one.played.case.part)]
        if those and (part is not None or len(lines) > 2):
            lines += _of_part(part or "all", those)
    lines += ["", f"{'confidence':12}{'cases':>7}{'right':>7}{'partly':>8}{'mean':>7}"]
    for word in WORDS:
        those = [one for one in found if one.word == word and one.mark != "cannot tell"]
        if those:
            mean = sum(one.confidence for one in those) / len(those)
            right, partly = (_count(those, mark) for mark in ("right", "partly"))
            lines.append(f"{word:12}{len(those):7}{right:7}{partly:8}{mean:7.2f}")
    lines += ["", f"{'class':32}{'cases':>6}" + "".join(f"{mark:>13}" for mark in MARKS)]
    for kind in dict.fromkeys(one.played.case.kind for one in found):
        those = [one for one in found if one.played.case.kind == kind]
        lines.append(f"{kind:32}{len(those):6}" + "".join(_cell(those, mark) for mark in MARKS))
    return "\n".join(lines)


def _over_ssh(found: Sequence[Judged]) -> list[str]:
    """A line with the number of cases that were played over SSH; none where none was."""
    count = sum(one.played.over_ssh for one in found)
    text = f"over SSH, servers in a network of their own: {count} of {len(found)}"
    return [text] if count else []


def _of_part(name: str, those: Sequence[Judged]) -> list[str]:
    counts: Counter[str] = Counter(one.mark for one in those)
    sure = sum(one.mark == "WRONG" and one.word == HIGH for one in those)
    return [
        f"{name}:",
        *(f"  {mark:26}{score(counts[mark], len(those))}" for mark in MARKS),
        f"  {'wrong at high confidence':26}{score(sure, len(those))}",
        f"  {'advice right':26}{score(sum(one.is_advised for one in those), len(those))}",
        f"  {'advice misleads':26}{score(sum(bool(one.misleading) for one in those), len(those))}",
    ]


def _count(those: Sequence[Judged], mark: str) -> int:
    return sum(one.mark == mark for one in those)


def _cell(those: Sequence[Judged], mark: str) -> str:
    return f"{_count(those, mark) or '.':>13}"


def score(count: int, total: int) -> str:
    """A share with its 95% interval (Wilson, 1927)."""
    share = count / total
    middle = (share + Z * Z / (2 * total)) / (1 + Z * Z / total)
    spread = Z * ((share * (1 - share) + Z * Z / (4 * total)) / total) ** 0.5 / (1 + Z * Z / total)
    low, high = max(0.0, middle - spread), min(1.0, middle + spread)
    return f"{count:4} of {total} = {share:.1%} ({low:.0%} to {high:.0%})"
