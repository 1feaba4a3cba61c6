"""Whether an answer of Headcount's names what limits the servers of a case."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from bench.foreign.case import filled
from bench.foreign.figures import busy_elsewhere
from bench.foreign.play import Played

Mark = Literal["right", "partly", "WRONG", "cannot tell"]
SIZE_WITHIN = 1 / 3
"""How far the size of a pool, or the time of a lock, may be from the injected one."""
DIAGNOSE_S = 120.0
EVIDENCE = ("sentence", "figures", "joint", "log_lines", "doubts")
"""Fields of a diagnosis with its evidence."""
FAILURES = ("refusal", "errors")


@dataclass(frozen=True)
class Judged:
    """What Headcount says about a case.

    Attributes:
        played: What was played.
        mark: `right`; `partly` if the limit is right but the evidence does not say what it should,
            or its size is wrong, or if it only hides the cause; `cannot tell` for `unknown`.
        limit, detail, confidence, word, sentence: The diagnosis.
        missing: Patterns that sentence and evidence do not hold.
        is_advised: Whether a suggestion holds what it should, and none misleads.
        misleading: Patterns of suggestions that send the administrator the wrong way.

    """

    played: Played
    mark: Mark
    limit: str
    detail: str | None
    confidence: float
    word: str
    sentence: str
    missing: tuple[str, ...]
    is_advised: bool
    misleading: tuple[str, ...]

    def record(self) -> dict[str, Any]:
        """For a file."""
        case = self.played.case
        own = {name: value for name, value in vars(self).items() if name != "played"}
        elsewhere = busy_elsewhere(self.played)
        about = {"elsewhere": elsewhere, "class": case.kind, "part": case.part, "truth": case.truth}
        return {**self.played.record(), **about, **own}


def judge(played: Played) -> Judged:
    """Recompute the diagnosis from the bundle, and compare it with the answer."""
    printed = played.bundle.with_name(f"{played.bundle.name}.txt").read_text("utf-8")
    return judged(played, diagnosis(played.bundle), printed)


def diagnosis(bundle: Path) -> Mapping[str, Any]:
    """The output of `headcount diagnose --json` for a bundle; raises RuntimeError."""
    done = subprocess.run(
        [sys.executable, "-m", "headcount", "diagnose", str(bundle), "--json"],
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
        timeout=DIAGNOSE_S,
    )
    if not done.stdout.strip():
        raise RuntimeError(f"{bundle}: {done.stderr.strip()}")
    found: Mapping[str, Any] | None = json.loads(done.stdout)["diagnosis"]
    return found or {}


def judged(played: Played, answered: Mapping[str, Any], printed: str) -> Judged:
    """Compare a diagnosis, and what the run printed, with the answer of the case."""
    answer = played.case.answer
    limit = str(answered.get("limit", "unknown"))
    suggestions = " ".join(_texts(answered.get("advice", ())))
    texts = _texts([answered.get(name, ()) for name in EVIDENCE])
    if limit in FAILURES:
        texts.append(printed)  # which has the server's error messages
    evidence = " ".join(" ".join(texts).split())
    missing = _not_in(evidence, answer.says, played.values)
    misleading = tuple(set(answer.never) - set(_not_in(suggestions, answer.never, played.values)))
    wanted = _not_in(suggestions, answer.advice, played.values)
    is_near = _size_is_near(played, answered.get("size"))
    return Judged(
        played=played,
        mark=_mark(played, limit, is_whole=not missing and is_near),
        limit=limit,
        detail=answered.get("detail"),
        confidence=float(answered.get("confidence") or 0.0),
        word=str(answered.get("confidence_word", "low")),
        sentence=str(answered.get("sentence", "")),
        missing=missing + (() if is_near else ("its size",)),
        is_advised=len(wanted) < len(answer.advice) and not misleading,
        misleading=misleading,
    )


def _mark(played: Played, limit: str, *, is_whole: bool) -> Mark:
    answer = played.case.answer
    if limit in answer.limits:
        return "right" if is_whole else "partly"
    if limit == "unknown":
        return "cannot tell"
    return "partly" if limit in answer.partly else "WRONG"


def _size_is_near(played: Played, size: float | None) -> bool:
    """Whether the size is the injected one, of cases that have one."""
    if not played.case.size:
        return True
    truth = float(played.values[played.case.size])
    return size is not None and abs(size - truth) <= SIZE_WITHIN * truth


def _not_in(text: str, patterns: Iterable[str], values: Mapping[str, str]) -> tuple[str, ...]:
    """The patterns that a text does not match."""
    return tuple(
        pattern
        for pattern in patterns
        if not re.search(
            filled(pattern, values, lambda one: re.escape(one.partition("|")[0])), text
        )
    )


def _texts(what: Any) -> list[str]:
    """All texts of a JSON value."""
    if isinstance(what, str):
        return [what]
    if isinstance(what, Mapping):
        return [text for value in what.values() for text in _texts(value)]
    if isinstance(what, Iterable):
        return [text for value in what for text in _texts(value)]
    return []
