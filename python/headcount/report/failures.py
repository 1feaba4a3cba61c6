"""What went wrong, in the words of reports, which come before any about resources."""

from collections.abc import Iterator, Sequence

from headcount.bundle.failure import Failure
from headcount.bundle.verdict import Verdict
from headcount.text import plural, share

LEAST_SHARE = 0.001
"""Share of scenarios from which a failure is shown beside the answer; tables have all."""
MOST_SHORT = 90
"""Characters of a message on a first screen."""


def telling(verdict: Verdict) -> list[Failure]:
    """The failures to show beside the answer."""
    return [one for one in verdict.failures if one.share >= LEAST_SHARE or one.cause == "data"]


def failure_text(failure: Failure) -> str:
    """A failure with how often, where, and in which words."""
    times = "once" if failure.count == 1 else f"{failure.count:,} times"
    where = f'{times} at "{failure.step}"'
    often = f"{share(failure.share)} of scenarios at {plural('user', failure.users)}"
    message = f": {failure.message}" if failure.message else ""
    return f"{failure.meaning} ({where}, {often}){message}"


def failure_lines(failures: Sequence[Failure]) -> Iterator[tuple[str, str]]:
    """A line for each failure, with its name."""
    for failure in failures:
        yield "What failed", failure_text(failure)


def short_text(failure: Failure) -> str:
    """The first words of a failure, for a first screen."""
    text = failure.message or failure.meaning
    cut = text if len(text) <= MOST_SHORT else f"{text[:MOST_SHORT].rstrip()}..."
    return f"{cut} ({share(failure.share)} at {plural('user', failure.users)})"
