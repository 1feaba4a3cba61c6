"""The pages of web servers: nginx's stub_status and Apache's mod_status."""

from headcount.counters import web
from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading


def reader(url: str) -> Reader:
    """Ask for a status page at this URL."""

    def read() -> Reading:
        gauges, totals = web.figures(ask.page(url))
        return Reading(gauges, totals)

    return read
