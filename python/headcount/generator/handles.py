"""The system's limits that this process needs to play a number of users."""

from collections.abc import Sequence

from headcount import _engine
from headcount.errors import MachineLimitError, SystemLimitError
from headcount.generator.local_ips import own_addresses
from headcount.protocols.registry import protocol_of

RESERVE = 100
"""Handles needed besides those of the users' connections (`RESERVE` of crates/load)."""


def ensure_handles(protocol: str, users: int, local_ips: Sequence[str] | None = None) -> None:
    """Raise the limit of file handles as far as needed, and count local ports.

    `local_ips`: what users connect from, as a plan names it.

    Raises MachineLimitError, with the fix, if that is not allowed.
    """
    its = protocol_of(protocol)
    try:
        if its.are_files:
            _engine.ensure_open_files(users, its.handles)
        else:
            number = max(len(own_addresses(tuple(local_ips or ()))), 1)
            _engine.ensure_connections(users, its.handles, number)
    except SystemLimitError as error:
        raise MachineLimitError(str(error)) from error


def most_users(handles: int) -> int:
    """How many users with a connection each a process with this many handles can play."""
    return max(handles - RESERVE, 0)
