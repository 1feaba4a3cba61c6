"""HAProxy's statistics: `show stat` at its socket, or the page with `;csv` at its end.

Format: HAProxy's management guide, 9.1 (CSV format). Times are means of the last 1024 requests.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence

from headcount.counters.views import ask
from headcount.counters.views.reading import Reader, Reading

QUESTION = b"show stat\n"
_SOCKET = re.compile(r"^\s*stats\s+socket\s+(/\S+)", re.MULTILINE)
_PAGE = re.compile(r"^\s*stats\s+uri\s+(/\S+)", re.MULTILINE)
_FRONTEND, _BACKEND = "FRONTEND", "BACKEND"
_UP = ("UP", "no check")
"""What the status of a server begins with that gets new requests."""

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
    limited = _fullest(backends, [row for row in _serving(servers) if _number(row, "slim")])
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


def _serving(servers: Iterable[Row]) -> list[Row]:
    """The servers that get requests: up, and backups only where no other is."""
    up = [row for row in servers if (row.get("status") or _UP[0]).startswith(_UP)]
    alive = {row["pxname"] for row in up if row.get("bck") != "1"}
    return [row for row in up if row.get("bck") != "1" or row["pxname"] not in alive]


def _fullest(backends: Iterable[Row], limited: Sequence[Row]) -> list[Row]:
    """The servers of the backend with most in its queue, or nearest to its limit.

    The free places of other backends are of no use to those who wait for this one's.
    """
    waiting = {row["pxname"]: _number(row, "qcur") for row in backends}
    groups: dict[str, list[Row]] = {}
    for row in limited:
        groups.setdefault(row["pxname"], []).append(row)

    def order(name: str) -> tuple[float, float]:
        return waiting.get(name, 0.0), _total(groups[name], "scur") / _total(groups[name], "slim")

    return groups[max(groups, key=order)] if groups else []


def _number(row: Row, name: str) -> float:
    text = row.get(name) or ""
    return float(text) if text.isdecimal() else 0.0


def _total(rows: Iterable[Row], name: str) -> float:
    return sum(_number(row, name) for row in rows)
