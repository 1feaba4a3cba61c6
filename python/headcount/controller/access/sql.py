"""A database as a target."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcount import _engine
from headcount.analyse.failures import explained_message
from headcount.controller.access.access import NOTHING, Prepared, Progress
from headcount.controller.access.secrets import Secrets
from headcount.counters.postgresql import PostgresqlSource
from headcount.counters.source import Source
from headcount.errors import InputError, TargetError
from headcount.lab.ha_postgresql import HaPostgresqlServer
from headcount.lab.postgresql import PostgresqlServer
from headcount.plan.plan import Plan
from headcount.protocols.sql import EACH, VERIFYING, sql_client
from headcount.protocols.target import Target

UNREACHED = ("no connection", "no answer", "closed the connection")
"""The engine's message about a server that was never reached."""

IN_CLEAR = (
    "warning: the password travels in clear text: the server asks for it that way (require_auth "
    "allows it), and the connection has no TLS. Change it after the run, or set sslmode=require"
)


BEHIND_POOLER = ", behind a pooler"
"""The server says that the connection is with another process than the one that answers."""


@dataclass(frozen=True)
class Database:
    """A database, and the credentials for it.

    `host` is the server's name in its certificate. A lab server says which role it has and which
    authority signed its certificate; it is on this machine, whatever its address. `logins` are the
    users' roles and passwords, if each has its own.
    """

    address: str
    host: str
    name: str
    password: str | None = field(default=None, repr=False)
    user: str | None = None
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)
    authority: Path | None = None


class SqlAccess:
    """A database of PostgreSQL."""

    pid: int | None = None

    def __init__(self, plan: Plan, database: Database) -> None:
        """Log on.

        Raises TargetError if nobody answers, InputError if the role is refused or a schema with
        Headcount's name is somebody else's. A workload with the user's own statements needs no
        schema, so none is looked for.
        """
        self._database = database
        self._has_data_set = plan.discussion is not None
        self._ready = not self._has_data_set
        target = _target(plan, database)
        self._target = json.dumps(target)
        hello = self._hello()
        is_chosen = sql_client(plan.client).statements != "auto"
        if hello["is_pooled"] and not is_chosen:
            target["statements"] = "unnamed"
            self._target = json.dumps(target)
        self.programs: Mapping[str, str] = {"postgresql": hello["version"]}
        settings: dict[str, str] = {
            "database": database.name,
            "TLS": hello["tls"] or "off",
            "authentication": hello["authentication"],
            "statements": target["statements"] + (BEHIND_POOLER if hello["is_pooled"] else ""),
            **hello["settings"],
        }
        self.settings: Mapping[str, str] = settings
        is_in_clear = hello["authentication"] == "password" and not hello["tls"]
        self.warnings: Sequence[str] = (IN_CLEAR,) if is_in_clear else ()

    def _hello(self) -> dict[str, Any]:
        try:
            hello: dict[str, Any] = json.loads(_engine.hello("sql", self._target))
        except TargetError as error:
            message, address = str(error), self._database.address
            where = "" if address in message else f"{address}: "
            if not any(words in message for words in UNREACHED):
                raise TargetError(f"{where}{explained_message(message)}") from error
            raise TargetError(
                f"{where}{message}; check that PostgreSQL is running there, on this port, that it "
                "listens on this address (listen_addresses), and that no firewall blocks this "
                "machine"
            ) from error
        except InputError as error:
            message = str(error)
            raise InputError(message + _advice(message)) from error
        return hello

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Restore the rows to their state before the first run.

        All users share them, so this is done once per run. With `verify` the server computes
        checksums of all rows, and damaged ones are re-created.
        """
        if not self._has_data_set or (self._ready and not verify):
            return NOTHING

        def progress(text: str) -> None:
            far = json.loads(text)
            on_progress(users * far["rows_done"] // max(far["rows"], 1), users)

        done = json.loads(_engine.prepare("sql", self._target, 0, users - 1, progress, verify))
        self._ready = True
        if not done["made_rows"]:
            return Prepared(0, users, 0)
        return Prepared(users, 0, done["written_bytes"])

    def check(self) -> None:
        """Log on again."""
        _engine.hello("sql", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Drop Headcount's schema."""
        del on_progress  # it takes a moment
        if not self._has_data_set:
            return "the workload has only statements of your own, so there is nothing to clean up"
        cleaned = json.loads(_engine.cleanup("sql", self._target, 0, 0, lambda _: None))
        self._ready = False
        if not cleaned["found"]:
            return "there is no data set of Headcount's"
        return f"dropped the schema headcount, {cleaned['bytes'] / 1e6:,.1f} MB"

    def engine_target(self) -> str:
        """Address, role, password, terms and data set."""
        return self._target

    def source(self) -> Source | None:
        """The server's own figures, read over a session of the users' role."""
        return PostgresqlSource(self._target)


def _target(plan: Plan, database: Database) -> dict[str, Any]:
    client = sql_client(plan.client)
    target = {
        "address": database.address,
        "host": database.host,
        "database": database.name,
        "password": database.password,
        "logins": database.logins,
        **client.engine_form(),
    }
    if plan.discussion is None:
        target["has_schema"] = False
    else:
        target["data_set"] = plan.discussion.engine_form()
    if database.user is not None:
        target["user"] = database.user
        if client.sslmode == "auto":
            target["sslmode"] = "prefer"
    if database.authority is not None and client.sslmode in VERIFYING:
        target.setdefault("root_certificates", str(database.authority))
    return target


def _advice(message: str) -> str:
    """What to do about a logon that was refused, by its SQLSTATE (PostgreSQL 15, appendix A)."""
    if "28P01" in message or "28000" in message:
        return (
            "; give the role with --user and its password with --password-file or "
            "HEADCOUNT_PASSWORD, and check that pg_hba.conf allows it from here"
        )
    if "require_auth" in message:
        return (
            "; otherwise have the server use scram-sha-256 (pg_hba.conf and password_encryption; "
            "pgbouncer: auth_type)"
        )
    if "3D000" in message:
        return "; name an existing database, or create it: createdb"
    return ""


def of_lab(plan: Plan, server: PostgresqlServer | HaPostgresqlServer) -> SqlAccess:
    """The lab's database."""
    host = server.address.rpartition(":")[0]
    names = (server.address, host, server.database, server.password, server.user)
    return SqlAccess(plan, Database(*names, authority=server.authority))


def of_target(plan: Plan, target: Target, secrets: Secrets) -> SqlAccess:
    """A database that the user names."""
    host, name = target.host or "", target.database or ""
    if secrets.logins and plan.discussion is not None:
        raise InputError(
            f'the data set of "{plan.workload.name}" belongs to one role, as which all its users '
            "log on: give it with --user; --logins is for your own statements"
        )
    if sql_client(plan.client).user == EACH and not secrets.logins:
        raise InputError(
            "a role has no {n} in its name; for a role for each user give --logins FILE"
        )
    names = (target.addresses[0], host, name, secrets.password)
    database = Database(*names, logins=secrets.logins)
    return SqlAccess(plan, database)
