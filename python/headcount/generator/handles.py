"""What the system must allow this process before so many users can be played."""

from headcount import _engine
from headcount.errors import MachineLimitError, SystemLimitError
from headcount.protocols.registry import protocol_of

RESERVE = 100
"""Handles needed beside those of the users' connections (`RESERVE` of crates/load)."""


def ensure_handles(protocol: str, users: int) -> None:
    """Raise the limit of file handles as far as needed.

    Raises MachineLimitError, with the fix, if that is not allowed.
    """
    its = protocol_of(protocol)
    ensure = _engine.ensure_open_files if its.are_files else _engine.ensure_connections
    try:
        ensure(users, its.handles)
    except SystemLimitError as error:
        raise MachineLimitError(str(error)) from error


def most_users(handles: int) -> int:
    """How many users with a connection each a process can play that may have so many handles."""
    return max(handles - RESERVE, 0)
