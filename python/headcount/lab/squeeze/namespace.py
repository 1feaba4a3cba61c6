"""Network namespaces by their names: entering one, and removing one."""

import contextlib
import ctypes
import os
from collections.abc import Iterator
from pathlib import Path

from headcount.errors import MachineLimitError

CLONE_NEWNET = 0x40000000
"""linux/sched.h."""
NAMESPACES = Path("/run/netns")
"""Where ip-netns(8) keeps their names."""


@contextlib.contextmanager
def inside(name: str) -> Iterator[None]:
    """Put threads that start within the block into a namespace.

    Raises MachineLimitError if this process may not enter it.
    """
    with (
        Path("/proc/thread-self/ns/net").open() as here,
        (NAMESPACES / name).open() as far,
    ):
        _enter(far.fileno())
        try:
            yield
        finally:
            _enter(here.fileno())


def _enter(handle: int) -> None:
    """Move this thread into a network namespace (setns(2))."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, CLONE_NEWNET) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise MachineLimitError(f"cannot enter the run's network namespace: {reason}; run as root")
