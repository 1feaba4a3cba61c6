"""How runs differ besides their results: what spoils a comparison, and what it may be about."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.analyse.compare.comparison import Unlike
from headcount.analyse.compare.machine import generator_of, programs_of, server_of, settings_of
from headcount.bundle.reader import Bundle
from headcount.text import clean

MOST_SHOWN = 6
"""Most settings that are named; of more, the first ones and their number."""
_NO_WORK = frozenset(
    {
        "title",
        "description",
        "recreates",
        "sources",
        "deviations",
        "criteria",
        "rules",
        "run",
        "name",
    }
)
"""Keys of a workload that do not change what users do."""
_TIMING = ("ramp_per_s", "ramp", "settle", "duration", "step_timeout", "log_on", "steady")


@dataclass(frozen=True, slots=True)
class Aspect:
    """Something that may differ.

    Attributes:
        what: Its name.
        of: Its value in a run; several keys, so that only those that differ are named.
        spoils: Whether figures at equal users then mean different things.
        then: The consequence, to end the sentence.

    """

    what: str
    of: Callable[[Bundle], Mapping[str, Any]]
    spoils: bool
    then: str


def _workload(bundle: Bundle) -> Mapping[str, Any]:
    return {"name": bundle.plan.workload.name} | {
        key: value
        for key, value in bundle.plan.workload.model_dump(mode="json").items()
        if key not in _NO_WORK
    }


def _pace(bundle: Bundle) -> Mapping[str, Any]:
    pace, run = bundle.plan.workload.pace, bundle.plan.workload.run
    return {"": f"{pace.kind}, {pace.time.text}", "compressed": f"{run.compress:g} times"}


def _work(bundle: Bundle) -> Mapping[str, Any]:
    return {key: value for key, value in _workload(bundle).items() if key not in ("pace", "client")}


def _client(bundle: Bundle) -> Mapping[str, Any]:
    return {**bundle.plan.workload.client, **bundle.plan.client}


def _timing(bundle: Bundle) -> Mapping[str, Any]:
    run = bundle.plan.workload.run
    return {key.replace("_", " "): getattr(run, key) for key in _TIMING}


def _headcount(bundle: Bundle) -> Mapping[str, Any]:
    made = bundle.environment
    return {"version": made.headcount, "build": made.build} if made else {}


DISTURBS = "so part of the difference may come from the load generator"
ASPECTS = (
    Aspect("workload", _work, spoils=True, then="the servers got different requests"),
    Aspect("pace", _pace, spoils=True, then="equal users are not equal load"),
    Aspect(
        "data set",
        lambda bundle: {"scale": f"{bundle.plan.scale:g}"},
        spoils=True,
        then="the servers had different amounts of data",
    ),
    Aspect("client", _client, spoils=True, then="clients used the protocol differently"),
    Aspect(
        "criteria",
        lambda bundle: {"": " ".join(bundle.plan.workload.criteria)},
        spoils=False,
        then="capacities are not compared, because they answer different questions",
    ),
    Aspect(
        "seed",
        lambda bundle: {"": str(bundle.plan.seed)},
        spoils=False,
        then="users did the same things in a different order",
    ),
    Aspect("levels", _timing, spoils=False, then="the levels were run differently"),
    Aspect(
        "generator",
        lambda bundle: {"workers": str(bundle.plan.workers), **generator_of(bundle)},
        spoils=False,
        then=DISTURBS,
    ),
    Aspect("Headcount", _headcount, spoils=False, then=DISTURBS),
    Aspect("target", lambda bundle: {"": bundle.plan.target}, spoils=False, then=""),
    Aspect("server program", programs_of, spoils=False, then=""),
    Aspect("server settings", settings_of, spoils=False, then=""),
    Aspect("server machine", server_of, spoils=False, then=""),
)
"""In the order of the report. Comparisons are usually about those without a `then`."""


def unlike(
    names: Sequence[str], runs: Sequence[Bundle], aspects: Sequence[Aspect] = ASPECTS
) -> list[Unlike]:
    """Everything in which the first runs of the subjects differ."""
    found = []
    for aspect in aspects:
        here = [aspect.of(run) for run in runs]
        keys = [
            key
            for key in dict.fromkeys(key for one in here for key in one)
            if any(one.get(key) != here[0].get(key) for one in here[1:])
        ]
        if keys:
            found.append(_unlike(aspect, keys, names, here))
    return found


def _unlike(
    aspect: Aspect, keys: Sequence[str], names: Sequence[str], here: Sequence[Mapping[str, Any]]
) -> Unlike:
    values = {name: _values(keys, one) for name, one in zip(names, here, strict=True)}
    text = "; ".join(f"{name} {value}" for name, value in values.items())
    differ = "differ" if aspect.what.endswith("s") else "differs"
    tail = f": {aspect.then}" if aspect.then else ""
    return Unlike(
        what=aspect.what,
        values=values,
        spoils=aspect.spoils,
        sentence=f"{aspect.what} {differ} ({text}){tail}",
    )


def _values(keys: Sequence[str], here: Mapping[str, Any]) -> str:
    parts = [f"{key} {_value(here.get(key))}".strip() for key in keys[:MOST_SHOWN]]
    more = len(keys) - MOST_SHOWN
    return ", ".join([*parts, *([f"and {more} more"] if more > 0 else [])])


def _value(value: Any) -> str:
    """A value in a few words; a table or a list is only reported as different."""
    if value is None:
        return "(none)"
    if isinstance(value, list | dict):
        return f"({len(value)} entries)"
    text = clean(str(value))
    return text if len(text) <= 80 else f"{text[:79]}\N{HORIZONTAL ELLIPSIS}"
