"""Lets the load generator wake on time on a machine that the server fills.

If both share a machine, an overloaded server would otherwise delay the generator's timers, and a
level would be invalid just when it gets interesting. A thread under the real-time policy runs as
soon as it wakes; the generator needs a small part of a core, so it takes little from the server.
"""

import contextlib
import os
from collections.abc import Iterator

PRIORITY = 1
"""The lowest real-time priority: above every ordinary program, below everything else."""


@contextlib.contextmanager
def real_time() -> Iterator[bool]:
    """Give threads started in here the real-time policy, if this process may (CAP_SYS_NICE).

    Yields whether it was granted. Without it the lateness of the generator's timers, which every
    level reports, shows whether it would have mattered.
    """
    before, parameter = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(PRIORITY))
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, before, parameter)
