"""SQL: PostgreSQL's databases."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal
from urllib.parse import unquote

from pydantic import AfterValidator, Field

from headcount.errors import InputError
from headcount.fields.mistakes import read_table
from headcount.fields.model import Switch
from headcount.protocols.discussion import Discussion
from headcount.protocols.protocol import Protocol, Scheme, Table
from headcount.protocols.target import Place
from headcount.protocols.tls_keys import IdentityKeys

METHODS = ("password", "md5", "scram-sha-256", "none")
"""How a server may authenticate users: the words of libpq's `require_auth` that the engine knows
(`Method` of crates/sql)."""


EACH = "{n}"
"""The pattern of roles if each user has their own."""
VERIFYING = ("verify-ca", "verify-full")
"""The values of `sslmode` that check certificates."""


def _methods(text: str) -> str:
    words = [word.strip() for word in text.split(",")]
    if not set(words) <= set(METHODS):
        known = f"{', '.join(METHODS[:-1])} or {METHODS[-1]}"
        raise ValueError(
            f'it is "{text}"; it can be {known}, or several of them, separated by commas'
        )
    return ",".join(words)


class SqlClient(IdentityKeys):
    """How users log on to a database and speak to it. Each has a connection."""

    user: str = Field(
        default="headcount",
        pattern=r"^(\{n\}|[^{}\x00]{1,63})$",
        description="Role with which all users log on, and which owns the schema",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    sslmode: Literal["auto", "disable", "prefer", "require", "verify-ca", "verify-full"] = Field(
        default="auto",
        description="Whether to encrypt connections, as in libpq; auto requires it for a password "
        "that leaves this machine",
    )
    require_auth: Annotated[str, AfterValidator(_methods)] = Field(
        default="scram-sha-256,none",
        description="How the server may ask who the user is, as in libpq",
    )
    channel_binding: Literal["disable", "prefer", "require"] = Field(
        default="prefer",
        description="Whether the proof of the password is bound to the server's certificate, as in "
        "libpq",
    )
    statements: Literal["auto", "prepared", "unnamed"] = Field(
        default="auto",
        description="How statements are sent: prepared once in a session, or in one round trip "
        "each; auto is unnamed behind a pooler",
    )
    root_certificates: str = Field(
        default="",
        description="PEM file with the certificate or authority that verify-full and -ca trust",
    )
    verify: Switch = Field(default=True, description="Whether to check the data read")

    def engine_form(self) -> dict[str, Any]:
        """The options as the engine reads them, without the server."""
        values = self.model_dump(exclude={"root_certificates", "certificate", "key"})
        values |= self.identity_form()
        roots = self.root_certificates
        if self.statements == "auto":
            values["statements"] = "prepared"  # unless a pooler was seen
        return values | ({"root_certificates": roots} if roots else {})


def sql_client(given: Mapping[str, str]) -> SqlClient:
    """The `[client]` table of a plan for SQL; raises InputError with every mistake in it."""
    client = read_table(SqlClient, given, "[client]")
    if client.root_certificates and client.sslmode not in VERIFYING:
        raise InputError(
            "[client] has root_certificates, which only sslmode = verify-full and verify-ca use; "
            "set that (--client sslmode=verify-full), or remove root_certificates"
        )
    if client.channel_binding == "require" and client.sslmode == "disable":
        raise InputError(
            "[client] has channel_binding = require, which needs TLS, and sslmode = disable, which "
            "never uses it; set another sslmode, or channel_binding=prefer"
        )
    return client


def _place(text: str, path: str, _form: str) -> Place:
    """The name as the server has it: addresses escape some characters, as %20."""
    name = unquote(path)
    if not name or "/" in path or "?" in path or "\0" in name or len(name.encode()) > 63:
        raise InputError(
            f'the target "{text}" must name one database, as in postgresql://server/shop; '
            "sslmode and similar options are keys of [client] (--client sslmode=require)"
        )
    return Place(database=name)


PROTOCOL = Protocol(
    name="sql",
    form="postgresql://host/database",
    schemes={"postgresql": Scheme(5432)},  # PostgreSQL 15, 20.3
    labs={
        "postgresql": "headcount.lab.postgresql:PostgresqlServer",
        "ha-postgresql": "headcount.lab.ha_postgresql:HaPostgresqlServer",
    },
    access="headcount.controller.access.sql",
    ledger="headcount.failover.ledger.sql:SqlStore",
    usual_workload="notes-discussion",
    place=_place,
    client=sql_client,
    tables={"discussion": Table(Discussion, "Documents and people in a database")},
    needed=(frozenset({"discussion"}),),
    own_ops=frozenset({"sql", "copy"}),
    has_logins=True,
    is_clean=True,
    has_transactions=True,
)
