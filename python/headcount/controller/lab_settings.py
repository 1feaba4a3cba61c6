"""Settings of a lab server, checked before anything is started."""

from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.protocols.pair import split_settings
from headcount.protocols.registry import lab_server


def check_lab_settings(plan: Plan) -> None:
    """Raise InputError for a setting that the plan's lab server does not have."""
    target = targets.parse(plan.target)
    if target.both is None:
        if target.lab is not None:
            lab_server(target.lab).check_settings(plan.server)
        return
    first, second = target.both
    settings = split_settings(plan.server, second.protocol)
    for one, given in zip((first, second), settings, strict=True):
        if one.lab is not None:
            lab_server(one.lab).check_settings(given)
