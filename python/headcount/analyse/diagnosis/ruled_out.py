"""What was not observed, and what is ruled out."""

from collections.abc import Mapping

from headcount.analyse.diagnosis.decide import Decision
from headcount.analyse.diagnosis.evidence import (
    cpu,
    disk,
    generator,
    memory,
    network,
    software,
    thread,
)
from headcount.analyse.diagnosis.limit_names import NAMES
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.weigh import RESOURCES, Weighed
from headcount.bundle.diagnosis import Figure, Limit, NotObserved, RuledOut

RULED_OUT_BELOW = 0.25
"""Score up to which a limit is ruled out."""

SHOWN_BY: Mapping[Limit, tuple[str, ...]] = {
    "cpu": (cpu.THROTTLED, cpu.HOST),
    "thread": (thread.BUSIEST,),
    "memory": (memory.REFAULTS, memory.HOST_REFAULTS, memory.PRESSURE),
    "disk": (disk.SOME, disk.BLOCKED, disk.HOST_SOME, disk.BUSY),
    "network": (network.OCCUPIED, network.QUEUED, network.SPEED),
    "pool": (software.ACCEPT, software.UNREAD, software.APP_QUEUE),
}
"""Counters of which one is needed to observe each limit."""


def not_observed(weighed: Weighed) -> list[NotObserved]:
    """The limits without counters."""
    missing: list[Limit] = [limit for limit in RESOURCES if limit not in weighed.signs]
    deciding = weighed.seen.levels
    if deciding and not any(
        level.mean(name) is not None for level in deciding for name in SHOWN_BY["pool"]
    ):
        missing.append("pool")
    return [
        NotObserved(
            limit=limit,
            counters=list(SHOWN_BY[limit]),
            sentence=f"{NAMES[limit]}: no counters for {' or '.join(SHOWN_BY[limit])}",
        )
        for limit in missing
    ]


RULED_OUT_BY: Mapping[Limit, tuple[str, ...]] = {
    "cpu": (cpu.THROTTLED, cpu.PRESSURE, cpu.DELAY, cpu.HOST_PRESSURE),
    "generator": (generator.BUSIEST,),
}
"""Figures that best rule a limit out, if the first one of its sign does not."""


def _figure_against(limit: Limit, sign: Sign) -> Figure | None:
    """The figure that rules a limit out."""
    for name in RULED_OUT_BY.get(limit, ()):
        for figure in sign.figures:
            if figure.counter == name:
                return figure
    return sign.figures[0] if sign.figures else None


def ruled_out(decision: Decision, weighed: Weighed) -> list[RuledOut]:
    """What was observed and was not the limit, each with the figure that shows it."""
    named = {decision.limit, *(sign.limit for sign in decision.joint)}
    found = []
    for limit in (*RESOURCES, "generator", "refusal"):
        sign = weighed.signs.get(limit)
        if sign is None or limit in named or sign.score > RULED_OUT_BELOW:
            continue
        if limit == "disk" and decision.limit == "memory":
            continue  # threads wait for it, but it is not the cause
        figure = _figure_against(limit, sign)
        because = f": {figure.sentence}" if figure is not None else ""
        name = NAMES[limit]
        found.append(RuledOut(limit=limit, figure=figure, sentence=f"not {name}{because}"))
    return found
