"""What happened in a run, as its bundle has it."""

from pathlib import Path
from typing import Any

from headcount.bundle.files import records

FILE = "events.ndjson"
KEYS = ("at", "t_s", "event")
"""What every event has."""


def read(folder: Path) -> list[dict[str, Any]]:
    """Every event, in order; raises InputError where a line is something else."""
    return list(records(folder / FILE, KEYS, "an event"))
