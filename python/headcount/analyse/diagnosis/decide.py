"""The decision: the order in which signs count."""

from dataclasses import dataclass

from headcount.analyse.diagnosis.sight import can_prove
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.diagnosis.weigh import RESOURCES, Weighed
from headcount.bundle.diagnosis import Limit

SOFTWARE: tuple[Limit, ...] = ("upstream", "pool", "lock", "limiter")
"""Limits that show when resources are idle: the program, or a server behind it."""


@dataclass(frozen=True, slots=True)
class Decision:
    """The limit, those joint with it, and all others.

    Attributes:
        limit: The limit.
        sign: Its evidence; None for `none` and `unknown`.
        joint: Limits with a score close to the first's.
        ranked: All signs: the chosen one, then the strongest first.
        saturated: Whether the server was; None if unknown.

    """

    limit: Limit
    sign: Sign | None
    joint: tuple[Sign, ...]
    ranked: tuple[Sign, ...]
    saturated: bool | None


def decide(weighed: Weighed) -> Decision:
    """Decide on the limit. OOM-killed processes of the server decide at once.

    Then comes the generator, because its limit hides the server's. Resources come before the
    program: a pool also fills up, and connections wait to be accepted, if workers wait for a disk.
    """
    ranked = tuple(sorted(weighed.signs.values(), key=lambda sign: -sign.score))
    if weighed.killed is not None:
        return _decision(weighed.killed, ranked, saturated=True, joint=())
    saturated = _saturated(weighed)
    generator = _generator(weighed, saturated=saturated)
    if generator is not None:
        return _decision(generator, ranked, saturated, joint=())
    if not weighed.seen.levels:
        return Decision("unknown", None, (), ranked, None)
    return _of_server(weighed, ranked, saturated)


def _of_server(weighed: Weighed, ranked: tuple[Sign, ...], saturated: bool | None) -> Decision:
    """What limited the server; refusals need no saturation, because nobody queues."""
    hard = tuple(sign for sign in ranked if sign.limit in RESOURCES)
    best = hard[0].score if hard else 0.0
    refusal = weighed.signs.get("refusal")
    found: Sign | None = None
    joint: tuple[Sign, ...] = ()
    if refusal is not None and refusal.score >= max(threshold("decide.score"), best):
        found = refusal
    elif saturated is False and weighed.slow is None:
        return Decision("none", None, (), ranked, saturated)
    elif saturated is False:
        found = weighed.slow
    elif best >= threshold("decide.score"):
        found, joint = hard[0], hard[1:]
    elif saturated is True:
        soft = [sign for sign in ranked if sign.limit in SOFTWARE]
        found = soft[0] if soft and soft[0].score >= threshold("decide.software") else None
    if found is None or not can_prove(weighed.sight, found):
        return Decision("unknown", None, (), ranked, saturated)
    return _decision(found, ranked, saturated, joint)


def _saturated(weighed: Weighed) -> bool | None:
    """Whether throughput no longer follows the users, or scenarios take so long that they queue.

    The levels of a search lie close to the capacity: throughput has hardly flattened there, but
    users with think times already wait many times longer than alone. If hardly any are present at
    a time they do not wait for each other: slow scenarios were then stalls of a busy machine. If a
    resource is full by its own counters, a shorter wait suffices. A control group that is throttled
    in nearly every period has no CPU left, by the scheduler's count, although the cost of a
    scenario may still fall as users log on less and work more.
    """
    cpu = weighed.signs.get("cpu")
    if cpu is not None and cpu.detail == "quota" and cpu.score >= threshold("cpu.full.high"):
        return True
    slope = weighed.seen.elasticity
    if slope is None:
        return None
    if slope <= threshold("elasticity.unsaturated"):
        return True
    seen = weighed.seen
    full = max(
        (weighed.signs[name].score for name in RESOURCES if name in weighed.signs), default=0
    )
    grown = threshold("growth.full" if full >= threshold("decide.full") else "growth")
    return seen.growth >= grown and seen.present >= threshold("growth.present")


def _generator(weighed: Weighed, *, saturated: bool | None) -> Sign | None:
    """The generator's sign, if it was the limit.

    At levels that count it must be as strong as any resource. If only levels that do not count
    reached further, it stopped the search unless the server was flat before. If refusals broke a
    criterion first, it was not: a generator without CPU makes responses late, which hardly ever
    makes a server close connections.
    """
    enough = threshold("decide.score")
    own = weighed.signs.get("generator")
    others = [weighed.signs[name].score for name in RESOURCES if name in weighed.signs]
    strongest = max(others, default=0.0)
    if weighed.refused is not None and strongest < enough:
        return None
    if (
        own is not None
        and own.score >= enough
        and own.score >= strongest - threshold("decide.margin")
    ):
        return own
    flat = saturated is True and (weighed.seen.elasticity or 0.0) <= threshold(
        "elasticity.saturated"
    )
    if weighed.late is not None and not flat:
        return weighed.late
    return None


def _decision(
    sign: Sign, ranked: tuple[Sign, ...], saturated: bool | None, joint: tuple[Sign, ...]
) -> Decision:
    near = threshold("decide.margin")
    beside = tuple(
        other
        for other in joint
        if other.score >= threshold("decide.score") and sign.score - other.score < near
    )
    others = tuple(other for other in ranked if other is not sign)
    return Decision(sign.limit, sign, beside, (sign, *others), saturated)
