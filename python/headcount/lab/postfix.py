"""Postfix of this machine, private and on loopback: takes what users of `lab:mail` send."""

import os
import pwd
import smtplib
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import port, postfix_files, process
from headcount.lab.dovecot import Dovecot
from headcount.lab.home import Home, open_base
from headcount.lab.installed import Packages, command_output, find
from headcount.lab.kept import KeptServer
from headcount.lab.setting import STOCK
from headcount.lab.stock import postfix as stock

PACKAGES = Packages("postfix", "postfix")
ADVICE = PACKAGES.advice("lab:mail with front = postfix needs Postfix") + "; or give front=lmtp"
WAITING = ("maildrop", "incoming", "active", "deferred")
"""Folders of the queue with undelivered messages (qmgr(8))."""
PASSABLE = 0o755
MOST_LOG = 2000
"""How many characters of the log an error quotes."""


class Postfix:
    """Postfix, running.

    Attributes:
        pid: Its master.
        home: The folder of all its files.
        smtp: Port of SMTP.

    """

    def __init__(
        self, settings: Mapping[str, str], dovecot: Dovecot, sinks: Mapping[str, int]
    ) -> None:
        """Start it in front of Dovecot; raises SystemLimitError if that fails."""
        if os.geteuid() != 0:
            raise SystemLimitError(
                "only root can start Postfix (front = postfix): use --set front=lmtp, or run "
                "Headcount as root on a machine of your own"
            )
        self._settings, self._dovecot, self._sinks = settings, dovecot, sinks
        self._commands = Path(program()).parent
        self._daemons = command_output(
            [str(self._commands / "postconf"), "-dh", "daemon_directory"]
        )
        self.version = command_output([str(self._commands / "postconf"), "-dh", "mail_version"])
        self._parts = port.started("Postfix", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        self.smtp = port.free()
        home = Home("postfix", open_base())
        parts.callback(home.delete)
        self.home = home.path.absolute()
        configuration = self.home / "etc"
        try:
            owner = pwd.getpwnam("postfix")
            self.home.chmod(PASSABLE)  # its processes run as several users
            for folder in ("etc", "queue", "data"):
                (self.home / folder).mkdir(PASSABLE)
            os.chown(self.home / "data", owner.pw_uid, owner.pw_gid)
            numbers = (self.smtp, self._dovecot.lmtp)
            programs = (str(self._commands), self._daemons)
            keys = self._dovecot.home
            if self._settings["profile"] == STOCK:
                self._write_stock()
            else:
                postfix_files.write(self.home, numbers, self._sinks, self._settings, programs, keys)
        except KeyError as error:
            raise SystemLimitError(
                "Postfix needs the users postfix and postdrop, which its package makes, and this "
                f"machine does not have ({error}); install the package again, or give front=lmtp"
            ) from error
        except OSError as error:
            raise SystemLimitError(
                f"cannot write the server's files in {self.home}: {error.strerror}; choose another "
                "folder: XDG_CACHE_HOME=/some/folder headcount run ..."
            ) from error
        self._check(configuration)
        command = [f"{self._daemons}/master", "-d", "-c", str(configuration)]
        server = KeptServer(command, self.home, "Postfix")
        parts.callback(server.stop)
        self.pid = server.server_pid
        if not server.got_port(self.smtp, self.home / "log"):
            return False
        self._greet()
        return True

    def _write_stock(self) -> None:
        """Write Debian's files; raises OSError, and MachineLimitError for shipped files."""
        fields = {"host": port.host(), "port": str(self.smtp), "lmtp": str(self._dovecot.lmtp)}
        fields |= {"domain": postfix_files.DOMAIN, "keys": str(self._dovecot.home)}
        stock.write(self.home, fields)
        postfix_files.write_recipients(self.home, self._settings)
        etc = str(self.home / "etc")
        command_output([str(self._commands / "postalias"), "-c", etc, f"hash:{etc}/aliases"])

    def _check(self, configuration: Path) -> None:
        """Make Postfix create its queue; raises SystemLimitError with its complaint."""
        try:
            command_output([str(self._commands / "postfix"), "-c", str(configuration), "check"])
        except SystemLimitError as error:
            raise SystemLimitError(f"{error}; Postfix's log: {self._log_excerpt()}") from error

    def _log_excerpt(self) -> str:
        """The beginning of its log."""
        log = self.home / "log"
        text = log.read_text("utf-8", errors="replace") if log.exists() else ""
        return text.strip()[:MOST_LOG] or "nothing"

    def _greet(self) -> None:
        """Greet it; raises SystemLimitError if that does not work."""
        try:
            with smtplib.SMTP(port.host(), self.smtp, timeout=process.START_S) as session:
                session.ehlo_or_helo_if_needed()
        except (OSError, smtplib.SMTPException) as error:
            raise SystemLimitError(
                f"Postfix listens but does not answer: {error}; its log: {self._log_excerpt()}"
            ) from error

    def queue_length(self) -> int:
        """Messages that it has accepted and not delivered."""
        return queue_length(self.home / "queue")

    def stop(self) -> None:
        """End it and delete its queue; safe to call twice."""
        self._parts.close()


def queue_length(queue: Path) -> int:
    """Undelivered messages in a queue: a file each, some in nested folders."""
    return sum(
        len(files)
        for name in WAITING
        for _, _, files in os.walk(queue / name)  # files that have just been deleted are skipped
    )


def program() -> str:
    """The path of Postfix's command; raises NotInstalledError."""
    return find("postfix", ADVICE)
