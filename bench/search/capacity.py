"""The capacities of the simulated servers, as `python -m bench.search truth` computed them."""

import json
import math
from functools import cache
from pathlib import Path

DATA = Path(__file__).with_name("capacities.json")

STATIONARY = (
    "cpu",
    "disk",
    "thrash",
    "memcliff",
    "cliff",
    "sharing",
    "slow-class",
    "heavy-tail",
    "collector",
    "limiter",
    "backlog",
    "lock",
    "strict",
    "tiny",
    "huge",
    "two-tier",
    "team",
)
"""Systems that are the same whenever they are looked at, apart from 1 % from level to level."""


HELD_OUT = ("two-tier", "flush", "team", "slow-leak", "thaw")
"""Systems that were written when the search was done, and on which nothing was tuned."""


@cache
def capacities() -> dict[str, dict[str, float]]:
    """For each system the ``users`` and the ``standard_error``; ``per_s`` where it changes."""
    found: dict[str, dict[str, float]] = json.loads(DATA.read_text("utf-8"))["systems"]
    return found


def capacity(system: str, at_s: float = 0.0) -> float:
    """Users that the system holds, so many seconds after it started."""
    known = capacities()[system]
    return known["users"] * math.exp(known.get("per_s", 0.0) * at_s)
