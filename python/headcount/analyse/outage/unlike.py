"""How failovers differ besides what users felt, and which differences spoil a comparison."""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.analyse.compare.comparison import Unlike
from headcount.analyse.compare.unlike import ASPECTS as OF_RUNS
from headcount.analyse.compare.unlike import Aspect, unlike
from headcount.bundle.failover import Failover
from headcount.bundle.reader import Bundle
from headcount.text import percent

OWN = frozenset({"kill", "stop", "cut", "cut-in", "cut-out", "isolate", "node", "move"})
"""Faults that Headcount injects itself; any other is the user's own command."""
FILL = "fill="
"""Prefix of the fault that is followed by a folder."""
_NOT_FELT = frozenset({"criteria", "levels"})
"""Aspects of runs that mean something else here."""
_WATCHED = {"--at": "before", "--after": "least", "--longest": "longest", "--calm": "calm"}


def fault_kind(found: Failover) -> str:
    """The kind of fault, whatever it hits."""
    given = _option(found, "--fault")
    if given is None:
        return found.fault
    if given.startswith(FILL):
        return "fill"
    return given if given in OWN else "a command"


def _option(found: Failover, name: str) -> str | None:
    options = found.options
    return options[options.index(name) + 1] if name in options[:-1] else None


def _of(bundle: Bundle) -> Failover:
    found = bundle.failover
    assert found is not None, bundle.folder
    return found


def _fault(bundle: Bundle) -> Mapping[str, Any]:
    return {"": f"{fault_kind(_of(bundle))}{', planned' if _of(bundle).planned else ''}"}


def _criteria(bundle: Bundle) -> Mapping[str, Any]:
    return {"": " ".join(bundle.plan.workload.criteria)}


def _recovery(bundle: Bundle) -> Mapping[str, Any]:
    found = _of(bundle)
    after = _option(found, "--recover-after")
    return {"": f"{found.recover or 'nothing'}{f' after {after}' if after else ''}"}


def _watching(bundle: Bundle) -> Mapping[str, Any]:
    found = _of(bundle)
    times = {text: _option(found, name) for name, text in _WATCHED.items()}
    return {**times, "slot": f"{found.slot_s * 1000:g} ms"}


SERVED = "so “served within their limits” means different things"
ASPECTS = (
    Aspect("users", lambda one: {"": _of(one).users}, spoils=True, then="the load was not equal"),
    Aspect("fault", _fault, spoils=True, then="different things happened to the servers"),
    Aspect(
        "allowed share",
        lambda one: {"": percent(_of(one).allowed)},
        spoils=True,
        then=SERVED,
    ),
    Aspect("criteria", _criteria, spoils=True, then=SERVED),
    *(one for one in OF_RUNS if one.spoils),
    Aspect(
        "place of the fault",
        lambda one: {"": _of(one).fault},
        spoils=False,
        then="judge for yourself whether it is the same fault",
    ),
    Aspect(
        "recovery",
        _recovery,
        spoils=False,
        then="part of what users felt may come from it",
    ),
    Aspect(
        "watching",
        _watching,
        spoils=False,
        then="users were watched for longer, or more closely, in one of them",
    ),
    *(one for one in OF_RUNS if not one.spoils and one.what not in _NOT_FELT),
)
"""In the order of the report: those that spoil a comparison come first."""


def differences(names: Sequence[str], bundles: Sequence[Bundle]) -> list[Unlike]:
    """All differences between failovers; the place of the fault only if its kind is the same."""
    found = unlike(names, bundles, ASPECTS)
    others = {one.what for one in found if one.spoils}
    return [one for one in found if one.what != "place of the fault" or "fault" not in others]
