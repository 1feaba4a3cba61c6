"""A real node_exporter on the loopback, on a port of its own, for as long as a test needs it."""

import contextlib
import subprocess
import time
import urllib.request
from collections.abc import Iterator

from headcount.lab.port import free

PROGRAM = "prometheus-node-exporter"
LONGEST_S = 20.0


class Exporter:
    """The program under way."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}/metrics"
        self.process = subprocess.Popen(
            [PROGRAM, f"--web.listen-address=127.0.0.1:{port}"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        end_s = time.monotonic() + LONGEST_S
        while time.monotonic() < end_s:
            with contextlib.suppress(OSError):
                self.text()
                return
            assert self.process.poll() is None, "node_exporter ended at once"
            time.sleep(0.05)
        raise AssertionError("node_exporter does not answer")

    def text(self) -> str:
        with urllib.request.urlopen(self.url, timeout=LONGEST_S) as answer:  # noqa: S310 - loopback
            page: str = answer.read().decode("utf-8")
            return page

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(timeout=LONGEST_S)


@contextlib.contextmanager
def exporting(port: int | None = None) -> Iterator[Exporter]:
    """A node_exporter, ended on the way out."""
    one = Exporter(port or free())
    try:
        yield one
    finally:
        one.end()
