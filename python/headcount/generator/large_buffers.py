"""Memory of large buffers of which little is used.

A connection of QUIC has a buffer of 3 MiB to receive into, and mostly touches a few pages of it.
Mapped by itself, such a buffer costs only these. But once one was freed, glibc takes the next from
its heap (the bound moves, mallopt(3)), and clears all that was in use before: 250 KB a user instead
of 30 KB.
"""

import contextlib
import ctypes
import json

_M_MMAP_THRESHOLD = -3
LARGE_BYTES = 2 << 20


def map_large_buffers(target: str) -> None:
    """Have glibc map buffers of 2 MiB or more by themselves, where users speak HTTP/3.

    `target`: as the engine reads it. Other protocols use what they ask for, and are left alone.
    """
    if not json.loads(target).get("http3"):
        return
    with contextlib.suppress(AttributeError):  # another C library, with rules of its own
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, LARGE_BYTES)
