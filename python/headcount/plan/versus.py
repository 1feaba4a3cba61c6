"""The plan of the second of two targets: equal to the first's, except for what is compared."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.cost import parse_cost
from headcount.plan.plan import Plan, validate
from headcount.protocols.target import Target

GENERATOR = "generator-cpu"
NONE = "none"
"""Value that removes a setting, limit or option of the first."""


@dataclass(frozen=True)
class Opponent:
    """What the second side has of its own; the rest is as with the first.

    Attributes:
        target: Its target; None is the first's, with other settings.
        server: Settings of its lab server, merged over the first's if it is the same program.
        limits: Limits of its lab server, merged over the first's.
        client: Settings of its protocol, merged over the first's if it is the same protocol.
        sources: Where counters of its machine come from.
        cost: What it costs.

    """

    target: str | None = None
    server: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    sources: Sequence[str] = ()
    cost: str | None = None


def opponent(first: Plan, given: Opponent, own: Mapping[str, str]) -> Plan:
    """The second side's plan; `own` are settings in the text of the first target.

    Those apply only to that target, if the second has a text of its own. Levels, workload, seed,
    scale and the generator's threads are the first's: users do the same with the same data on both.
    Raises InputError for what does not fit the second target.
    """
    text = first.target if given.target is None else given.target
    one, other = targets.parse(first.target), targets.parse(text)
    _check_twice(other, given.server)
    inherited = {
        key: value
        for key, value in first.server.items()
        if one.lab == other.lab and (given.target is None or key not in own)
    }
    client = first.client if one.protocol == other.protocol else first.workload.client
    values = first.model_dump(mode="json", exclude_none=True, exclude={"cost"})
    values |= {
        "target": text,
        "server": _over({**inherited, **other.settings}, given.server),
        "client": _over(client, given.client),
        "limits": _over(first.limits if other.lab is not None else {}, given.limits),
        "sources": list(given.sources),
        "views": [],
    }
    if given.cost is not None:
        values["cost"] = parse_cost(given.cost, "--versus-cost").model_dump()
    second = validate(Plan, values, "the plan of the second target")
    if second.limits.get(GENERATOR) != first.limits.get(GENERATOR):
        raise InputError(
            "one load generator loads both targets, so its limit (generator-cpu) must be the same "
            "for both, and both must be lab servers"
        )
    return second


def _over(below: Mapping[str, str], above: Mapping[str, str]) -> dict[str, str]:
    """Settings merged over others; one that is "none" is removed."""
    both = {**below, **above}
    return {key: value for key, value in both.items() if value != NONE}


def _check_twice(target: Target, given: Mapping[str, str]) -> None:
    for key, value in target.settings.items():
        if given.get(key, value) != value:
            raise InputError(
                f"the second target has {key}={value} and --versus-set has {key}={given[key]}; "
                "remove one of them"
            )
