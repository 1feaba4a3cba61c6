"""All signs at all levels, combined into one per limit."""

import statistics
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from headcount.analyse.diagnosis.evidence import (
    cpu,
    delay,
    disk,
    generator,
    memory,
    network,
    path,
    refusal,
    reported,
    software,
    thread,
    upstream,
)
from headcount.analyse.diagnosis.observation import Observation
from headcount.analyse.diagnosis.saturation import Saturation, saturation
from headcount.analyse.diagnosis.sight import Sight, sight
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.bundle.diagnosis import Limit
from headcount.bundle.environment import ServerFound

RESOURCES: tuple[Limit, ...] = ("cpu", "thread", "memory", "disk", "network")
"""The machine's resources; other limits belong to the generator and the program."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known besides the means of levels.

    Attributes:
        server: The server, if it was looked for on its machine.
        alone_s: Time of a scenario with a single user; None without a trial.
        pausing: The sign of pauses, from the seconds of all levels; None if there are none.
        before: Counters of the server before the first user; empty if none were read.

    """

    server: ServerFound | None = None
    alone_s: float | None = None
    pausing: Sign | None = None
    before: Mapping[str, float] = field(default_factory=dict)


NOTHING_KNOWN = Known()


@dataclass(frozen=True, slots=True)
class Weighed:
    """The evidence for each limit.

    Attributes:
        seen: Whether and where the server was saturated.
        levels: Signs at every valid level, by the level's index and limit.
        signs: The sign of each limit over the deciding levels; limits not observed are absent.
        late: The generator's sign at levels above the valid ones that it made invalid.
        refused: The sign of refusals, if they broke a criterion first, and users who were accepted
            were served as fast as ever.
        killed: The sign of memory, if the kernel OOM-killed server processes.
        slow: What makes scenarios slow for any number of users; None if nothing does.
        sight: What the counters show of the server.
        known: What is known besides the levels.

    """

    seen: Saturation
    levels: Mapping[int, Mapping[Limit, Sign]]
    signs: Mapping[Limit, Sign]
    late: Sign | None
    refused: Sign | None
    killed: Sign | None
    slow: Sign | None
    sight: Sight
    known: Known


def weigh(observations: Sequence[Observation], known: Known = NOTHING_KNOWN) -> Weighed:
    """All evidence, combined over the deciding levels."""
    seen = saturation(observations, known.alone_s)
    levels = {o.index: at_level(o, seen) for o in observations}
    deciding = [levels[o.index] for o in seen.levels]
    # Keep the order of the evidence: of equal scores, the same sign must come first each time.
    limits = dict.fromkeys(limit for signs in deciding for limit in signs)
    signs = {limit: _middle([s[limit] for s in deciding if limit in s]) for limit in limits}
    killed = memory.kill_sign(observations)
    if killed is not None:
        signs["memory"] = killed
    refused = _refusal(observations, levels) if deciding else None
    if deciding:
        # Refusals begin when the last place is taken: only levels beyond that show them.
        signs["refusal"] = refused or deciding[-1]["refusal"]
    late = _late(observations, seen, levels)
    slow = delay.sign(observations, seen)
    # If packets are lost, some seconds look like pauses.
    if known.pausing is not None and (slow is None or slow.detail != path.LOSS):
        slow = known.pausing
    at = sight(seen.levels, known.server)
    return Weighed(seen, levels, signs, late, refused, killed, slow, at, known)


def _refusal(
    observations: Sequence[Observation], levels: Mapping[int, Mapping[Limit, Sign]]
) -> Sign | None:
    """The refusals that broke a criterion first; None if something else did, or there are none.

    Refused users come back at once: with more of them, that alone may fill the CPU.
    """
    failed = [o for o in observations if o.is_failed]
    first = min(failed, key=lambda o: (o.users, o.index), default=None)
    if first is None or not first.by_failures or first.refused <= threshold("refusal.share"):
        return None
    sign = levels[first.index]["refusal"]
    # Only if accepted users were as fast as ever: otherwise refusals are a symptom, and score less.
    return sign if first.per_s and sign.score >= 1.0 else None


def at_level(level: Observation, seen: Saturation) -> dict[Limit, Sign]:
    """All signs at one level; each limit keeps only its own part of what it shares with another."""
    waits = disk.signs(level, seen.light)
    short = memory.kill_sign([level]) or memory.signs(level, waits)
    if waits is not None and short is not None and short.detail == "as disk":
        again = memory.part_of_disk(level) or 0.0
        waits = disk.without(waits, again / threshold("memory.refaults") * 0.5)
    found = {
        "cpu": cpu.signs(level, seen),
        "thread": thread.signs(level),
        "memory": short,
        "disk": waits,
        "network": network.signs(level),
        "generator": generator.signs(level),
    }
    known: dict[Limit, Sign] = {
        name: sign  # type: ignore[misc]
        for name, sign in found.items()
        if sign is not None
    }
    taken = max((known[name].score for name in RESOURCES if name in known), default=0.0)
    known["refusal"] = refusal.signs(level, seen, taken)
    return known | _of_program(level, seen, taken)


def _of_program(level: Observation, seen: Saturation, taken: float) -> dict[Limit, Sign]:
    """The signs of limits that show when resources are idle.

    A pool that a server reports itself comes first, then another server, then the program.
    """
    known: dict[Limit, Sign] = {}
    full = reported.sign(level, seen, taken)
    if full is not None:
        taken = max(taken, full.score)
    behind = upstream.sign(level, seen, taken)
    if behind is not None:
        known["upstream"] = behind
        taken = max(taken, behind.score)
    connections = upstream.connections_sign(level, seen, taken)
    if connections is not None:
        taken = max(taken, connections.score)
    for sign in software.signs(level, seen, taken):
        known[sign.limit] = sign
    for pool in (connections, full):
        if pool is not None and pool.score >= known["pool"].score:
            known["pool"] = pool
    return known


def _middle(signs: Sequence[Sign]) -> Sign:
    """The sign of the median score, with the kind that most levels agree on.

    In a tie, the kind of the stronger signs.
    """
    score = statistics.median(sign.score for sign in signs)
    many: Counter[str | None] = Counter(sign.detail for sign in signs)
    strength: dict[str | None, float] = defaultdict(float)
    for sign in signs:
        strength[sign.detail] += sign.score
    detail = max(many, key=lambda kind: (many[kind], strength[kind]))
    alike = [sign for sign in signs if sign.detail == detail]
    nearest = min(alike, key=lambda sign: abs(sign.score - score))
    sizes = [sign.size for sign in alike if sign.size is not None]
    size = statistics.median(sizes) if sizes else None
    return replace(nearest, score=score, size=size)


def _late(
    observations: Sequence[Observation],
    seen: Saturation,
    levels: Mapping[int, Mapping[Limit, Sign]],
) -> Sign | None:
    """The generator's sign, if it invalidated all levels beyond the valid ones."""
    most = max((o.users for o in seen.levels), default=0)
    beyond = [o for o in observations if not o.valid and o.limited and o.users >= most]
    if not beyond:
        return None
    return max((levels[o.index]["generator"] for o in beyond), key=lambda sign: sign.score)
