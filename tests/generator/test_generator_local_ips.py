"""Users who connect from several addresses of a machine."""

import itertools
import socket
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest

from headcount.errors import InputError, MachineLimitError
from headcount.generator.handles import ensure_handles
from headcount.generator.local_ips import check_routes, own_addresses
from headcount.plan.local_ips import MOST, addresses
from processes import Headcount

WORKLOAD = """
name = "stay"
title = "Get a page"
protocol = "http"
recreates = "nothing"
description = "One page, again and again, each time over a new connection."
deviations = []
sources = []
criteria = ["p90<=5s"]
pace = { kind = "closed", time = { draw = "exponential", mean = "0.1s" } }

[client]
cookies = "on"

[run]
ramp = "0s"
settle = "0s"
duration = "2s"

[[scenarios]]
name = "page"
weight = 1
limit = "5s"
steps = [{ name = "get", op = "get", path = "/" }]
"""


class Guests(ThreadingHTTPServer):
    """A server that notes the addresses of each user, whom it knows by a cookie."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Page)
        self.seen: dict[str, set[str]] = {}
        self.numbers = itertools.count(1)


class Page(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Guests

    def do_GET(self) -> None:
        cookie = self.headers["Cookie"] or f"guest={next(self.server.numbers)}"
        self.server.seen.setdefault(cookie, set()).add(self.client_address[0])
        self.send_response(200)
        self.send_header("Set-Cookie", cookie)
        self.send_header("Connection", "close")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def guests() -> Iterator[Guests]:
    with Guests() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


@pytest.mark.parametrize("agents", [(), ("--agents", "2")])
def test_each_user_has_one_address_and_all_are_used(
    headcount: Headcount, guests: Guests, tmp_path: Path, agents: tuple[str, ...]
) -> None:
    workload = tmp_path / "stay.toml"
    workload.write_text(WORKLOAD, "utf-8")
    target = f"http://127.0.0.1:{guests.server_port}"
    ended = headcount.run(
        *("run", str(workload), "--target", target, "--users", "12", "--duration", "2s"),
        *("--local-ips", "127.0.0.11-127.0.0.12,127.0.0.16/30", "--workers", "1", *agents),
    )
    assert ended.code in {0, 1}, ended
    # Headcount first checks the server once, from no address in particular.
    homes = [one for one in guests.seen.values() if one != {"127.0.0.1"}]
    assert len(homes) == 12
    assert all(len(one) == 1 for one in homes)
    found = sorted(address for one in homes for address in one)
    local = ["127.0.0.11", "127.0.0.12", "127.0.0.17", "127.0.0.18"]
    # Each agent has six users, and begins with the first address.
    each = [3, 3, 3, 3] if not agents else [4, 4, 2, 2]
    assert [found.count(address) for address in local] == each


def test_parts_are_addresses_ranges_and_networks() -> None:
    found = addresses(["10.0.0.1", "10.0.0.1-10.0.0.2", "10.0.1.0/30", "::1/128"])
    assert [str(one) for one in found] == [
        *("10.0.0.1", "10.0.0.2", "10.0.1.1", "10.0.1.2", "::1"),
    ]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ("server", "does not appear to be an IPv4 or IPv6 address"),
        ("10.0.0.9-10.0.0.1", "10.0.0.1 does not come after 10.0.0.9"),
        ("10.0.0.1-::1", "::1 does not come after 10.0.0.1"),
        ("10.0.0.1/24", "has host bits set"),
        ("10.0.0.0/8", f"names more than {MOST:,} addresses"),
        ("::-ffff::", f"names more than {MOST:,} addresses"),
    ],
)
def test_a_wrong_part_is_named(part: str, message: str) -> None:
    with pytest.raises(InputError) as raised:
        addresses([part])
    assert message in str(raised.value)


def test_addresses_of_other_machines_are_left_out() -> None:
    assert own_addresses(("192.0.2.1", "127.0.0.3")) == [ip_address("127.0.0.3")]
    assert own_addresses(()) == []
    with pytest.raises(MachineLimitError, match="has none of the addresses of --local-ips 192"):
        own_addresses(("192.0.2.1",))


def test_an_address_that_leads_nowhere_is_found_before_the_run() -> None:
    port = closed_port()
    with pytest.raises(MachineLimitError, match=rf"port {port} from 127\.0\.0\.4 "):
        check_routes(addresses(["::1", "127.0.0.4"]), [f"127.0.0.1:{port}"])


def test_addresses_of_another_family_than_the_target_are_refused() -> None:
    message = r"only IPv6 addresses, and the target has IPv4 \(127\.0\.0\.1:80\)"
    with pytest.raises(MachineLimitError, match=message):
        check_routes(addresses(["::1"]), ["127.0.0.1:80"])
    check_routes(addresses(["::1"]), [])


def test_each_address_has_local_ports_of_its_own() -> None:
    low, high = (
        int(one) for one in Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()
    )
    ports = high + 1 - low
    ensure_handles("app", 10, ["127.0.0.1"])
    two = ["127.0.0.1", "127.0.0.2"]
    with pytest.raises(MachineLimitError) as raised:
        ensure_handles("app", 2 * ports + 1, two)
    assert "local ports" in str(raised.value) or "file handles" in str(raised.value)


def test_a_folder_has_no_addresses(headcount: Headcount, tmp_path: Path) -> None:
    ended = headcount.run(
        *("run", "file-copy", "--target", f"file://{tmp_path}", "--users", "1"),
        *("--local-ips", "127.0.0.1"),
    )
    assert ended.code == 2, ended
    assert "local_ips needs a server on a network, and the target is a folder" in ended.message
