"""HAProxy's statistics: `show stat` at its socket, or the page with `;csv` at its end.

Format: HAProxy's management guide, 9.1 (CSV format). Times are means of the last 1024 requests.
"""

import csv
import re
from collections.abc import Iterable, Mapping

from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading

QUESTION = b"show stat\n"
_SOCKET = re.compile(r"^\s*stats\s+socket\s+(/\S+)", re.MULTILINE)
_PAGE = re.compile(r"^\s*stats\s+uri\s+(/\S+)", re.MULTILINE)
_FRONTEND, _BACKEND = "FRONTEND", "BACKEND"

Row = Mapping[str, str]


def reader(address: str) -> Reader:
    """A reader for the path of a socket, or a URL."""
    if address.startswith("/"):
        return lambda: figures(ask.answer(address, QUESTION).decode("utf-8", errors="replace"))
    url = address if address.endswith(";csv") else f"{address};csv"
    return lambda: figures(ask.page(url))


def sockets(configuration: str) -> list[str]:
    """The paths of statistics sockets in a configuration."""
    return _SOCKET.findall(configuration)


def pages(configuration: str) -> list[str]:
    """The paths of statistics pages in a configuration."""
    return _PAGE.findall(configuration)


def figures(text: str) -> Reading:
    """The reading in the CSV; empty for any other text."""
    if not text.startswith("# pxname,svname,"):
        return Reading()
    rows = list(csv.DictReader(text.removeprefix("# ").splitlines()))
    backends = [row for row in rows if row["svname"] == _BACKEND]
    # The frontend of the statistics has a backend of the same name without servers.
    fronts = [row for row in rows if row["svname"] == _FRONTEND]
    servers = [row for row in rows if row["svname"] not in (_FRONTEND, _BACKEND)]
    limited = [row for row in servers if _number(row, "slim")]
    gauges = {"haproxy.queue": _total(backends, "qcur")}
    if limited:
        gauges["haproxy.sessions.limited"] = _total(limited, "scur")
        gauges["haproxy.sessions.limit"] = _total(limited, "slim")
    if fronts:
        # The frontend with the most of its own: limits of several do not add up.
        fullest = max(fronts, key=lambda row: _number(row, "scur") / max(_number(row, "slim"), 1))
        gauges["haproxy.connections"] = _number(fullest, "scur")
        if _number(fullest, "slim"):
            gauges["haproxy.connections.limit"] = _number(fullest, "slim")
    used = [row for row in backends if _number(row, "stot")]
    if used:
        gauges["haproxy.response.duration"] = max(_number(row, "rtime") for row in used)
        gauges["haproxy.queue.duration"] = max(_number(row, "qtime") for row in used)
    totals = {
        "haproxy.errors": _total(backends, "econ") + _total(backends, "eresp"),
        "haproxy.denied": _total(fronts, "dreq"),
    }
    return Reading(gauges, totals)


def _number(row: Row, name: str) -> float:
    text = row.get(name) or ""
    return float(text) if text.isdecimal() else 0.0


def _total(rows: Iterable[Row], name: str) -> float:
    return sum(_number(row, name) for row in rows)
