"""Samples with impossible times: a damaged line must not stretch a log over millennia."""

from dataclasses import replace

import numpy as np

from headcount.counters.columns import Columns, as_columns
from headcount.counters.recording import Recording

FIRST_S, LAST_S = 0.0, 253_370_764_800.0
"""From 1970, before which no log was written, to the end of 9998, the calendar's limit."""


def possible(recording: Recording) -> Recording:
    """The recording without samples and bookmarks at impossible times, with a note on them."""
    columns = as_columns(recording.samples)
    known = (columns.at_s >= FIRST_S) & (columns.at_s <= LAST_S)
    kept = tuple(mark for mark in recording.bookmarks if FIRST_S <= mark.at_s <= LAST_S)
    if known.all():
        return replace(recording, bookmarks=kept)
    number = int(np.count_nonzero(~known))
    samples = "sample has an impossible time" if number == 1 else "samples have impossible times"
    return replace(
        recording,
        samples=Columns(
            columns.at_s[known], {name: one[known] for name, one in columns.values.items()}
        ),
        bookmarks=kept,
        notes=(*recording.notes, f"{number} {samples} (before 1970 or after 9998): skipped."),
    )
