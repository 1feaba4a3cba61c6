"""A real mail server that a test owns and Headcount is pointed at, and what its disk holds."""

import contextlib
import email
import email.message
import os
import re
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from headcount.lab import keeper
from headcount.lab.mail import MailServer
from headcount.protocols.registry import start_lab
from processes import Headcount, wait_for

MEMORY, ROOM_BYTES = Path("/dev/shm"), 1 << 30  # noqa: S108 - a folder of its own is made in it
"""Where mail is kept, if there is room. Dovecot writes each message out before it answers: on a
disk that others use, that would be most of what a test takes. Tests of disks name theirs."""
DELIVERED = re.compile(r"lmtp\((u\d+)\).*msgid=<([^>]+)>: saved mail to INBOX")
"""What Dovecot's log says of each delivery."""


@dataclass(frozen=True)
class Letter:
    """A message on the disk, or one that was sent.

    Attributes:
        id: Its Message-ID, without brackets.
        run: The run that made it; empty if Headcount did not.
        to: The users it is for.
        sent_s: When it was made, since 1970; 0 if Headcount did not.
        path: Where it is.

    """

    id: str
    run: str
    to: tuple[str, ...]
    sent_s: float
    path: Path


class MailOffice:
    """The lab's mail server, and what its owner sees of it."""

    def __init__(self, server: MailServer) -> None:
        """Keep what is needed to look at it."""
        self.server = server
        self.password = server.password
        self._home = server.stats.parent.parent

    @property
    def target(self) -> tuple[str, ...]:
        """The server as Headcount's target, with where it takes mail."""
        return self.target_by(f"{self.server.language}://{self.server.front}")

    def target_by(self, post: str) -> tuple[str, ...]:
        """The server as Headcount's target, with mail sent elsewhere."""
        client = ("--client", f"domain={self.server.domain}", "--client", f"smtp={post}")
        return ("--target", f"imap://{self.server.address}", *client)

    def maildir(self, user: int) -> Path:
        """The mailbox of a user, if there is one."""
        found = list(self._home.glob(f"mail/*/u{user:05}/mail"))
        return found[0] if found else self._home / "mail" / "none"

    def letters(self, user: int, folder: str = "") -> list[Letter]:
        """The messages of a user's folder, the inbox if none is named, as they are on the disk."""
        box = self.maildir(user) / (f".{folder}" if folder else "")
        return [_letter(path) for part in ("cur", "new") for path in sorted(box.glob(f"{part}/*"))]

    def mailbox(self, user: int) -> dict[str, bytes]:
        """All messages of a user, by folder and file, without the flags in the file's name."""
        box = self.maildir(user)
        paths = [path for path in box.rglob("*") if path.parent.name in ("cur", "new")]
        return {
            f"{path.parent.parent.name}/{path.name.partition(':')[0]}": path.read_bytes()
            for path in paths
        }

    def delivered(self) -> Counter[tuple[str, str]]:
        """How often each message was delivered to each user, as Dovecot's log has it."""
        wait_for(lambda: not self.server.queue_length())
        log = (self._home / "log" / "info").read_text("utf-8")
        return Counter((found[2], found[1]) for found in DELIVERED.finditer(log))

    def dovecot(self) -> list[int]:
        """The processes of Dovecot."""
        master = self.server.pids[0]
        return sorted({master, *keeper.descendants(master)})


@contextlib.contextmanager
def serving(disk: Path | None = None, **settings: str) -> Iterator[MailOffice]:
    """A mail server with empty mailboxes, as long as it is needed, on a disk that may be chosen."""
    with tempfile.TemporaryDirectory(dir=_memory()) as cache, pytest.MonkeyPatch.context() as patch:
        Path(cache).chmod(0o711)  # Dovecot may run as another user
        patch.setenv("XDG_CACHE_HOME", str(disk or cache))
        server = start_lab("mail", {"users": "400", "client_limit": "200", **settings})
        assert isinstance(server, MailServer)
        try:
            yield MailOffice(server)
        finally:
            server.stop()


def _memory() -> Path | None:
    """A file system in memory with room for the mail of a test, None without one."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free >= ROOM_BYTES
    return MEMORY if roomy else None


@contextlib.contextmanager
def open_home() -> Iterator[Headcount]:
    """Headcount with caches in which Dovecot, maybe as another user, can have its files."""
    with tempfile.TemporaryDirectory() as home:
        Path(home).chmod(0o711)
        command = Headcount(Path(home))
        try:
            yield command
        finally:
            command.close()


@contextlib.contextmanager
def visitor(home: Path, office: MailOffice) -> Iterator[Headcount]:
    """Headcount with the password of an office's users."""
    command = Headcount(home)
    command.environment["HEADCOUNT_PASSWORD"] = office.password
    try:
        yield command
    finally:
        command.close()


def _letter(path: Path) -> Letter:
    message = email.message_from_bytes(path.read_bytes())
    stamp = dict(re.findall(r"(\w+)=(\S+)", message["X-Headcount"] or ""))
    to = tuple(re.findall(r"[\w.-]+(?=@)", message["To"] or ""))
    sent_s = int(stamp.get("sent", "0")) / 1e6
    return Letter(message["Message-ID"].strip("<>"), stamp.get("run", ""), to, sent_s, path)
