"""A proxy that records what a browser asks of a target: mitmproxy's `mitmdump`, as a child."""

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import SplitResult

from headcount.errors import InputError, SystemLimitError
from headcount.foreign.file import content
from headcount.importers.recorded_bodies import add_bodies

INSTALL = "uv tool install mitmproxy"
USUAL_PORTS = {"http": 80, "https": 443}
MOST_AUTHORITY_BYTES = 1 << 20
"""A file of all authorities that a system trusts has a fifth of that."""
STOP_S = 30.0
"""Longest wait for the recording to be written."""
ADDON = Path(__file__).with_name("proxy_addon.py")


def program() -> str:
    """The path of mitmdump; raises SystemLimitError if it is not installed."""
    own = Path(sys.executable).with_name("mitmdump")
    found = shutil.which("mitmdump") or (str(own) if own.exists() else None)
    if found is None:
        raise SystemLimitError(
            f"recording needs mitmproxy, which is not installed here; install it: {INSTALL} "
            "(or pipx install mitmproxy), then repeat the command"
        )
    return found


def check_port(host: str, port: int) -> None:
    """Raise InputError if the proxy cannot listen."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((host, port))
    except OSError as error:
        raise InputError(
            f"cannot listen on {host}:{port}: {error.strerror}; choose another port, such as "
            f"--port {port + 1}"
        ) from error


def check_authority(file: str) -> None:
    """Raise InputError if the file has no certificate."""
    text = content(Path(file), MOST_AUTHORITY_BYTES, what=f"--verify-certificates {file}")
    if b"-----BEGIN CERTIFICATE-----" not in text:
        raise InputError(
            f"--verify-certificates {file} has no certificate; give the authority's as a PEM file"
        )


@dataclass(frozen=True, slots=True)
class Place:
    """Where the proxy listens."""

    host: str
    port: int

    @property
    def text(self) -> str:
        """The address, as people write it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_everywhere(self) -> bool:
        """Whether it listens at all addresses of this machine."""
        return self.host in ("0.0.0.0", "::")  # noqa: S104

    @property
    def here(self) -> str:
        """The address for programs of this machine."""
        return Place("127.0.0.1", self.port).text if self.is_everywhere else self.text


class RecordingProxy:
    """A running proxy; leaving the block ends it and writes the recording.

    Attributes:
        place: Where it listens.

    """

    def __init__(
        self, target: SplitResult, place: Place, har: Path, trust: bool | str = True
    ) -> None:
        """Start it; TLS traffic of other hosts than the target passes through unread.

        `trust`: whether the target's certificate must be trusted, or a file of its authorities.
        """
        self.place = place
        name = f"{target.hostname}:{target.port or USUAL_PORTS[target.scheme]}"
        options = {
            "listen_host": place.host,
            "hardump": str(har),
            "allow_hosts": f"^{re.escape(name)}$",
            "connection_strategy": "lazy",
        }
        if trust is False:
            options["ssl_insecure"] = "true"
        elif trust is not True:
            options["ssl_verify_upstream_trusted_ca"] = str(Path(trust).absolute())
        command = [program(), "--quiet", "--listen-port", str(place.port), "--scripts", str(ADDON)]
        for key, value in options.items():
            command += ["--set", f"{key}={value}"]
        self._har, self._bodies = har, har.with_suffix(".bodies")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C ends the recording, not the proxy
            env={
                **os.environ,
                "HEADCOUNT_RECORDED_HOST": name,
                "HEADCOUNT_RECORDED_BODIES": str(self._bodies),
            },
        )

    def __enter__(self) -> Self:
        """Begin the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End the proxy; it writes the recording before it ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdout.close()
        add_bodies(self._har, self._bodies)

    def events(self) -> Iterator[dict[str, Any]]:
        """What passes, as `proxy_addon` reports it, until the proxy ends.

        Raises SystemLimitError if it ended by itself.
        """
        assert self._process.stdout is not None
        texts: list[str] = []
        for line in self._process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                texts = [*texts[-5:], line.strip()]
                continue
            if isinstance(event, dict):
                yield event
        code = self._process.wait()
        reason = " ".join(texts) or "it printed nothing"
        raise SystemLimitError(
            f"mitmproxy ended by itself (exit code {code}): {reason}; "
            "try mitmdump alone, or install it again"
        )
