"""Windows of a recording, long and granular, and the spans of time in which something held.

The papers advise using both kinds (T-18): a mean over a day hides an hour, and a single sample says
nothing.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from headcount.analyse.rules.series import Numbers

Span = tuple[float, float]

GRANULAR_S = 300.0
"""Length of a granular window. Our choice: long enough to ignore a backup or log rotation of
seconds, short enough to find a bad quarter of an hour."""

GRANULAR_SAMPLES = 10
"""Fewest samples of a granular window; in a log sampled every minute, ten minutes. Our choice."""

MOST_WINDOWS = 2000
"""Windows of a long log are long enough that this many, overlapping by half, cover it."""


GAP = 2.5
"""Samples further apart than this many usual intervals have a gap between them, about which the log
says nothing. Our choice."""


def interval_s(at_s: Numbers) -> float:
    """The usual time between two samples; 0 for a single one."""
    return float(np.median(np.diff(at_s))) if len(at_s) > 1 else 0.0


def granular(at_s: Numbers) -> list[Span]:
    """Windows that overlap by half; none for a log too short for two."""
    if len(at_s) < 2 * GRANULAR_SAMPLES:
        return []
    start_s, end_s = float(at_s[0]), float(at_s[-1])
    length_s = max(GRANULAR_S, GRANULAR_SAMPLES * interval_s(at_s))
    length_s = max(length_s, (end_s - start_s) * 2 / MOST_WINDOWS)
    if end_s - start_s < 2 * length_s:
        return []
    step_s = length_s / 2
    starts = np.arange(start_s, end_s - length_s + step_s / 2, step_s)
    made = [(float(one), min(float(one) + length_s, end_s)) for one in starts]
    if made[-1][1] < end_s:
        made.append((end_s - length_s, end_s))
    return made


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Join spans that touch or overlap."""
    found: list[Span] = []
    for start_s, end_s in sorted(spans):
        if found and start_s <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end_s))
        else:
            found.append((start_s, end_s))
    return found


def observed_s(at_s: Numbers) -> Numbers:
    """The time that each sample stands for: since the one before, but never across a gap."""
    usual_s = interval_s(at_s)
    return np.minimum(np.diff(at_s, prepend=at_s[0] - usual_s), GAP * usual_s)


def covered(spans: Sequence[Span], at_s: Numbers) -> float:
    """Share of the observed time that spans cover."""
    if len(at_s) < 2:
        return 1.0
    time_s = observed_s(at_s)
    held = np.zeros(len(at_s), dtype=np.bool_)
    for start_s, end_s in spans:
        first = int(np.searchsorted(at_s, start_s, "left"))
        held[first : int(np.searchsorted(at_s, end_s, "right"))] = True
    return float(time_s[held].sum() / time_s.sum())
