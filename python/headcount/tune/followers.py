"""Settings that must follow a changed one: twice as many descriptors for more connections."""

from collections.abc import Mapping, Sequence

from headcount.tune.change import Changes
from headcount.tune.knobs.formula import number
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.server import Server


def with_followers(
    changes: Changes, knobs: Sequence[Knob], server: Server, names: Mapping[str, int]
) -> Changes:
    """The changes with what must follow them, where its present value is too small.

    A knob that is changed itself keeps that value. Numbers only grow: a smaller value elsewhere
    does no harm.
    """
    by_name = {knob.name: knob for knob in knobs}
    found = dict(changes)
    for knob, value in changes.items():
        for name, formula in knob.together.items():
            follower = by_name.get(name)
            if follower is None or follower in changes or not value.isdigit():
                continue
            wanted = number(formula, {**names, "value": int(value)})
            present = server.setting(follower).value
            if present is None or (present.isdigit() and int(present) < wanted):
                found[follower] = str(wanted)
    return found
