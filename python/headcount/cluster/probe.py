"""Whom a Ray cluster lets in: Headcount uses none that is open to everybody."""

import os
import secrets
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from typing import Self

from headcount.errors import InputError, TargetError

_CONNECT = (
    "import ray, sys; ray.init(address=sys.argv[1], log_to_driver=False, logging_level='ERROR'); "
    "print('connected', file=sys.stderr, flush=True)"
)
_REFUSED = ("InvalidAuthToken", "Unauthenticated")
_CONNECT_S, _PROBE_S = 5.0, 30.0


def check_cluster(address: str) -> None:
    """Raise HeadcountError if no cluster answers, or it lets everybody in or refuses the token."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S):
            pass
    except (OSError, ValueError) as error:
        raise TargetError(f"no Ray cluster answers at {address}: {error}") from error
    if os.environ.get("RAY_AUTH_MODE") != "token":
        raise InputError(
            f"the Ray cluster at {address} requires a token: set RAY_AUTH_MODE=token and "
            "RAY_AUTH_TOKEN, as on its machines"
        )
    stranger = {**os.environ, "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    stranger.pop("RAY_AUTH_TOKEN_PATH", None)
    with _Probe(address, stranger) as other, _Probe(address, os.environ) as own:
        if other.is_let_in():
            raise InputError(
                f"the Ray cluster at {address} lets everybody in, so anybody can run programs on "
                "all its machines: start it with RAY_AUTH_MODE=token"
            )
        if not own.is_let_in():
            if not own.was_refused:
                raise TargetError(
                    f"the Ray cluster at {address} cannot be used from here: run headcount on its "
                    "head or another of its machines; if it has TLS, set RAY_USE_TLS=1 and its "
                    "certificates, too"
                )
            raise InputError(
                f"the Ray cluster at {address} refuses the token in RAY_AUTH_TOKEN or "
                "RAY_AUTH_TOKEN_PATH: give that of its machines"
            )


class _Probe:
    """A process that connects."""

    def __init__(self, address: str, environment: Mapping[str, str]) -> None:
        self.was_refused = False
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _CONNECT, address],
            env={**environment, "RAY_USAGE_STATS_ENABLED": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def is_let_in(self) -> bool:
        """Whether it gets a connection, and not a refusal."""
        assert self._process.stderr is not None
        output, until_s = "", time.monotonic() + _PROBE_S
        while (left_s := until_s - time.monotonic()) > 0:
            if not select.select([self._process.stderr], [], [], left_s)[0]:
                break
            data = os.read(self._process.stderr.fileno(), 1 << 16)
            output += data.decode("utf-8", "replace")
            if any(word in output for word in _REFUSED):
                self.was_refused = True
                return False
            if "connected" in output.splitlines()[-1:]:
                return True
            if not data:
                break
        return False
