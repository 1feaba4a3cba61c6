"""Whether an answer explains what is broken."""

import re
from dataclasses import dataclass

from bench.failures.case import Case

HARDWARE = (
    r"(?i)\bCPU, all cores",
    r"(?i)(more|faster) (CPU|cores|memory|disks?)\b",
    r"(?i)memory bandwidth",
    r"(?i)Bottleneck: (CPU|disk|memory|network|a pool|a lock|one thread)",
)
"""Advice that sends the reader of a failure the wrong way."""
LIMITS = (r"(?i)raise the limit on connections", r"MaxRequestWorkers")
"""Advice that is wrong unless users were turned away."""
DEFECT = 70
"""The exit code of a defect of Headcount."""
TRACEBACK = r"Traceback \(most recent call last\)"


@dataclass(frozen=True)
class Judged:
    """The result of a case.

    Attributes:
        case: The case.
        code: What `headcount run` exited with.
        text: All that it printed.
        missing: Patterns that it should have held, but did not.
        wrong: Patterns that it held, but should not have, or an exit code that the case excludes.
        seconds: How long it took.

    """

    case: Case
    code: int
    text: str
    missing: tuple[str, ...]
    wrong: tuple[str, ...]
    seconds: float

    @property
    def is_right(self) -> bool:
        """Whether the reader knows what is broken, and is not misled."""
        return not self.missing and not self.wrong


def judged(case: Case, code: int, text: str, seconds: float) -> Judged:
    """The judgement of a run that printed this text."""
    flat = " ".join(text.split())
    never = (*HARDWARE, TRACEBACK, *case.never, *(() if case.limited else LIMITS))
    is_right = code in case.codes if case.codes else code != DEFECT
    misled = [] if is_right else [f"exit {code}"]
    return Judged(
        case=case,
        code=code,
        text=text,
        missing=tuple(pattern for pattern in case.says if not re.search(pattern, flat)),
        wrong=(*misled, *(pattern for pattern in never if re.search(pattern, flat))),
        seconds=seconds,
    )
