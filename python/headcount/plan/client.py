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
    """The names of users of an SMB server, and how they speak to it."""

    user: Pattern = Field(
        default="user{n:05}",
        min_length=1,
        description="Names of the users; {n} is the user's number",
    )
    domain: str = Field(default="", description="Domain of the users, if any")
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    folder: Annotated[str, AfterValidator(_folder)] = Field(
        default="headcount\\user{n:05}",
        description="Each user's folder, inside a folder that only Headcount uses",
    )
    shares: int = Field(
        default=0, ge=0, le=1_000_000, description="How many shares the target's pattern stands for"
    )
    dialects: Annotated[list[Dialect], BeforeValidator(_words)] = Field(
        default=["2.1", "3.0.2", "3.1.1"], min_length=1, description="Dialects to offer"
    )
    signing: Policy = Field(default="offered", description="Whether to sign messages")
    algorithms: Annotated[list[Algorithm], BeforeValidator(_words)] = Field(
        default=["aes-gmac", "aes-cmac", "hmac-sha256"],
        min_length=1,
        description="Signing algorithms of 3.1.1, preferred first",
    )
    encryption: Policy = Field(default="offered", description="Whether to encrypt messages")
    verify: Switch = Field(default=True, description="Whether to check the data read")


def smb_client(given: Mapping[str, str]) -> SmbClient:
    """The `[client]` table of a plan for SMB; raises InputError with every mistake in it."""
    return _client(SmbClient, given)


def http_client(given: Mapping[str, str]) -> HttpClient:
    """The `[client]` table of a plan for HTTP; raises InputError with every mistake in it."""
    client = _client(HttpClient, given)
    if client.http2 and not client.keep_alive:
        raise InputError(
            "[client] has http2 = on and keep_alive = off, but HTTP/2 keeps its connections; "
            "remove one of them (if the workload has keep_alive = off: --client keep_alive=on)"
        )
    return client


def _client(model: type[T], given: Mapping[str, str]) -> T:
    try:
        return model.model_validate(dict(given))
    except ValidationError as error:
        raise InputError(describe(error, model, "[client]")) from error


class FilesClient(Strict):
    """The names of users of a folder, and how the engine makes their system calls."""

    folder: Annotated[str, AfterValidator(_folder)] = Field(
        default="headcount\\user{n:05}",
        description="Each user's folder, inside a folder that only Headcount uses",
    )
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    mode: Literal["buffered", "direct", "dsync"] = Field(
        default="buffered",
        description="Through the page cache, past it, or synced with every write",
    )
    engine: Literal["auto", "io_uring", "threads"] = Field(
        default="auto", description="How to issue reads and writes"
    )
    threads: int = Field(default=128, ge=1, le=4096, description="Most calls in threads at a time")
    verify: Switch = Field(default=True, description="Whether to check the data read")


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
            "[client] has root_certificates, which only sslmode = verify-full uses; set that "
            "(--client sslmode=verify-full), or remove root_certificates"
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
                f"{target.text} needs the domain of its users' addresses, such as --client "
                "domain=example.org"
            )
        return
    if target.protocol != "smb":
        if given:
            raise InputError(
                f'the protocol "{target.protocol}" has no [client] keys (--client, --user)'
            )
        return
    smb = smb_client(given)
    there = server.get("shares", "1")
    if target.lab is not None and "shares" in given and given["shares"] != there:
        raise InputError(
            f"[client] has {given['shares']} shares and [server] has {there}; on a lab server "
            "--shares sets both"
        )
    if target.lab is None and smb.shares > 1 and "{n" not in (target.share or ""):
        raise InputError(
            f"{smb.shares} shares need a target with a pattern of their names, such as "
            f"smb://server/home{{n:05}}; it is {target.text}"
        )
