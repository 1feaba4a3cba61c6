"""Figures of the lab's web server: nginx's stub_status, Apache's mod_status."""

import http.client
import re
import ssl
import time
import urllib.request
from collections.abc import Mapping

from headcount.counters.source import Sample

PATIENCE_S = 0.5
"""A server whose workers are all busy may not answer; then this second has no figures."""

NGINX = re.compile(
    r"Active connections: (?P<active>\d+) \nserver accepts handled requests\n"
    r" (?P<accepts>\d+) (?P<handled>\d+) (?P<requests>\d+) \n"
    r"Reading: (?P<reading>\d+) Writing: (?P<writing>\d+) Waiting: (?P<waiting>\d+)"
)
"""The text of ngx_http_stub_status_module."""
APACHE = {
    "Total Accesses": "requests",
    "BusyWorkers": "busy",
    "IdleWorkers": "idle",
    "ConnsTotal": "connections",
    "ConnsAsyncKeepAlive": "waiting",
}
"""Lines of mod_status's machine-readable text; those of connections exist with the event MPM."""


class WebSource:
    """Counters of a web server, asked for over HTTP, each second by one request."""

    def __init__(
        self, url: str, name: str = "server", most: Mapping[str, int] | None = None
    ) -> None:
        """Ask at this address; `most` says how many `workers` or `connections` there may be."""
        self.name = name
        self._limits = {f"web.{what}.limit": float(many) for what, many in (most or {}).items()}
        self._url = f"{url}?auto"
        # The certificate is the lab's own, made for this run.
        self._trust = ssl.create_default_context()
        self._trust.check_hostname = False
        self._trust.verify_mode = ssl.CERT_NONE
        self._previous: tuple[float, dict[str, float]] | None = None

    def sample(self) -> Sample:
        """Query now; only its limits if the server does not answer."""
        at_s = time.monotonic()
        try:
            with urllib.request.urlopen(  # noqa: S310 - the address is the lab's own
                self._url, timeout=PATIENCE_S, context=self._trust
            ) as answer:
                text = answer.read(65_536).decode("utf-8", errors="replace")
        except (OSError, ValueError, http.client.HTTPException):
            self._previous = None
            return Sample(at_s, self._limits)
        values, totals = figures(text)
        values |= self._limits
        if self._previous is not None:
            values |= _rates(at_s - self._previous[0], self._previous[1], totals)
        self._previous = (at_s, totals)
        return Sample(at_s, values)

    def close(self) -> None:
        """Nothing is held between samples."""


def figures(text: str) -> tuple[dict[str, float], dict[str, float]]:
    """The gauges in a server's answer, by counter, and its totals since it started."""
    found = NGINX.search(text)
    if found is not None:
        fields = {key: float(value) for key, value in found.groupdict().items()}
        gauges = {
            "web.connections": fields["active"],
            "web.connections.waiting": fields["waiting"],
            "web.requests.active": fields["reading"] + fields["writing"],
        }
        return gauges, {
            "web.requests": fields["requests"],
            "web.connections.accepted": fields["accepts"],
            "web.connections.dropped": fields["accepts"] - fields["handled"],
        }
    lines = (line.partition(": ") for line in text.splitlines())
    fields = {APACHE[key]: float(value) for key, _, value in lines if key in APACHE}
    if not {"requests", "busy", "idle"} <= set(fields):
        return {}, {}
    gauges = {
        "web.workers.busy": fields["busy"],
        "web.workers.idle": fields["idle"],
        "web.requests.active": fields["busy"],
    }
    if "connections" in fields:
        gauges |= {
            "web.connections": fields["connections"],
            "web.connections.waiting": fields["waiting"],
        }
    return gauges, {"web.requests": fields["requests"]}


def _rates(elapsed_s: float, before: dict[str, float], now: dict[str, float]) -> dict[str, float]:
    grown = {key: now[key] - before[key] for key in now if key in before}
    if elapsed_s <= 0 or not grown or min(grown.values()) < 0:
        return {}  # the server was restarted
    return {key: value / elapsed_s for key, value in grown.items()}
