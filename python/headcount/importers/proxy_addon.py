"""An addon for mitmdump: it reports what passes, and ends when its standard input does.

mitmproxy has an interpreter of its own, so this file imports nothing of Headcount's. A line of JSON
on standard output is an event: {"ready": PORT}, {"page": PATH, "status": 200}, {"other": HOST},
{"websocket": PATH} or {"distrusted": HOST, "why": TEXT}.
"""

import json
import os
import sys
import threading
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from mitmproxy import ctx  # type: ignore[import-not-found, unused-ignore]

HOST = os.environ["HEADCOUNT_RECORDED_HOST"]
"""Host and port of the target, `shop.example:443`."""
BODIES = Path(os.environ["HEADCOUNT_RECORDED_BODIES"])
"""The file for bodies that mitmproxy's own recording leaves out."""
RECORDED = frozenset({"POST", "PUT", "PATCH"})
"""Methods whose bodies mitmproxy records."""


class Events:
    """An addon: its methods are named after mitmproxy's events."""

    def __init__(self) -> None:
        """Nothing has passed yet."""
        self.others: set[str] = set()
        self.has_failed = False

    def running(self) -> None:
        """The proxy listens: report that, and end it together with its parent."""
        master, loop = ctx.master, ctx.master.event_loop

        def end() -> None:
            sys.stdin.buffer.read()
            loop.call_soon_threadsafe(master.shutdown)

        threading.Thread(target=end, daemon=True).start()
        _print(ready=ctx.options.listen_port)

    def server_connect(self, data: Any) -> None:
        """Report a connection to another server, even if its traffic only passes through."""
        host, port = data.server.address[:2]
        if f"{host}:{port}" != HOST and host not in self.others:
            self.others.add(host)
            _print(other=host)

    def tls_failed_server(self, data: Any) -> None:
        """Report once if the target shows a certificate that is not trusted."""
        host, port = data.conn.address[:2]
        if f"{host}:{port}" == HOST and not self.has_failed:
            self.has_failed = True
            why = str(data.conn.error or "TLS fails").removeprefix("Certificate verify failed: ")
            _print(distrusted=HOST, why=why)

    def response(self, flow: Any) -> None:
        """Report a reply if it is a page of the target."""
        if f"{flow.request.host}:{flow.request.port}" != HOST:
            return
        _keep_body(flow.request)
        kind = flow.response.headers.get("content-type", "")
        wanted = flow.request.headers.get("sec-fetch-dest", "document")
        if "html" in kind and wanted in ("document", "iframe"):
            path = flow.request.path.partition("?")[0]
            _print(page=path, status=flow.response.status_code, method=flow.request.method)

    def websocket_start(self, flow: Any) -> None:
        """A WebSocket was opened."""
        _print(websocket=flow.request.path.partition("?")[0])


def _keep_body(request: Any) -> None:
    """Keep a body with the moment of its request, as the recording has it."""
    if request.method in RECORDED or not request.content:
        return
    started = datetime.fromtimestamp(request.timestamp_start, timezone.utc).isoformat()  # noqa: UP017
    kept = {
        "method": request.method,
        "startedDateTime": started,
        "mimeType": request.headers.get("Content-Type", ""),
        "text": request.get_text(strict=False) or "",
    }
    with BODIES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(kept) + "\n")


def _print(**event: object) -> None:
    print(json.dumps(event), flush=True)


addons = [Events()]
