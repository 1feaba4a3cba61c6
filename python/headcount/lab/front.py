"""Headcount's own front of `lab:mail`, for users who may not start Postfix: only root may."""

import json
import smtplib
import sys
from collections.abc import Sequence

from headcount import __version__
from headcount.lab import port
from headcount.lab.process import ServerProcess

PATIENCE_S = 2.0
"""Longest wait for its counts."""


class Front:
    """`headcount serve smtp` in front of Dovecot's LMTP, running.

    Attributes:
        address: Where users submit mail, by SMTP.
        pid: Its process.
        version: That of Headcount.

    """

    def __init__(self, lmtp: str, destinations: Sequence[str]) -> None:
        """Start it; mail for the destinations' domains is counted and dropped.

        Raises SystemLimitError if it cannot be started.
        """
        options = {
            "listen": f"{port.host()}:0",
            "lmtp": lmtp,
            "routes": [f"{domain}=count" for domain in destinations],
        }
        command = [sys.executable, "-m", "headcount.own_server", "smtp", json.dumps(options)]
        self._destinations = list(destinations)
        self._process = ServerProcess(command)
        self.address: str = json.loads(self._process.ready_line("{"))["address"]
        self.pid = self._process.pid
        self.version = __version__

    def arrivals(self) -> dict[str, int]:
        """Messages that have arrived for each of the destinations, by domain.

        Raises OSError if the front does not answer.
        """
        if not self._destinations:
            return {}
        host, _, port = self.address.rpartition(":")
        try:
            with smtplib.SMTP(host, int(port), timeout=PATIENCE_S) as client:
                _, answer = client.docmd("XCOUNT")
        except smtplib.SMTPException as error:
            raise OSError(str(error)) from error
        delivered = json.loads(answer)["delivered"]  # without domains that got no mail
        return {
            domain: int(delivered[domain]["messages"]) if domain in delivered else 0
            for domain in self._destinations
        }

    def stop(self) -> None:
        """End it; safe to call twice."""
        self._process.stop()
