"""All errors that Headcount raises on purpose, with their exit codes.

An error's text is for a person: what is wrong, where, and what to do next. The engine raises these
same classes. Programs can rely on the exit codes (see `docs/exit-codes.md`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from headcount.secret_text import redacted

_GIVEN = re.compile(r"^it is .*?; ")
"""The beginning of messages that quote the wrong value."""


class ExitCode(IntEnum):
    """Exit codes of the command line."""

    PASSED = 0
    FAILED = 1
    BAD_INPUT = 2
    UNREACHABLE = 3
    INVALID = 4
    UNSUITABLE = 5
    DEFECT = 70
    INTERRUPTED = 130


class HeadcountError(Exception):
    """The base of all errors that name what is wrong and what to do; its text has no secret."""

    exit_code = ExitCode.DEFECT

    def __init__(self, *arguments: object) -> None:
        """Redact secrets in the text, so that no error, cause or traceback shows them."""
        super().__init__(*(redacted(one) if isinstance(one, str) else one for one in arguments))


class InputError(HeadcountError):
    """A plan, workload, target, option or bundle that cannot be used as it is."""

    exit_code = ExitCode.BAD_INPUT


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a file that somebody wrote.

    Attributes:
        key: Its place, such as `scenarios.0.limit`; empty for the file as a whole.
        message: What is wrong, and what to write instead.
        line: Its line, from 1; None if unknown.

    """

    key: str
    message: str
    line: int | None = None

    def __post_init__(self) -> None:
        """Leave the value out of the message if the key holds a secret, such as a password."""
        if self._is_secret:
            object.__setattr__(self, "message", _GIVEN.sub("", self.message))

    def text(self, file: str) -> str:
        """The mistake in one line, its place in a form that editors and terminals link to."""
        place = f"{file}:{self.line}: " if self.line else ""
        # Printing redacts what follows `password: `, which here is the message and not a secret.
        mark = "," if self._is_secret else ":"
        return f"{place}{self.key}{mark} {self.message}" if self.key else f"{place}{self.message}"

    @property
    def _is_secret(self) -> bool:
        return redacted(f"{self.key}: x") != f"{self.key}: x"


class FileError(InputError):
    """All mistakes that were found in a file."""

    def __init__(self, text: str, mistakes: Sequence[Mistake]) -> None:
        """Keep the single mistakes, redacted."""
        super().__init__(text)
        self.mistakes = [Mistake(one.key, redacted(one.message), one.line) for one in mistakes]


class PlanError(InputError):
    """The engine does not accept the plan."""


class TargetError(HeadcountError):
    """The target does not answer, or is not what the plan says it is."""

    exit_code = ExitCode.UNREACHABLE


class SystemLimitError(HeadcountError):
    """The machine does not allow what the run needs: file handles, ports, space, a package."""

    exit_code = ExitCode.UNSUITABLE


class MachineLimitError(SystemLimitError):
    """The machine lacks something that `headcount doctor` shows; the command line points there."""


class EngineError(HeadcountError):
    """The load engine failed: a defect of Headcount. What was measured before it is kept."""

    exit_code = ExitCode.DEFECT


class AgentError(EngineError):
    """Agents cannot be started, or all were lost. What was measured is kept."""

    exit_code = ExitCode.UNREACHABLE
