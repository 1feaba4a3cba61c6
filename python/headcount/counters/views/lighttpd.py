"""The page of lighttpd's mod_status, as text for programs (`?auto`).

Format: https://redmine.lighttpd.net/projects/lighttpd/wiki/Mod_status.
"""

from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading


def reader(url: str) -> Reader:
    """Ask for the status page at this URL."""
    return lambda: figures(ask.page(url))


def figures(text: str) -> Reading:
    """What a page says; an empty reading where it is another.

    lighttpd calls its connection slots servers: busy ones are in use, idle ones the rest up to
    `server.max-connections`.
    """
    fields = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    try:
        busy, idle = float(fields["BusyServers"]), float(fields["IdleServers"])
        requests = float(fields["Total Accesses"])
    except (KeyError, ValueError):
        return Reading()
    gauges = {"web.connections": busy, "web.connections.limit": busy + idle}
    return Reading(gauges, {"web.requests": requests})
