"""What an answer means, in full sentences, for each kind of answer."""

from collections.abc import Iterator, Sequence

from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Capacity, Verdict
from headcount.report.content import ReportContent
from headcount.report.document.prose import ended
from headcount.report.selection import saturation
from headcount.text import count, plural


def meaning(content: ReportContent) -> Iterator[str]:
    """Sentences, a paragraph each, that say how the answer may be used."""
    verdict, levels = content.verdict, content.levels
    if verdict.outcome in ("interrupted", "unfinished"):
        yield (
            "The run did not finish"
            + (": it was interrupted" if verdict.outcome == "interrupted" else "")
            + ". This report covers the levels that finished. headcount resume continues the run, "
            "and the answer may change."
        )
    if levels and all(level.outcome == "invalid" for level in levels):
        yield (
            "No level is valid. The figures describe the load generator or its machine, not the "
            "server. Do not quote them."
        )
        return
    if verdict.capacity is not None:
        yield from _capacity(verdict.capacity)
    elif verdict.kind == "level":
        yield (
            "One level was run. It shows whether the server holds this number of users, not how "
            "many it can hold."
        )
    elif saturation(verdict) is None:
        yield from _ladder(levels)
    else:
        yield (
            "The saturation point is the fewest users whose throughput no larger level measurably "
            "exceeded. More users complete no more work; they only wait longer."
        )
    if verdict.broke_first:
        yield ended(f"What broke first: {verdict.broke_first}")


def _capacity(found: Capacity) -> Iterator[str]:
    if found.users is None:
        yield ("There is no number to quote: the search ended before any level passed.")
    elif found.at_least or found.high is None:
        yield (
            f"The server holds {plural('user', found.users)} and may hold more: no valid level "
            "clearly failed, so the upper end is not known."
        )
    else:
        yield (
            "The capacity is the number of users at a level that was run and that met every "
            "criterion. The confidence interval covers the limit itself: the number of users at "
            "which a criterion just breaks. At the estimate, half of all levels would fail."
        )


def headline(verdict: Verdict) -> str | None:
    """The number to quote, in as few words as it takes; None where there is none."""
    capacity = verdict.capacity
    if capacity is not None and capacity.users is not None:
        least = "at least " if capacity.at_least else ""
        return least + plural("user", capacity.users)
    return None


def _ladder(levels: Sequence[LevelResult]) -> Iterator[str]:
    passed = [level.users for level in levels if level.outcome == "passed"]
    failed = [level.users for level in levels if level.outcome == "failed"]
    if not passed:
        return
    most = max(passed)
    beyond = [users for users in failed if users > most]
    if beyond:
        yield (
            f"The levels were given in advance. The capacity lies between {count(most)} and "
            f"{plural('user', min(beyond))}; a search (headcount run without --levels) finds it "
            "with an interval."
        )
    else:
        yield (
            f"The levels were given in advance. No larger level than {plural('user', most)} "
            "failed, so this run does not show how many users the server can hold."
        )
