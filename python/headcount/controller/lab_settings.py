"""Settings of a lab server, checked before anything is started."""

from collections.abc import Mapping

from headcount.errors import InputError
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.protocols.pair import split_settings
from headcount.protocols.registry import lab_server
from headcount.protocols.target import Target


def check_lab_settings(plan: Plan) -> None:
    """Raise InputError for a setting that the plan's server does not have."""
    target = targets.parse(plan.target)
    if target.both is None:
        _check(target, plan.server)
        return
    first, second = target.both
    settings = split_settings(plan.server, second.protocol)
    for one, given in zip((first, second), settings, strict=True):
        _check(one, given)


def _check(target: Target, given: Mapping[str, str]) -> None:
    if target.lab is not None:
        lab_server(target.lab).check_settings(given)
    elif given:
        raise InputError(
            f"--set is for lab servers, which Headcount starts itself; {target.text} is not one"
        )
