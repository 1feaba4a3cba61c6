"""An nginx before a web server of a test."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import own_nginx
from headcount.lab import port
from processes import wait_for

PATIENCE_S = 20.0
BEHIND = """
proxy_pass {behind};
proxy_buffering off;
proxy_http_version 1.1;
proxy_set_header Connection "";
"""


@contextlib.contextmanager
def proxied(behind: str, *, http2: bool = False) -> Iterator[str]:
    """nginx, which hands everything on as it comes; gives its address."""
    with tempfile.TemporaryDirectory() as name:
        folder, web = Path(name), port.free()
        listen = f"{web} http2" if http2 else web
        command = own_nginx.command(folder, listen, BEHIND.format(behind=behind.rstrip("/")))
        with subprocess.Popen(command) as process:
            try:
                wait_for(lambda: process.poll() is not None or port.answers(web))
                assert process.poll() is None, (folder / "log").read_text("utf-8")
                yield f"http://127.0.0.1:{web}/"
            finally:
                process.terminate()
                process.wait(PATIENCE_S)
