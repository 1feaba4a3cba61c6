"""`lab:mail`: a real mail server of this machine's Dovecot and Postfix, on loopback ports.

Dovecot keeps the mailboxes, for IMAP; users send through a front. Everybody has one password.
"""

import os
import secrets
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.lab import certificate, dovecot_files, mail_settings, port, postfix_files, setting
from headcount.lab.dovecot import Dovecot
from headcount.lab.front import Front
from headcount.lab.kept import Kept
from headcount.lab.postfix import Postfix
from headcount.lab.sink import Sink
from headcount.lab.stock import dovecot as stock_dovecot
from headcount.lab.stock import postfix as stock_postfix

PASSWORD_BYTES = 24
"""Random bytes: half as many would be unguessable already."""


class MailServer(Kept):
    """A mail server in the lab, running.

    Attributes:
        address: Where it speaks IMAP, and STARTTLS if it has TLS.
        implicit_tls: Where it speaks IMAP over TLS from the first byte; None without TLS.
        front: Where users submit what they send.
        language: The protocol there: `smtp`, or `lmtp`.
        lmtp: Where mail is delivered directly, past the front.
        domain: That of the users' addresses.
        destinations: Domains of the other servers that take mail.
        user: The pattern of user names; there are no others than `users` of them, from 0.
        users: How many there are.
        password: That of all of them, new with each start. It is in no command line, setting or
            message, but in a file in the home that only Dovecot can read.
        authority: The certificate that users must trust; None without TLS.
        stats: The socket with Dovecot's metrics.
        master: The socket that lists the processes of its services.

    """

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("mail", mail_settings.MAIL, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        complete = setting.complete("mail", mail_settings.MAIL, settings)
        if complete["front"] == "auto":
            complete["front"] = "postfix" if os.geteuid() == 0 else "headcount"
        mail_settings.check(complete)
        is_stock = complete["profile"] == setting.STOCK
        with_postfix = is_stock and complete["front"] == "postfix"
        self.settings: Mapping[str, str] = {
            **complete,
            **(stock_dovecot.STOCK.disclosed if is_stock else {}),
            **(stock_postfix.STOCK.disclosed if with_postfix else {}),
        }
        self.user, self.users = dovecot_files.USER, int(complete["users"])
        self.password = secrets.token_urlsafe(PASSWORD_BYTES)
        self.domain = postfix_files.DOMAIN
        with ExitStack() as parts:
            dovecot = Dovecot(complete, self.password)
            parts.callback(dovecot.stop)
            numbered = range(1, int(complete.get("destinations", "0")) + 1)
            self.destinations = [f"dest{number}.{self.domain}" for number in numbered]
            self._sinks: dict[str, Sink] = {}
            self._postfix: Postfix | None = None
            self._own: Front | None = None
            if complete["front"] == "headcount":
                self._own = Front(f"{port.host()}:{dovecot.lmtp}", self.destinations)
                parts.callback(self._own.stop)
            if complete["front"] == "postfix":
                for domain in self.destinations:
                    sink = Sink()
                    parts.callback(sink.stop)
                    self._sinks[domain] = sink
                numbers = {domain: sink.number for domain, sink in self._sinks.items()}
                self._postfix = Postfix(complete, dovecot, numbers)
                parts.callback(self._postfix.stop)
            self._parts = parts.pop_all()
        self._set_addresses(dovecot)

    def _set_addresses(self, dovecot: Dovecot) -> None:
        """Keep the addresses of everything."""
        self.home = dovecot.home
        self.logs: Mapping[str, Path] = {"dovecot": dovecot.home / dovecot_files.LOG}
        if self._postfix is not None:
            self.logs = {**self.logs, "postfix": self._postfix.home / "log"}
        self.address = f"{port.host()}:{dovecot.imap}"
        self.implicit_tls = f"{port.host()}:{dovecot.imaps}" if dovecot.imaps else None
        self.authority: Path | None = None
        if dovecot.imaps:
            self.authority = dovecot.home / certificate.AUTHORITY
        self.lmtp = f"{port.host()}:{dovecot.lmtp}"
        self.front, self.language = self.lmtp, "lmtp"
        self.stats, self.master = dovecot.stats, dovecot.master
        self.programs: Mapping[str, str] = {"dovecot": dovecot.version}
        self.pids = [dovecot.pid]
        self.server = dovecot.server
        if self._postfix is not None:
            self.front, self.language = f"{port.host()}:{self._postfix.smtp}", "smtp"
            self.programs = {**self.programs, "postfix": self._postfix.version}
            self.pids.append(self._postfix.pid)
        if self._own is not None:
            self.front, self.language = self._own.address, "smtp"
            self.programs = {**self.programs, "headcount SMTP front": self._own.version}
            self.pids.append(self._own.pid)

    def queue_length(self) -> int | None:
        """Messages that the front has taken and not delivered; None if it has no queue."""
        return self._postfix.queue_length() if self._postfix is not None else None

    def arrivals(self) -> dict[str, int]:
        """Messages that have arrived at each of the other destinations, by domain."""
        if self._own is not None:
            return self._own.arrivals()
        return {domain: sink.arrivals() for domain, sink in self._sinks.items()}

    def stop(self) -> None:
        """End it and delete all mail; safe to call twice."""
        self._parts.close()
