"""A shop to import from and to play against, on a port of its own."""

import threading
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from shop import shop
from werkzeug.serving import make_server


@pytest.fixture
def served() -> Iterator[Callable[[Flask], str]]:
    """Serves an application until the test is over; its address comes back."""
    servers = []

    def serve(app: Flask) -> str:
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def shop_address(served: Callable[[Flask], str]) -> str:
    return served(shop())
