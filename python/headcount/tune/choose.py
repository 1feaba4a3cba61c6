"""Which knobs can affect a server's limit, and why others are left alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from headcount.bundle.diagnosis import Diagnosis, Limit
from headcount.errors import InputError
from headcount.tune.goal import Goal
from headcount.tune.knobs.knob import RISKS, Knob, KnobFile
from headcount.tune.servers.server import COMMAND_LINE, ENVIRONMENT, Setting
from headcount.tune.values import Values

MOST_KNOBS = 8
"""Trials cost half a minute each: more knobs than this cannot be searched in a usual budget."""
AGAINST: dict[Limit, str] = {
    "generator": "the load generator was the limit, so no change to the server can show: play the "
    "users from another machine, or from more CPUs",
    "none": "the server was not saturated, so nothing limits it: shorter response times "
    "can still be asked for (--goal p95@USERS)",
    "upstream": "the server waits for another one, which the diagnosis names: tune that one, or "
    "name both to tune them together, such as --unit nginx --unit php8.2-fpm",
    "errors": "the application fails, which no setting fixes: see the failures in the run's report",
}
"""Limits that no knob moves, and what to do."""
ALLOW = " (--allow "
"""Stands in an obstacle before what allows a knob."""
NOT_ADVISED = 0.5
"""Factor on the weight of a knob for which no rule of thumb gives a new value."""
RELATED = 0.6
"""Weight of a further limit, known or possible."""
ALLOWED = 2.0
"""Weight of a knob that is allowed by name: whoever names it expects that it is tried first."""
LOGGED = 1.5
"""Weight of a knob that the server's log names."""


@dataclass(frozen=True)
class Asked:
    """What the command line allows and asks for.

    Attributes:
        allowed: Knobs that may be changed although they are set, or a risk.
        only: Names of the only knobs to try; empty for no such restriction.
        change_set: Whether all knobs that are set may be changed.
        restarts: Whether the server may be restarted.

    """

    allowed: frozenset[str] = frozenset()
    only: frozenset[str] = frozenset()
    change_set: bool = False
    restarts: bool = False


@dataclass(frozen=True)
class Choice:
    """A knob that may be tried, or why it is not.

    Attributes:
        knob: The knob.
        server: What it belongs to, as its knobs call it.
        setting: Its present setting.
        weight: How closely it relates to the limit; larger ones are tried first.
        obstacle: Why it is left alone; None if it is tried.

    """

    knob: Knob
    server: str
    setting: Setting
    weight: float
    obstacle: str | None = None


def check_tunable(
    diagnosis: Diagnosis, goal: Goal, *, is_late: bool = False, has_behind: bool = False
) -> None:
    """Raise InputError if no knob of the server can move its limit.

    Times can improve even if nothing limits the server: where the goal asks for that, or response
    times broke the criteria (`is_late`). The server that it waits for may be tuned with it
    (`has_behind`).
    """
    if diagnosis.limit == "none" and (goal.kind in ("p95", "log-on") or is_late):
        return
    if diagnosis.limit == "upstream" and has_behind:
        return
    if (reason := AGAINST.get(diagnosis.limit)) is not None:
        raise InputError(f"nothing to tune: {reason}. The diagnosis: {diagnosis.sentence}")


def check_own(own: KnobFile | None, servers: Sequence[str]) -> None:
    """Raise InputError if knobs of a file of your own are of none of the servers that are tuned."""
    if own is not None and own.server not in servers:
        raise InputError(
            f'the file of --knobs is for "{own.server}", and this tunes {" and ".join(servers)}; '
            "leave it out, or correct its `server`"
        )


class Tuned(Protocol):
    """What knobs belong to: a server, or the kernel."""

    @property
    def name(self) -> str:
        """As its knobs call it."""
        ...

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        ...


def choose(
    server: Tuned,
    knobs: Iterable[Knob],
    diagnosis: Diagnosis,
    asked: Asked,
    names: Mapping[str, int],
    held: Collection[str] | None = None,
    logged: Collection[str] = (),
) -> Sequence[Choice]:
    """All knobs that relate to the diagnosis.

    `names` are what formulas of knobs may use, as `names_of` gives them.
    `held` are those of a lab server that were set on the command line; None means that every
    setting in the configuration was chosen by somebody.
    `logged` are those that the server's log names as its limit.
    """
    named = {*logged, *(f"{server.name} {name}" for name in logged)}  # as one of two servers has it
    found: list[Choice] = []
    for place, knob in enumerate(knobs):
        weight = _weight(knob, diagnosis)
        if knob.name in named:
            weight = LOGGED
        if knob.name in asked.allowed:
            weight = ALLOWED
        weight -= place / 10_000
        if (asked.only and knob.name not in asked.only) or (not asked.only and weight < 0):
            continue
        setting = server.setting(knob)
        if knob.name not in asked.allowed and not Values(knob, setting.value, names).rules:
            weight *= NOT_ADVISED
        obstacle = _obstacle(knob, setting, asked, held)
        found.append(Choice(knob, server.name, setting, weight, obstacle))
    return found


def weightiest(choices: Iterable[Choice]) -> Sequence[Choice]:
    """Choices, the weightiest first; those beyond MOST_KNOBS are left alone."""
    found = sorted(choices, key=lambda one: -one.weight)
    tried = [one for one in found if one.obstacle is None]
    late = {id(one) for one in tried[MOST_KNOBS:]}
    why = "others have more to do with the limit"
    return [replace(one, obstacle=why) if id(one) in late else one for one in found]


def _weight(knob: Knob, diagnosis: Diagnosis) -> float:
    """From 0 to 1; negative for a knob that is unrelated to the diagnosis."""
    beside = [one for one in (diagnosis.runner_up, *diagnosis.joint) if one is not None]
    weights = {one.limit: RELATED * (one.score or 0.0) for one in beside}
    weights[diagnosis.limit] = 1.0
    if diagnosis.limit in ("unknown", "none"):
        weights |= dict.fromkeys(knob.limits, RELATED)
    scores = [
        weights[limit] * (1 - 0.1 * place)
        for place, limit in enumerate(knob.limits)
        if limit in weights
    ]
    return max(scores, default=-1.0)


def _obstacle(
    knob: Knob, setting: Setting, asked: Asked, held: Collection[str] | None
) -> str | None:
    impossible = _impossible(knob, setting, asked)
    if impossible is not None or knob.name in asked.allowed:
        return impossible
    if knob.risk in ("data", "security"):
        return f"{RISKS[knob.risk]}{ALLOW}'{knob.name}')"
    if held is not None:
        chosen = knob.name in held
    else:
        chosen = setting.is_set and setting.value not in (knob.default, *knob.shipped)
    if chosen and not asked.change_set:
        where = f" in {setting.place}" if setting.place else ""
        return f"it is set to {setting.value}{where}{ALLOW}'{knob.name}' or --change-set)"
    return None


def _impossible(knob: Knob, setting: Setting, asked: Asked) -> str | None:
    """Why it cannot be tried, whatever is allowed."""
    if setting.value is None:
        return "this server has no such setting"
    if setting.place in (COMMAND_LINE, ENVIRONMENT):
        return f"{setting.place} sets it, which no file can change"
    if knob.apply == "restart" and not asked.restarts:
        return "it needs a restart, which its clients notice (--restarts)"
    return None
