"""What happened in a run, as stored in its bundle."""

from pathlib import Path
from typing import Any

from headcount.bundle.files import records

FILE = "events.ndjson"
MADE_BY = "made-by"
"""The event that says which command plays the levels, if it is not a run: its `verb`."""
KEYS = ("at", "t_s", "event")
"""Keys of every event."""


def read(folder: Path) -> list[dict[str, Any]]:
    """Every event, in order; raises InputError if a line is something else."""
    return list(records(folder / FILE, KEYS, "an event"))
