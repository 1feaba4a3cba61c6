"""Memory of large buffers of which little is used.

A QUIC connection has a receive buffer of 3 MiB, and mostly touches a few pages of it. If mapped
separately, such a buffer costs only these. But once one was freed, glibc takes the next from its
heap (the threshold moves, mallopt(3)), and clears all that was in use before: 250 KB a user instead
of 30 KB.
"""

import contextlib
import ctypes
import json

_M_MMAP_THRESHOLD = -3
LARGE_BYTES = 2 << 20


def map_large_buffers(target: str) -> None:
    """Make glibc map buffers of 2 MiB or more separately, if users speak HTTP/3.

    `target`: as the engine reads it. Other protocols use all that they allocate.
    """
    if not json.loads(target).get("http3"):
        return
    with contextlib.suppress(AttributeError):  # another C library, with rules of its own
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
