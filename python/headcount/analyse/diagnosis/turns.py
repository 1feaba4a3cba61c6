"""Limits that alternated, each for part of the time, which their means hide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headcount.analyse.diagnosis.resample import LEAST, singles
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.sign import Sign
from headcount.analyse.diagnosis.thresholds import between, threshold
from headcount.analyse.diagnosis.weigh import RESOURCES, at_level
from headcount.bundle.diagnosis import Limit

PROGRAM: Limit = "lock"
"""The limit while no resource is one."""
LEAST_SHARE = 0.25
"""Share of the seconds in which each of the two must be the only limit."""
IDLE = 0.1
"""Score of every resource below which users did not wait for any of them in a second."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Two limits that took turns.

    Attributes:
        first: The one with more seconds; if one is the program, the resource.
        second: The other.
        sign: The evidence for the first in its seconds, which means hardly show.
        share: Share of the seconds that belong to one of the two.

    """

    first: Limit
    second: Limit
    sign: Sign
    share: float

    @property
    def confidence(self) -> float:
        """Never high: single seconds show less than levels do."""
        return 0.5 + 0.25 * between(self.share, threshold("alternating"), 1.0)


def alternating_limits(
    seen: Saturation, measured: Mapping[int, Sequence[Mapping[str, Any]]]
) -> Turns | None:
    """Two limits of which one or the other, rarely both, was at work in most seconds.

    On average such a server is far from full for either (Malkowski, Hedwig and Pu, IISWC 2009).
    Seconds in which all resources are idle while users wait, but not for another server, count for
    the program: most likely it holds a lock.
    """
    alone: dict[Limit, list[Sign]] = {}
    number = 0
    for level in seen.levels:
        if len(measured.get(level.index, ())) < LEAST:
            continue
        for second in singles(level, measured[level.index]):
            number += 1
            signs = at_level(second, seen)
            full = [
                name
                for name in RESOURCES
                if name in signs and signs[name].score >= threshold("decide.score")
            ]
            if len(full) == 1:
                alone.setdefault(full[0], []).append(signs[full[0]])
            elif PROGRAM in signs and not any(
                signs[name].score >= IDLE for name in (*RESOURCES, "upstream") if name in signs
            ):
                alone.setdefault(PROGRAM, []).append(signs[PROGRAM])
    ranked = sorted(alone.items(), key=lambda item: -len(item[1]))[:2]
    if len(ranked) < 2 or len(ranked[1][1]) < LEAST_SHARE * number:
        return None
    if len(ranked[0][1]) + len(ranked[1][1]) < threshold("alternating") * number:
        return None
    (one, found), (other, rest) = sorted(ranked, key=lambda item: item[0] == PROGRAM)
    strongest = max(found, key=lambda sign: sign.score)
    return Turns(one, other, strongest, (len(found) + len(rest)) / number)
