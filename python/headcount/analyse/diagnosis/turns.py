"""Resources that limited in turns, each part of the time, which their means hide."""

from collections.abc import Mapping, Sequence
from typing import Any

from headcount.analyse.diagnosis.resample import LEAST, singles
from headcount.analyse.diagnosis.saturation import Saturation
from headcount.analyse.diagnosis.thresholds import threshold
from headcount.analyse.diagnosis.weigh import RESOURCES, at_level
from headcount.bundle.diagnosis import Limit

LEAST_SHARE = 0.25
"""Share of the seconds that each of the two must have to itself."""


def alternating_limits(
    seen: Saturation, measured: Mapping[int, Sequence[Mapping[str, Any]]]
) -> tuple[Limit, Limit] | None:
    """Two resources of which one or the other, rarely both, was the limit in most seconds.

    Averages of such a server are far from full for either (Malkowski, Hedwig and Pu, IISWC 2009).
    The one with more seconds comes first.
    """
    alone: dict[Limit, int] = {}
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
                alone[full[0]] = alone.get(full[0], 0) + 1
    ranked = sorted(alone.items(), key=lambda item: -item[1])[:2]
    if not number or len(ranked) < 2 or ranked[1][1] < LEAST_SHARE * number:
        return None
    if ranked[0][1] + ranked[1][1] < threshold("alternating") * number:
        return None
    return ranked[0][0], ranked[1][0]
