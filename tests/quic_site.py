"""A server of HTTP/3 (aioquic, which mitmproxy brings) that writes down what it was sent."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headcount.lab import certificate, port
from processes import wait_for

PYTHON = Path(__file__).parent.parent / ".tools" / "mitmproxy" / "bin" / "python"
PROGRAM = """\
import asyncio, hashlib, json, pathlib, sys
from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated, StreamDataReceived

folder, port = pathlib.Path(sys.argv[1]), int(sys.argv[2])

class Answering(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http, self.heads, self.bodies = None, {}, {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        for one in self.http.handle_event(event) if self.http else ():
            if isinstance(one, HeadersReceived):
                self.heads[one.stream_id] = dict(one.headers)
                self.bodies[one.stream_id] = []
            elif isinstance(one, DataReceived):
                self.bodies[one.stream_id].append(one.data)
        # A frame of no known type may be the last, of which aioquic makes no event.
        if isinstance(event, StreamDataReceived) and event.end_stream:
            if event.stream_id in self.heads:
                self.answer(event.stream_id)

    def answer(self, stream):
        head, body = self.heads.pop(stream), b"".join(self.bodies.pop(stream))
        length = head.get(b"content-length")
        entry = {
            "path": head[b":path"].decode(),
            "length": length.decode() if length else None,
            "sha256": hashlib.sha256(body).hexdigest(),
            "bytes": len(body),
        }
        with (folder / "seen.ndjson").open("a") as log:
            log.write(json.dumps(entry) + "\\n")
        self.http.send_headers(stream, [(b":status", b"201")])
        self.http.send_data(stream, b"", True)
        self.transmit()

async def main():
    configuration = QuicConfiguration(is_client=False, alpn_protocols=["h3"])
    configuration.load_cert_chain(folder / "CERTIFICATE", folder / "KEY")
    await serve("127.0.0.1", port, configuration=configuration, create_protocol=Answering)
    (folder / "ready").touch()
    await asyncio.Future()

asyncio.run(main())
""".replace("CERTIFICATE", certificate.CERTIFICATE).replace("KEY", certificate.KEY)


class QuicSite:
    """One that runs."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder = folder
        self.url = f"https://localhost:{number}/"

    @property
    def trust(self) -> tuple[str, ...]:
        """The options that speak HTTP/3 and trust its certificate, which is for an address."""
        authority = self.folder / certificate.AUTHORITY
        keys = ("http3=on", f"verify_certificates={authority}", "verify_name=off")
        return tuple(word for key in keys for word in ("--client", key))

    def seen(self) -> list[dict[str, Any]]:
        """What it was sent, in order."""
        lines = (self.folder / "seen.ndjson").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


@contextmanager
def served(folder: Path) -> Iterator[QuicSite]:
    """Run one in `folder`."""
    folder.mkdir()
    certificate.make(folder)
    number = port.free()
    command = [str(PYTHON), "-c", PROGRAM, str(folder), str(number)]
    with (
        (folder / "out").open("wb") as out,
        subprocess.Popen(command, stdout=out, stderr=out) as process,
    ):
        try:
            wait_for(lambda: process.poll() is not None or (folder / "ready").exists())
            assert process.poll() is None, (folder / "out").read_text("utf-8")
            yield QuicSite(folder, number)
        finally:
            process.terminate()
            process.wait()
