"""An SMB server as a target."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headcount import _engine
from headcount.analyse.failures import explained_message
from headcount.controller.access.access import (
    ALL_OWN,
    NOTHING,
    Make,
    Prepared,
    Progress,
    cleanup_text,
)
from headcount.controller.access.played import target_with_program
from headcount.controller.access.secrets import Secrets
from headcount.counters.samba import SambaSource
from headcount.counters.source import Source
from headcount.errors import InputError, TargetError
from headcount.lab.samba import SambaServer
from headcount.plan.gate import is_loopback
from headcount.plan.plan import Plan
from headcount.protocols.smb import smb_client
from headcount.protocols.target import Target

WRONG_LOGON = ("STATUS_LOGON_FAILURE", "STATUS_WRONG_PASSWORD", "STATUS_NO_SUCH_USER")
"""How a server reports an unknown user or a wrong password."""
UNREACHED = ("no connection", "no answer", "closed the connection")
"""The engine's message about a server that was never reached."""

DISAGREED = "do not agree with its negotiation"
"""Its message about a server that does not confirm the dialect; a closed connection is no clue."""


@dataclass(frozen=True)
class Place:
    """Where the users' files are, and who they are."""

    address: str
    share: str
    shares: int
    user: str
    password: str = field(repr=False)
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)
    """Names and passwords of users, if each has its own."""
    status: Sequence[str] = ()
    """The command that asks the server for its figures, if there is one."""
    most_processes: int = 0
    """Processes that it may have, one for each client; 0 for no limit."""


def _shares(place: Place) -> str:
    return str(place.shares or ("one for each user" if "{n" in place.share else 1))


class SmbAccess:
    """The shares of an SMB server."""

    programs: Mapping[str, str] = {}
    pid: int | None = None

    def __init__(self, plan: Plan, place: Place) -> None:
        """Log on as the first user.

        Raises TargetError if nobody answers, InputError if the user is refused.
        """
        client = smb_client(plan.client)
        self._program = plan.workload.program
        self._place = place
        self._address = place.address
        self._ready = 0
        self._has_data_set = plan.data_set is not None
        self.make: Make = _engine.prepare
        self._target = json.dumps(
            {
                "address": place.address,
                "share": place.share,
                "shares": place.shares,
                "user": place.user,
                "domain": client.domain,
                "password": place.password,
                "logins": place.logins,
                "first_user": client.first_user,
                "folder": client.folder,
                "dialects": client.dialects,
                "signing": client.signing,
                "algorithms": client.algorithms,
                "encryption": client.encryption,
                "verify": client.verify,
                "durable": client.durable,
                **({"data_set": plan.data_set} if self._has_data_set else {}),
            }
        )
        hello = self._hello()
        self.settings: Mapping[str, str] = {
            "SMB dialect": hello["dialect"],
            "SMB signing": hello["signing"],
            "SMB encryption": hello["encryption"],
            "SMB largest read": f"{hello['max_read_bytes']} bytes",
            "SMB largest write": f"{hello['max_write_bytes']} bytes",
            "share": place.share,
            "shares": _shares(place),
        }

    def _hello(self) -> dict[str, Any]:
        """Log on as the first user and ask for the terms."""
        try:
            hello: dict[str, Any] = json.loads(_engine.hello("smb", self._target))
        except TargetError as error:
            message = str(error)
            if DISAGREED in message:
                raise
            if not any(words in message for words in UNREACHED):
                raise TargetError(explained_message(message)) from error
            where = "" if self._address in message else f"{self._address}: "
            raise TargetError(
                f"{where}{message}; check that a file server is running there, on this port, and "
                "that no firewall blocks this machine"
            ) from error
        except InputError as error:
            message = str(error)
            if not any(words in message for words in WRONG_LOGON):
                raise
            raise InputError(
                f"{message}; give the users' names with --user (now {self._place.user}) and the "
                "password that all of them have with --password-file or HEADCOUNT_PASSWORD"
            ) from error
        return hello

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Make the users' folders and files; existing ones are only checked.

        With `verify` they are read, and damaged ones are re-created.
        """
        if not self._has_data_set or (users <= self._ready and not verify):
            return NOTHING
        first = 0 if verify else self._ready

        def progress(text: str) -> None:
            on_progress(first + json.loads(text)["users_done"], users)

        done = self.make("smb", self._target, first, users - 1, progress, verify)
        made = json.loads(done)
        if made["written_bytes"] and is_loopback(self._address):
            # Otherwise writing these pages out would slow the first level down.
            os.sync()
        self._ready = users
        return Prepared(made["created"], first + made["kept"], made["written_bytes"])

    def check(self) -> None:
        """Log on again."""
        _engine.hello("smb", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the data set on every share, each user's files under the user's own name."""
        if not self._has_data_set:
            return ALL_OWN

        def progress(text: str) -> None:
            how_far = json.loads(text)
            on_progress(how_far["users_done"], how_far["users"])

        cleaned = json.loads(_engine.cleanup("smb", self._target, 0, 0, progress))
        self._ready = 0
        return cleanup_text(cleaned)

    def engine_target(self) -> str:
        """Address, credentials, terms, data set, and the program if there is one."""
        return target_with_program(self._target, self._program)

    def source(self) -> Source | None:
        """The figures of a lab server; others have only those of their machine."""
        place = self._place
        return SambaSource(place.status, most=place.most_processes) if place.status else None


def of_lab(plan: Plan, server: SambaServer) -> SmbAccess:
    """The lab's file server, which every name can log on to."""
    user = smb_client(plan.client).user
    where = (server.address, server.share, server.shares)
    most = int(server.settings.get("max_processes", "0"))
    place = Place(*where, user, server.password, status=server.status, most_processes=most)
    return SmbAccess(plan, place)


def of_target(plan: Plan, target: Target, secrets: Secrets) -> SmbAccess:
    """A file server that the user names."""
    if target.share is None or (secrets.password is None and not secrets.logins):
        raise InputError(f"{plan.target} needs a share and the password of its users")
    client = smb_client(plan.client)
    place = Place(
        target.addresses[0],
        target.share,
        client.shares,
        client.user,
        secrets.password or "",
        secrets.logins,
    )
    return SmbAccess(plan, place)
