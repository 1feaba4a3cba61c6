"""How much of the time a recording's samples show, and whether that is enough to conclude."""

from dataclasses import dataclass

import numpy as np

from headcount.analyse.rules.facts import CPUS, MEMORY
from headcount.analyse.rules.series import Frame
from headcount.analyse.rules.windows import interval_s, observed_s
from headcount.counters.naming import split_instance

LEAST_SAMPLES = 5
"""Fewest samples: with fewer, one of them is a fifth of the log or more. Our choice."""

MOST_APART_S = 3600.0
"""Longest usual time between samples: with a longer one nothing is known in between, because load
changes within an hour. Our choice."""

_SAME = (".busiest", ".longest", ".current")
"""Suffixes of figures that are the same counter, for one device or one moment."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the time the samples show.

    Attributes:
        samples: Moments with a counter other than facts of the machine.
        apart_s: The usual time between two samples; 0 for a single one.
        observed_s: The time that the samples stand for, without gaps.
        span_s: From the first to the last sample.

    """

    samples: int
    apart_s: float
    observed_s: float
    span_s: float

    @property
    def is_few(self) -> bool:
        """Whether there are too few samples to conclude."""
        return self.samples < LEAST_SAMPLES

    @property
    def is_far_apart(self) -> bool:
        """Whether the samples are too far apart to conclude."""
        return self.apart_s > MOST_APART_S

    @property
    def is_enough(self) -> bool:
        """Whether something can be concluded."""
        return not self.is_few and not self.is_far_apart

    @property
    def has_gaps(self) -> bool:
        """Whether most of the time between the first and the last sample is unknown."""
        return self.span_s + self.apart_s > 2 * self.observed_s


def coverage(frame: Frame) -> Coverage:
    """How much of the time a recording shows."""
    moments = [frame.moments(name) for name in frame.names() if name not in {CPUS, MEMORY}]
    # Several samples at one moment, as in two logs pasted together, add no information.
    at_s = np.unique(max(moments, key=len, default=np.array([])))
    if not len(at_s):
        return Coverage(0, 0.0, 0.0, 0.0)
    return Coverage(
        len(at_s), interval_s(at_s), float(observed_s(at_s).sum()), float(at_s[-1] - at_s[0])
    )


def topics(frame: Frame) -> list[str]:
    """The counters that each say something different.

    Facts of the machine are left out, and parts of a counter that is present: devices, the busiest
    of them, modes of the CPU.
    """
    families = (split_instance(name)[0] for name in frame.names() if name not in {CPUS, MEMORY})
    found = []
    for family in families:
        end = next((one for one in _SAME if family.endswith(one)), "")
        found.append(family.removesuffix(end))
    return [one for one in dict.fromkeys(found) if one == _whole(one) or _whole(one) not in found]


def _whole(family: str) -> str:
    return family.partition("{")[0]
