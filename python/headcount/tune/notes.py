"""What a person reads while a server is tuned."""

import math
from collections.abc import Mapping, Sequence

from headcount.bundle.level import LevelResult
from headcount.bundle.tuning import Measure, Outcome
from headcount.text import plural, span
from headcount.tune.change import Configuration
from headcount.tune.choose import ALLOW, Choice
from headcount.tune.pairs import mean

MOST_HELD = 6
"""At most this many knobs that are left alone are named; `tuning.json` has all."""


def choice_texts(choices: Sequence[Choice]) -> list[str]:
    """Which knobs are tried, and which of the others could be allowed, by their reasons."""
    tried = [one.knob.name for one in choices if one.obstacle is None]
    allowable = [
        (one.knob.name, one.obstacle) for one in choices if one.obstacle and ALLOW in one.obstacle
    ]
    held: dict[str, list[str]] = {}
    for name, obstacle in allowable[:MOST_HELD]:
        held.setdefault(obstacle.partition(ALLOW)[0], []).append(name)
    found = [f"tries {', '.join(tried)}"]
    if held:
        first, _ = allowable[0]
        groups = "; ".join(f"{', '.join(names)} ({why})" for why, names in held.items())
        found.append(f"leaves alone, unless you allow one by name (--allow '{first}'): {groups}")
    return found


def smallest_text(smallest: float | None, budget_s: float) -> str:
    """The smallest gain that can be shown in the time there is."""
    if smallest is None:
        return (
            f"the turns scatter so much that {span(budget_s)} cannot prove a gain below 3 times: "
            "stop other programs, or give longer turns (--turn 20s) and more time (--budget)"
        )
    return f"in {span(budget_s)}, gains of {smallest - 1:.0%} or more can be proved"


def few_users_text(users: int) -> str:
    """What follows where there are not enough users for the load of the trials."""
    return (
        f"the trials play {plural('user', users)}, as many as there are; more could show larger "
        "gains"
    )


def measure_text(measure: Measure, users: int) -> str | None:
    """Why the trials of a tuning for capacity compare something else; None if they do not."""
    reasons: Mapping[Measure, str] = {
        "p95": "throughput still rises with the users, so the trials compare response times (p95)",
        "log_on": "most failures are users who cannot log on in time, so the trials compare how "
        "long users take to log on",
    }
    if (reason := reasons.get(measure)) is None:
        return None
    return f"{reason}, with {plural('user', users)}"


def nothing_compared_text(users: int, turns: Sequence[LevelResult]) -> str:
    """Why no two turns without a change can be compared."""
    reasons = [reason for one in turns for reason in one.generator.reasons]
    if reasons:
        return (
            f"no two turns of {plural('user', users)} can be compared: "
            f"{reasons[0].partition(';')[0]}; play the users from another machine, or fewer of "
            "them (--goal p95@USERS)"
        )
    return (
        f"no turn of {plural('user', users)} gave a figure, so nothing can be compared: give "
        "longer turns (--turn 20s), or more users (--goal p95@USERS)"
    )


def race_text(
    challenger: Configuration, outcome: Outcome, why: str | None, gains: Sequence[float]
) -> str:
    """What came of a challenger, with the mean of its gains."""
    what = f"{challenger.text} ({challenger.origin})"
    if outcome == "refused":
        return f"{what}: refused: {why}"
    change = f"{math.exp(mean(gains)) - 1:+.1%}" if gains else "no figure"
    return f"{what}: {change} over {plural('pair', len(gains))}: {outcome}"
