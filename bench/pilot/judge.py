"""Both bars of the pilot, and the table of their figures; pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bench.pilot.log import CALM, PAIR, Record, of_kind
from bench.pilot.quiet import QUIET
from headcount.analyse.statistics.student import LogRatio, mean_and_error

SHORTER = 0.30
"""Of the p95, and the pilot meets its bar."""
PAIRS = 4
"""That must count."""
CHECKS = 20
"""Without a disturber, in none of which the pilot may keep anything."""
MOST_FAILED = 0.01
"""Most failed requests of a turn with the pilot: more would hide the slowest."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        is_met: Whether it is met.
        text: What was found.

    """

    is_met: bool
    text: str


def log_ratio(one: Record) -> float | None:
    """The logarithm of a pair's p95 with the pilot over that without; None where it is unusable.

    Failures without the pilot may only make its gain look smaller, so they are allowed. While the
    pilot was still trying modules, its turn was partly one without it.
    """
    without, with_it = one["without"], one["with"]
    asked = with_it["completed"] + with_it["failed"]
    if with_it["still_trying"] or "invalid" in (without["outcome"], with_it["outcome"]):
        return None
    if not without["p95_ms"] or not with_it["p95_ms"] or with_it["failed"] > MOST_FAILED * asked:
        return None
    return math.log(with_it["p95_ms"] / without["p95_ms"])


def ratio(pairs: Sequence[Record]) -> LogRatio | None:
    """That of all pairs that count, with Student's interval; None of fewer than two."""
    logs = [log for one in pairs if (log := log_ratio(one)) is not None]
    if len(logs) < 2:
        return None
    mean, error = mean_and_error(logs)
    return LogRatio(mean, error, len(logs) - 1)


def pair_text(one: Record, so_far: Sequence[Record]) -> str:
    """A pair in a line, with the interval of all so far."""
    without, with_it = one["without"], one["with"]
    log, found = log_ratio(one), ratio(so_far)
    figure = "does not count" if log is None else f"{math.exp(log):.2f} times as long"
    kept = " and ".join(with_it["kept"]) or "nothing"
    interval = "" if found is None else f"; all so far: {_interval(found)}"
    late = ", still trying" if with_it["still_trying"] else ""
    return (
        f"pair {one['number']}: p95 {_ms(without)} without the pilot, {_ms(with_it)} with it "
        f"({kept} on{late}): {figure}{interval}"
    )


def calm_text(one: Record) -> str:
    """A check without a disturber in a line."""
    tried = ", ".join(_trial_text(trial) for trial in one["trials"]) or "nothing"
    kept = " and ".join(one["kept"]) or "nothing"
    return (
        f"calm {one['number']}: kept {kept}; tried {tried}; others used "
        f"{one['others_cpus']:.2f} CPUs before; {one['looked']}"
    )


def _trial_text(trial: Record) -> str:
    value = trial.get("value")
    return trial["module"] if value is None else f"{trial['module']} {value:.2f}"


def bars(played: list[Record]) -> Sequence[Bar]:
    """The bars of a disturbed and of an undisturbed server, as far as they were played."""
    pairs, checks = of_kind(played, PAIR), of_kind(played, CALM)
    found = [_shorter(pairs)] if pairs or not checks else []
    return [*found, _silent(checks)] if checks else found


def _shorter(pairs: Sequence[Record]) -> Bar:
    found = ratio(pairs)
    counted = sum(log_ratio(one) is not None for one in pairs)
    if found is None:
        return Bar(is_met=False, text=f"disturbed: {counted} of {len(pairs)} pairs count")
    is_met = counted >= PAIRS and found.value <= 1 - SHORTER and found.high < 1
    return Bar(
        is_met,
        f"disturbed: p95 with the pilot {_interval(found)}, {counted} of {len(pairs)} pairs; "
        f"the bar is {1 - SHORTER:.2f}, and 1 outside the interval",
    )


def _silent(checks: Sequence[Record]) -> Bar:
    busy = [one for one in checks if _is_undisturbed(one)]
    wrong = [str(one["number"]) for one in busy if one["kept"]]
    text = f"undisturbed: the pilot claimed something in {len(wrong)} of {len(busy)}"
    which = f" ({', '.join(wrong)})" if wrong else ""
    beside = len(checks) - len(busy)
    which += f"; not counted: {beside}" if beside else ""
    is_met = not wrong and len(busy) >= CHECKS
    return Bar(is_met, f"{text}{which}; the bar is none of {CHECKS} or more")


def _is_undisturbed(check: Record) -> bool:
    """Whether the server worked, and before it nobody else did: nothing can be claimed of others.

    What others do while it works is not looked at, so that no claim is explained away.
    """
    is_busy = bool(check["looked"]) and "is idle" not in check["looked"]
    return is_busy and bool(check["others_cpus"] <= QUIET)


def _interval(found: LogRatio) -> str:
    return f"{found.value:.2f} times ({found.low:.2f} to {found.high:.2f})"


def _ms(turn: Record) -> str:
    return "-" if turn["p95_ms"] is None else f"{turn['p95_ms']:.1f} ms"
