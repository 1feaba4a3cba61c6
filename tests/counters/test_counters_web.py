"""What web servers report, read from their status pages."""

import socketserver
import threading

import pytest

from headcount.counters.catalogue import catalogue
from headcount.counters.web import WebSource, figures

NGINX = """\
Active connections: 291 
server accepts handled requests
 16630948 16630940 31070465 
Reading: 6 Writing: 179 Waiting: 106 
"""  # noqa: W291 - nginx ends its lines so
APACHE = """\
127.0.0.1
ServerMPM: event
Total Accesses: 1234
Total kBytes: 39
BusyWorkers: 17
IdleWorkers: 58
ConnsTotal: 40
ConnsAsyncWaitIO: 0
ConnsAsyncKeepAlive: 23
Scoreboard: __W_
"""


def test_nginxs_status() -> None:
    gauges, totals = figures(NGINX)
    assert gauges == {
        "web.connections": 291,
        "web.connections.waiting": 106,
        "web.requests.active": 185,
    }
    assert totals == {
        "web.requests": 31070465,
        "web.connections.accepted": 16630948,
        "web.connections.dropped": 8,
    }


def test_apaches_status() -> None:
    gauges, totals = figures(APACHE)
    assert gauges == {
        "web.connections": 40,
        "web.connections.waiting": 23,
        "web.requests.active": 17,
        "web.workers.busy": 17,
        "web.workers.idle": 58,
    }
    assert totals == {"web.requests": 1234}
    prefork = "\n".join(line for line in APACHE.splitlines() if not line.startswith("Conns"))
    assert set(figures(prefork)[0]) == {
        "web.requests.active",
        "web.workers.busy",
        "web.workers.idle",
    }


@pytest.mark.parametrize("text", ["", "hello", "Total Accesses: 1", "Active connections: x"])
def test_other_text_gives_nothing(text: str) -> None:
    assert figures(text) == ({}, {})


def test_counters_given_and_in_the_catalogue_match() -> None:
    given = {name for text in (NGINX, APACHE) for found in figures(text) for name in found}
    limited = WebSource("http://127.0.0.1:9/status", most={"workers": 4, "connections": 9})
    given |= set(limited.sample().values)
    assert given == {name for name in catalogue() if name.startswith("web.")}


def test_a_missing_server_gives_only_its_limits() -> None:
    source = WebSource("http://127.0.0.1:9/status")
    assert source.sample().values == {}
    limited = WebSource("http://127.0.0.1:9/status", most={"workers": 4})
    assert limited.sample().values == {"web.workers.limit": 4}
    assert source.name == "server"


class _Settings(socketserver.BaseRequestHandler):
    """Begins with the settings of HTTP/2, as nginx does on a plain port for HTTP/2."""

    def handle(self) -> None:
        self.request.recv(65_536)
        self.request.sendall(bytes([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 1, 0, 0]))


def test_an_answer_that_is_not_http_gives_only_its_limits() -> None:
    with socketserver.TCPServer(("127.0.0.1", 0), _Settings) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        url = f"http://127.0.0.1:{server.server_address[1]}/status"
        assert WebSource(url, most={"workers": 4}).sample().values == {"web.workers.limit": 4}
        thread.join()
