"""A Redis server as a target."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcount import _engine
from headcount.analyse.failures import explained_message
from headcount.controller.access.access import NOTHING, Prepared, Progress
from headcount.controller.access.protection import clear_warnings
from headcount.controller.access.secrets import Secrets
from headcount.counters.source import Source
from headcount.counters.views import View, ViewSource, redis
from headcount.errors import InputError, TargetError
from headcount.lab.redis import RedisServer
from headcount.plan.plan import Plan
from headcount.protocols.redis import EACH, Keys, redis_client
from headcount.protocols.target import Target

UNREACHED = ("no connection", "no answer", "closed the connection")
"""The engine's message about a server that was never reached."""


@dataclass(frozen=True)
class Store:
    """Where the keys are, and the credentials for them.

    Attributes:
        address: `host:port`; a name if TLS is used, because certificates are for names.
        at: The address of that name, as `ip:port`; empty if there is none.
        database: The number of the database.
        is_tls: Whether the address asks for TLS.
        password: The password of all users, if the server asks for one.
        logins: Names and passwords of users, if each has its own.
        authority: The certificate to trust instead of this machine's own.
        source: The server's own counters, if it reports any.

    """

    address: str
    at: tuple[str, ...] = ()
    database: int = 0
    is_tls: bool = False
    password: str | None = field(default=None, repr=False)
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)
    authority: Path | None = None
    source: Source | None = None


class RedisAccess:
    """The keys of a Redis server."""

    pid: int | None = None  # INFO reports the one in its own namespace

    def __init__(self, plan: Plan, store: Store, warnings: Sequence[str] = ()) -> None:
        """Log on.

        Raises TargetError if nobody answers, InputError if the user is refused.
        """
        keys = plan.workload.table(Keys)
        if keys is None:
            raise InputError(f'the workload "{plan.workload.name}" has no [keys]')
        self._store = store
        self.warnings = warnings
        self._ready = False
        self._target = json.dumps(_target(plan, store, keys.scaled(plan.scale)))
        hello = self._hello()
        self.programs: Mapping[str, str] = {"redis": hello["version"]}
        self.settings: Mapping[str, str] = {
            "database": str(store.database),
            "TLS": hello["tls"] or "off",
            **dict(hello["settings"]),
        }

    def _hello(self) -> dict[str, Any]:
        try:
            hello: dict[str, Any] = json.loads(_engine.hello("redis", self._target))
        except TargetError as error:
            message, address = str(error), self._store.address
            where = "" if address in message else f"{address}: "
            if not any(words in message for words in UNREACHED):
                raise TargetError(f"{where}{explained_message(message)}") from error
            raise TargetError(
                f"{where}{message}; check that Redis is running there, on this port, that it "
                "listens on this address (bind, protected-mode), and that no firewall blocks this "
                "machine"
            ) from error
        except InputError as error:
            raise InputError(
                f"{str(error).removesuffix('.')}; give the password with --password-file or "
                "HEADCOUNT_PASSWORD, and a user of the access list with --user"
            ) from error
        return hello

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Write the keys; existing ones are only checked with `verify`."""
        if self._ready and not verify:
            return NOTHING

        def progress(text: str) -> None:
            far = json.loads(text)
            on_progress(users * far["keys_done"] // max(far["keys"], 1), users)

        made = json.loads(
            _engine.prepare("redis", self._target, 0, users - 1, progress, verify),
        )
        self._ready = True
        if not made["made_keys"]:
            return Prepared(0, users, 0)
        return Prepared(users, 0, made["written_bytes"])

    def check(self) -> None:
        """Log on again."""
        _engine.hello("redis", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Delete the keys of the data set."""
        del on_progress  # it takes a moment
        cleaned = json.loads(_engine.cleanup("redis", self._target, 0, 0, lambda _: None))
        self._ready = False
        if not cleaned["found"]:
            return "there was no data set of Headcount's"
        return f"deleted {cleaned['keys']:,} keys"

    def engine_target(self) -> str:
        """Address, credentials, terms, and the keys."""
        return self._target

    def source(self) -> Source | None:
        """The figures of a lab server; those of others are found as views."""
        return self._store.source


def _target(plan: Plan, store: Store, keys: Keys) -> dict[str, Any]:
    client = redis_client(plan.client)
    values = client.engine_form()
    if store.authority is not None and client.verify_certificates == "on":
        values["verify_certificates"] = str(store.authority)
    return {
        **values,
        "address": store.address,
        "at": store.at,
        "tls": store.is_tls or client.tls,
        "password": store.password,
        "logins": store.logins,
        "database": store.database,
        "data_set": keys.engine_form(),
    }


def of_lab(plan: Plan, server: RedisServer) -> RedisAccess:
    """The lab's Redis."""
    source = None
    if server.authority is None:  # its view is read without TLS
        view = View("Redis INFO", server.address, redis.reader(server.address))
        source = ViewSource([view])
    is_tls = server.authority is not None
    store = Store(server.address, is_tls=is_tls, authority=server.authority, source=source)
    return RedisAccess(plan, store)


def of_target(plan: Plan, target: Target, secrets: Secrets) -> RedisAccess:
    """A Redis server that the user names."""
    host = target.host or ""
    named = f"[{host}]:{target.port}" if ":" in host else f"{host}:{target.port}"
    client = redis_client(plan.client)
    if client.user == EACH and not secrets.logins:
        raise InputError(
            "a user of the access list has no {n} in its name; to have each log on as a user of "
            "its own, give --logins FILE"
        )
    is_tls = target.is_tls or client.tls
    where = named if is_tls else target.addresses[0]
    at = target.addresses if is_tls else ()
    database = int(target.database or "0")
    warnings = clear_warnings(
        target.text,
        target.addresses,
        is_tls=is_tls or not (secrets.password or secrets.logins),
        is_allowed=client.clear_password,
        remedy="use rediss:// or --client tls=on",
    )
    store = Store(where, at, database, is_tls, secrets.password, secrets.logins)
    return RedisAccess(plan, store, warnings)
