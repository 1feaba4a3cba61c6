"""Every error that Headcount raises on purpose, with the exit code it means.

An error's text is for a person: what is wrong, where, and what to do next. The engine raises these
same classes. Programs can rely on the exit codes (see `docs/exit-codes.md`).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from headcount.secret_text import redacted

_GIVEN = re.compile(r"^it is .*?; ")
"""How messages begin that show what was given."""


class ExitCode(IntEnum):
    """What the command line returns."""

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
        """Keep the text without the secrets in it: no error, cause or traceback has them."""
        super().__init__(*(redacted(one) if isinstance(one, str) else one for one in arguments))


class InputError(HeadcountError):
    """A plan, workload, target, option or bundle that cannot be used as it is."""

    exit_code = ExitCode.BAD_INPUT


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake of a file that somebody wrote.

    Attributes:
        key: Where it is, such as `scenarios.0.limit`; empty for the file as a whole.
        message: What is wrong, and what to write instead.
        line: On which line, from 1; None where that is not known.

    """

    key: str
    message: str
    line: int | None = None

    def __post_init__(self) -> None:
        """Leave out what stands at a key whose values are secrets, such as a password."""
        if self._is_secret:
            object.__setattr__(self, "message", _GIVEN.sub("", self.message))

    def text(self, file: str) -> str:
        """The mistake in one line, which editors and terminals can follow to its place."""
        place = f"{file}:{self.line}: " if self.line else ""
        # What follows `password: ` is hidden wherever it is printed, and a mistake is no password.
        mark = "," if self._is_secret else ":"
        return f"{place}{self.key}{mark} {self.message}" if self.key else f"{place}{self.message}"

    @property
    def _is_secret(self) -> bool:
        return redacted(f"{self.key}: x") != f"{self.key}: x"


class FileError(InputError):
    """Mistakes of a file, all that were found."""

    def __init__(self, text: str, mistakes: Sequence[Mistake]) -> None:
        """Keep the mistakes apart, without secrets in them."""
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
    """Agents cannot be started, or were lost and nobody is left. What was measured is kept."""

    exit_code = ExitCode.UNREACHABLE
