"""A WSGI application, served on a free port of this machine."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from werkzeug.serving import WSGIRequestHandler, make_server

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication


class Quiet(WSGIRequestHandler):
    """A handler that writes no log, and keeps connections."""

    protocol_version = "HTTP/1.1"

    def log(self, *_arguments: object) -> None:
        """Log nothing."""


@contextmanager
def served(application: "WSGIApplication", tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve the application, in clear or with TLS; gives its address."""
    server = make_server(
        "127.0.0.1", 0, application, threaded=True, request_handler=Quiet, ssl_context=tls
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
