"""Where `headcount pilot` looks for a server that it is given by its address."""

import socket
from typing import Any

import pytest

from headcount.cli.pilot import Which, _server


def test_a_name_leads_to_the_address_at_which_the_server_listens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    real = socket.getaddrinfo

    def answer(_host: str, port: int, *rest: Any, **more: Any) -> Any:
        return [one for ip in ("::1", "127.0.0.1") for one in real(ip, port, *rest, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", answer)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        port = address.rpartition(":")[2]
        assert _server(Which(), f"http://localhost:{port}").addresses == [address]
