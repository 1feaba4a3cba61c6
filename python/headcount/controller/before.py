"""What a server does before the first user comes: whom else it serves."""

import time

from headcount.controller.local_server import LocalServer

LOOK_S = 1.0
"""Long enough for a rate of CPU time, and hardly noticed before a run."""
KEPT = ("cgroup.cpu.utilization", "process.cpu.utilization", "socket.connections")


def load_before(server: LocalServer) -> dict[str, float]:
    """CPUs that the server uses, and connections that it has, while Headcount sends nothing.

    Counters that cannot be read are absent.
    """
    source = server.source("sut")
    try:
        source.sample()
        time.sleep(LOOK_S)
        values = source.sample().values
    finally:
        source.close()
    return {name: values[name] for name in KEPT if name in values}
