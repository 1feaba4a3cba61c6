"""Dovecot of this machine, private and without root: the mailboxes of `lab:mail`."""

import grp
import imaplib
import os
import smtplib
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from headcount.errors import MachineLimitError, SystemLimitError
from headcount.lab import account, certificate, dovecot_files, port, process
from headcount.lab.home import Home, is_plain, open_base
from headcount.lab.installed import NotInstalledError, Packages, command_output, find
from headcount.lab.kept import KeptServer
from headcount.lab.setting import STOCK
from headcount.lab.stock import dovecot as stock

PACKAGES = Packages("dovecot-imapd dovecot-lmtpd", "dovecot")
PASSABLE = 0o711
PARTS = ("/usr/lib/dovecot", "/usr/libexec/dovecot")
"""Where Dovecot's services are."""


class Dovecot:
    """Dovecot, running.

    Attributes:
        pid: Its master.
        home: The folder of all its files.
        imap: Port of IMAP.
        imaps: Port of IMAP over TLS; 0 without TLS.
        lmtp: Port of LMTP.
        stats: The socket with its metrics.
        master: The socket that lists the processes of its services.

    """

    def __init__(self, settings: Mapping[str, str], password: str) -> None:
        """Start it; raises SystemLimitError if that fails."""
        self._settings = settings
        self._program, self.version = program()
        self._account = account.unprivileged("Dovecot")
        self._is_stock = settings["profile"] == STOCK
        if self._is_stock and os.geteuid() != 0:
            raise SystemLimitError(
                "only root can start Dovecot as Debian ships it (profile=stock), for it changes "
                "users: leave out profile=stock, or run Headcount as root on a machine of your own"
            )
        self._parts = port.started("Dovecot", partial(self._start, password=password))

    def _start(self, parts: ExitStack, password: str) -> bool:
        """Whether it listens; False if another program has taken a port."""
        self.imap, self.lmtp, number = port.free(), port.free(), port.free()
        self.imaps = number if self._is_stock or self._settings["tls"] == "on" else 0
        home = Home("dovecot", open_base())
        parts.callback(home.delete)
        self.home = home.path.absolute()
        if not is_plain(
            self.home
        ):  # Dovecot puts its sockets at the real path, whatever its settings say
            raise SystemLimitError(
                f"lab:mail cannot keep its files in {self.home}: the path is too long, or not "
                "of plain letters; choose another folder: "
                "XDG_CACHE_HOME=/some/folder headcount run ..."
            )
        try:
            for folder in dovecot_files.FOLDERS:
                (self.home / folder).mkdir()
            dovecot_files.write_users(self.home / "users", int(self._settings["users"]), password)
            ports = (self.imap, self.imaps, self.lmtp)
            if self.imaps:
                certificate.make(self.home)
            configuration = self._write_stock() if self._is_stock else self._write_ours()
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        self.stats = self.home / dovecot_files.STATS
        self.master = self.home / dovecot_files.MASTER
        command = [self._program, "-F", "-c", str(configuration)]
        user = None if self._is_stock else self._account
        self.server = server = KeptServer(command, self.home, "Dovecot", user)
        parts.callback(server.stop)
        self.pid = server.server_pid
        used = [one for one in ports if one]
        log = self.home / dovecot_files.LOG
        try:
            if not all(server.got_port(one, log) for one in used):
                return False
        except SystemLimitError:
            if all(port.is_free(one) for one in used):
                raise
            return False
        self._greet(password, log)
        return True

    def _write_ours(self) -> Path:
        """Write the lab's configuration; raises OSError."""
        ports = (self.imap, self.imaps, self.lmtp)
        text = dovecot_files.configuration(self.home, self._account, ports, self._settings)
        (self.home / "dovecot.conf").write_text(text, "utf-8")
        self._account.own(self.home)
        return self.home / "dovecot.conf"

    def _write_stock(self) -> Path:
        """Write Debian's configuration; raises OSError, and MachineLimitError for shipped files."""
        self.home.chmod(PASSABLE)  # its processes are of several users
        self._account.own(self.home / "mail")
        account.of_package(stock.USER, "Dovecot").own(self.home / "users")
        spool = self.home / stock.SPOOL
        spool.mkdir()
        os.chown(spool, 0, grp.getgrnam(stock.GROUP).gr_gid)
        spool.chmod(stock.MODE)
        fields = {"home": str(self.home), "host": port.host()}
        fields |= {"user": self._account.user, "group": self._account.group}
        ports = {"imap": self.imap, "imaps": self.imaps, "lmtp": self.lmtp}
        fields |= {name: str(number) for name, number in ports.items()}
        stock.STOCK.write(self.home / "etc", fields)
        return self.home / "etc" / stock.MAIN

    def _greet(self, password: str, log: Path) -> None:
        """Log on, and greet LMTP; raises SystemLimitError if that does not work."""
        try:
            session = imaplib.IMAP4(port.host(), self.imap, timeout=process.START_S)
            try:
                session.login(dovecot_files.READY, password)
            finally:
                session.logout()
            with smtplib.LMTP(port.host(), self.lmtp, timeout=process.START_S) as delivery:
                delivery.ehlo_or_helo_if_needed()
        except (OSError, imaplib.IMAP4.error, smtplib.SMTPException) as error:
            logged = log.read_text("utf-8", errors="replace") if log.exists() else ""
            raise SystemLimitError(
                f"Dovecot listens but does not answer: {error}; its log: {logged.strip()[:2000]}"
            ) from error

    def stop(self) -> None:
        """End it and delete all mail; safe to call twice."""
        self._parts.close()


def program() -> tuple[str, str]:
    """The path and the version of Dovecot; raises SystemLimitError if it cannot be used."""
    advice = PACKAGES.advice("lab:mail needs Dovecot with IMAP and LMTP")
    found = find("dovecot", advice)
    if not all(any(Path(part, one).exists() for part in PARTS) for one in ("imap", "lmtp")):
        raise NotInstalledError(advice)
    version = command_output([found, "--version"]).partition(" ")[0]
    if not version.startswith("2.3."):
        raise MachineLimitError(
            f"lab:mail needs Dovecot 2.3, and this machine has {version}; use a machine "
            "with Dovecot 2.3, for example Debian 12"
        )
    return found, version
