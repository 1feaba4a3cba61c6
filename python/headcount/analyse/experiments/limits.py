"""Which limits behave alike in experiments, and which ones must be told apart."""

from collections.abc import Iterable

from headcount.bundle.diagnosis import Limit

RESOURCES: frozenset[Limit] = frozenset({"cpu", "thread", "memory", "disk", "network"})
"""Counters show these, or rule them out."""
PROGRAM: frozenset[Limit] = frozenset({"pool", "lock", "limiter"})
"""No counter of the system shows these: an experiment must tell one from another."""
RATIONED: frozenset[Limit] = frozenset({"cpu", "disk", "network"})
"""Quotas allocate these by the second: like a rate limit, they leave the server idle in between."""
LOADED: frozenset[Limit] = RESOURCES | PROGRAM
"""These make a server slow under load, but not for a single user."""
UNLOADED: frozenset[Limit] = frozenset({"delay", "none"})
"""With these, other users do not slow a user down."""


def ordered(limits: Iterable[Limit]) -> list[Limit]:
    """In alphabetical order, so that the same figures give the same files."""
    return sorted(set(limits))
