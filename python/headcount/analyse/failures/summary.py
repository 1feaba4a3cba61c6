"""The faults of a level: by step and kind, and within them by message."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from headcount._engine import Interval
from headcount.analyse.outright import WRONG_DATA
from headcount.bundle.level import FaultGroup, FaultResult
from headcount.text import count

OPENING = "opening a session"
"""The step of faults before a user has a session."""
MOST_FAULTS = 20
"""Kinds of faults kept of a level: all wrong data first, then the most frequent."""
MOST_GROUPS = 8
"""Messages kept of each kind."""
MOST_EXAMPLES = 3


def fault_results(intervals: Iterable[Interval], step_names: Sequence[str]) -> list[FaultResult]:
    """Faults by step and kind, wrong data first, then the most frequent."""
    groups: dict[tuple[str, str], dict[int, FaultGroup]] = defaultdict(dict)
    examples: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
    for fault in (fault for interval in intervals for fault in interval.faults):
        key = (OPENING if fault.step is None else step_names[fault.step], fault.kind)
        known = groups[key].get(fault.group)
        message = known.message if known else (fault.examples or [""])[0]
        before = known.count if known else 0
        groups[key][fault.group] = FaultGroup(message=message, count=before + fault.count)
        examples[key].update(dict.fromkeys(fault.examples))
    found = [_result(key, groups[key].values(), list(examples[key])) for key in groups]
    found.sort(key=lambda fault: (fault.kind != WRONG_DATA, -fault.count))
    return found[:MOST_FAULTS]


def _result(
    key: tuple[str, str], groups: Iterable[FaultGroup], examples: Sequence[str]
) -> FaultResult:
    ranked = sorted(groups, key=lambda group: -group.count)
    # One message of each group before a second one of any.
    first = [group.message for group in ranked if group.message]
    more = [text for text in examples if text not in first]
    return FaultResult(
        step=key[0],
        kind=key[1],
        count=sum(group.count for group in ranked),
        examples=[*first, *more][:MOST_EXAMPLES],
        groups=ranked[:MOST_GROUPS],
    )


def wrong_data(faults: Sequence[FaultResult]) -> int:
    """How many times the data read differed from the data written."""
    return sum(fault.count for fault in faults if fault.kind == WRONG_DATA)


def wrong_data_reasons(faults: Sequence[FaultResult]) -> list[str]:
    """Why a server that returns wrong data fails the level, however many failures are allowed."""
    number = wrong_data(faults)
    if number == 0:
        return []
    examples = [text for fault in faults if fault.kind == WRONG_DATA for text in fault.examples]
    times = {1: "once", 2: "twice"}.get(number, f"{count(number)} times")
    return [f"wrong data was read {times}, first: {(examples or ['no example was kept'])[0]}"]
