"""A real Caddy that a test owns: it speaks HTTP/1.1, HTTP/2 and HTTP/3 before a site."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from headcount.lab import certificate, port
from processes import wait_for

CONFIGURATION = """
{
  admin off
  auto_https off
  servers {
    protocols PROTOCOLS
  }
}
https://localhost:PORT {
  tls CERTIFICATE KEY
  log {
    output file LOG
    format json
  }
  reverse_proxy SITE
}
"""


@dataclass(frozen=True, slots=True)
class Caddy:
    """One that runs."""

    folder: Path
    port: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"https://localhost:{self.port}/"

    @property
    def trust(self) -> tuple[str, ...]:
        """The options that trust its certificate, which is for an address."""
        authority = self.folder / certificate.AUTHORITY
        return ("--client", f"verify_certificates={authority}", "--client", "verify_name=off")

    def requests(self) -> list[tuple[str, str, int]]:
        """Version of HTTP, path and status of all requests that it has logged."""
        lines = (self.folder / "access.log").read_text("utf-8").splitlines()
        entries = [json.loads(line) for line in lines]
        return [(it["request"]["proto"], it["request"]["uri"], it["status"]) for it in entries]


@contextmanager
def before(site: str, folder: Path, protocols: str = "h1 h2 h3") -> Iterator[Caddy]:
    """Run one in `folder` before the site at this address; it speaks these protocols."""
    folder.mkdir()
    certificate.make(folder)
    number = port.free()
    text = CONFIGURATION
    for word, value in {
        "PROTOCOLS": protocols,
        "PORT": str(number),
        "CERTIFICATE": str(folder / certificate.CERTIFICATE),
        "KEY": str(folder / certificate.KEY),
        "LOG": str(folder / "access.log"),
        "SITE": site.removeprefix("http://").rstrip("/"),
    }.items():
        text = text.replace(word, value)
    configuration = folder / "Caddyfile"
    configuration.write_text(text, "utf-8")
    command = ["/usr/bin/caddy", "run", "--config", str(configuration), "--adapter", "caddyfile"]
    homes = {name: str(folder) for name in ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME")}
    with subprocess.Popen(
        command, env=os.environ | homes, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            wait_for(lambda: port.answers(number))
            yield Caddy(folder, number)
        finally:
            process.terminate()
            process.wait()
