"""The exit code that a verdict means."""

from headcount.bundle.verdict import Verdict
from headcount.errors import ExitCode


def exit_code(verdict: Verdict) -> ExitCode:
    """0 passed, 1 failed, 4 invalid, 130 interrupted."""
    codes = {
        "passed": ExitCode.PASSED,
        "failed": ExitCode.FAILED,
        "invalid": ExitCode.INVALID,
        "interrupted": ExitCode.INTERRUPTED,
        "unfinished": ExitCode.INVALID,
    }
    return codes[verdict.outcome]
