"""Who the virtual users are and how the engine speaks the protocol: the plan's `[client]` table."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from headcount.errors import InputError
from headcount.plan.fields import Pattern, Strict, Switch
from headcount.plan.mail_client import MailClient
from headcount.plan.mistakes import as_mistake, describe
from headcount.plan.pair import split_settings
from headcount.plan.pattern import check_folder
from headcount.plan.sql import SqlClient
from headcount.plan.target import Target
from headcount.plan.web import HttpClient


def _words(value: Any) -> Any:
    return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


def _folder(text: str) -> str:
    with as_mistake():
        check_folder(text)
    return text


Dialect = Literal["2.1", "3.0.2", "3.1.1"]
Algorithm = Literal["aes-gmac", "aes-cmac", "hmac-sha256"]
Policy = Literal["off", "offered", "required"]


T = TypeVar("T", bound=Strict)


class SmbClient(Strict):
    """How users of an SMB server are called, and how they speak to it."""

    user: Pattern = Field(
        default="user{n:05}", min_length=1, description="Users: {n} is their number"
    )
    domain: str = Field(default="", description="Their domain, if they have one")
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first")
    folder: Annotated[str, AfterValidator(_folder)] = Field(
        default="headcount\\user{n:05}",
        description="Each user's folder, in a folder that is Headcount's alone",
    )
    shares: int = Field(
        default=0, ge=0, le=1_000_000, description="Shares that a pattern of shares stands for"
    )
    dialects: Annotated[list[Dialect], BeforeValidator(_words)] = Field(
        default=["2.1", "3.0.2", "3.1.1"], min_length=1, description="Dialects offered"
    )
    signing: Policy = Field(default="offered", description="Whether messages are signed")
    algorithms: Annotated[list[Algorithm], BeforeValidator(_words)] = Field(
        default=["aes-gmac", "aes-cmac", "hmac-sha256"],
        min_length=1,
        description="How they are signed in 3.1.1, most wanted first",
    )
    encryption: Policy = Field(default="offered", description="Whether messages are encrypted")
    verify: Switch = Field(default=True, description="Whether data read is checked")


def smb_client(given: Mapping[str, str]) -> SmbClient:
    """The `[client]` table of a plan for SMB; raises InputError with every mistake in it."""
    return _client(SmbClient, given)


def http_client(given: Mapping[str, str]) -> HttpClient:
    """The `[client]` table of a plan for HTTP; raises InputError with every mistake in it."""
    client = _client(HttpClient, given)
    if client.http2 and not client.keep_alive:
        raise InputError(
            "[client] has http2 = on and keep_alive = off, and HTTP/2 keeps its connections; "
            "leave one of them out (a workload may have keep_alive = off: --client keep_alive=on)"
        )
    return client


def _client(model: type[T], given: Mapping[str, str]) -> T:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(describe(error, model, "[client]")) from error


class FilesClient(Strict):
    """How users of a folder are called, and how the engine makes their system calls."""

    folder: Annotated[str, AfterValidator(_folder)] = Field(
        default="headcount\\user{n:05}",
        description="Each user's folder, in a folder that is Headcount's alone",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first")
    mode: Literal["buffered", "direct", "dsync"] = Field(
        default="buffered", description="Through the page cache, past it, or on disk at once"
    )
    engine: Literal["auto", "io_uring", "threads"] = Field(
        default="auto", description="How reads and writes are made"
    )
    threads: int = Field(
        default=128, ge=1, le=4096, description="Calls that may be under way in threads at a time"
    )
    verify: Switch = Field(default=True, description="Whether data read is checked")


def files_client(given: Mapping[str, str]) -> FilesClient:
    """The `[client]` table of a plan for files; raises InputError with every mistake in it."""
    return _client(FilesClient, given)


def mail_client(given: Mapping[str, str]) -> MailClient:
    """The `[client]` table of a plan for mail; raises InputError with every mistake in it."""
    return _client(MailClient, given)


def sql_client(given: Mapping[str, str]) -> SqlClient:
    """The `[client]` table of a plan for SQL; raises InputError with every mistake in it."""
    client = _client(SqlClient, given)
    if client.root_certificates and client.sslmode != "verify-full":
        raise InputError(
            "[client] has root_certificates, which are looked at with sslmode = verify-full only; "
            "set that (--client sslmode=verify-full), or leave them out"
        )
    return client


READERS: Mapping[str, Callable[[Mapping[str, str]], Strict]] = {
    "http": http_client,
    "files": files_client,
    "mail": mail_client,
    "sql": sql_client,
}
"""Who reads the table, of protocols whose table stands for itself."""


def check_client(target: Target, given: Mapping[str, str], server: Mapping[str, str]) -> None:
    """Raise InputError if the table does not fit the target, or the `[server]` of the lab."""
    if target.both is not None:
        second = target.both[1].protocol
        clients, servers = split_settings(given, second), split_settings(server, second)
        for one, its_client, its_server in zip(target.both, clients, servers, strict=True):
            check_client(one, its_client, its_server)
        return
    if target.protocol in READERS:
        client = READERS[target.protocol](given)
        if isinstance(client, MailClient) and not client.domain and target.lab is None:
            raise InputError(
                f"{target.text} needs the domain of its users' addresses: --client "
                "domain=example.org"
            )
        return
    if target.protocol != "smb":
        if given:
            raise InputError(
                f'[client] (--client, --user) has no keys for the protocol "{target.protocol}"'
            )
        return
    smb = smb_client(given)
    there = server.get("shares", "1")
    if target.lab is not None and "shares" in given and given["shares"] != there:
        raise InputError(
            f"[client] has {given['shares']} shares and [server] has {there}; for a server of the "
            "lab --shares sets both"
        )
    if target.lab is None and smb.shares > 1 and "{n" not in (target.share or ""):
        raise InputError(
            f"{smb.shares} shares need a pattern of their names in the target, such as "
            f"smb://server/home{{n:05}}; it is {target.text}"
        )
