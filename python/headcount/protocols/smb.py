"""SMB: shares of file servers."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from headcount.errors import InputError
from headcount.fields.mistakes import read_table
from headcount.fields.model import Pattern, Strict, Switch
from headcount.fields.pattern import NUMBER
from headcount.protocols.folders import FAMILY, NEEDED, TABLES, Folder, is_own_step
from headcount.protocols.protocol import Protocol, Scheme
from headcount.protocols.target import Place, Target

NAME = r"[^/\\\[\]:|<>+=;,*?\"{}\x00-\x1f]*"
SHARE = rf"(?! )(?=.){NAME}(?:{NUMBER}{NAME})?(?<! )"
"""Names of shares: what Windows does not forbid (MS-FSCC 2.1.6), without braces but those of one
number, and no spaces around them."""


def _words(value: Any) -> Any:
    return [word.strip() for word in value.split(",")] if isinstance(value, str) else value


Dialect = Literal["2.1", "3.0.2", "3.1.1"]
Algorithm = Literal["aes-gmac", "aes-cmac", "hmac-sha256"]
Policy = Literal["off", "offered", "required"]


class SmbClient(Strict):
    """The names of users of an SMB server, and how they speak to it."""

    user: Pattern = Field(
        default="user{n:05}",
        min_length=1,
        description="Names of the users; {n} is the user's number",
    )
    domain: str = Field(default="", description="Domain of the users, if any")
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    folder: Folder = Field(
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
    durable: Switch = Field(
        default=False,
        description="Whether users ask for durable handles and come back after a lost connection",
    )


def smb_client(given: Mapping[str, str]) -> SmbClient:
    """The `[client]` table of a plan for SMB; raises InputError with every mistake in it."""
    return read_table(SmbClient, given, "[client]")


def _fits(target: Target, given: Mapping[str, str], server: Mapping[str, str]) -> None:
    there = server.get("shares", "1")
    if target.lab is not None and "shares" in given and given["shares"] != there:
        raise InputError(
            f"[client] has {given['shares']} shares and [server] has {there}; on a lab server "
            "--shares sets both"
        )
    shares = smb_client(given).shares
    if target.lab is None and shares > 1 and "{n" not in (target.share or ""):
        raise InputError(
            f"{shares} shares need a target with a pattern of their names, such as "
            f"smb://server/home{{n:05}}; it is {target.text}"
        )


def _place(text: str, path: str, _form: str) -> Place:
    share = path.rstrip("/")
    if not re.fullmatch(SHARE, share):
        raise InputError(
            f'the target "{text}" must name one share, as in smb://server/data (or a pattern of '
            "shares: smb://server/home{n:05}); Headcount creates its own folder in it"
        )
    return Place(share=share)


PROTOCOL = Protocol(
    name="smb",
    form="smb://host/share",
    schemes={"smb": Scheme(445)},  # MS-SMB2 2.1
    labs={
        "samba": "headcount.lab.samba:SambaServer",
        "ha-file": "headcount.lab.ha_file:HaFileServer",
    },
    access="headcount.controller.access.smb",
    usual_workload="home-folders",
    place=_place,
    client=smb_client,
    fits=_fits,
    family=FAMILY,
    tables=TABLES,
    needed=NEEDED,
    is_own_step=is_own_step,
    has_logins=True,
    log_on="all",
    ledger="headcount.failover.ledger.smb:SmbStore",
)
