"""Every error that Headcount raises on purpose, with the exit code it means.

An error's text is for a person: what is wrong, where, and what to do next. The engine raises these
same classes. Programs can rely on the exit codes (see `docs/exit-codes.md`).
"""

from enum import IntEnum

from headcount.secret_text import redacted


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
