"""What the system must allow this process before so many users can be played."""

from headcount import _engine

OPEN_FILES = 4
"""Files a user can have open at a time (`SLOTS` of crates/tree)."""


def ensure_handles(protocol: str, users: int) -> None:
    """Raise the limit of file handles as far as needed.

    Raises SystemLimitError, with the fix, if that is not allowed.
    """
    if protocol == "files":
        _engine.ensure_open_files(users, OPEN_FILES)
    else:
        _engine.ensure_connections(users)
