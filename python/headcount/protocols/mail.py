"""Mail: IMAP, with SMTP or LMTP for what users send."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from headcount.errors import InputError
from headcount.fields.mistakes import as_mistake, read_table
from headcount.fields.model import Checked, Duration, Pattern, Switch, within
from headcount.protocols.mail_profile import Mail
from headcount.protocols.protocol import Protocol, Scheme, Table
from headcount.protocols.target import Target
from headcount.protocols.tls_keys import TlsKeys
from headcount.secret_text import holds_secret

PORTS = {"smtp": 25, "submission": 587, "smtps": 465, "lmtp": 24}
"""Schemes of servers that take mail, with their usual ports (RFC 6409, 8314, 2033)."""
DOMAIN = r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?"

MOST_TAG = 100
"""Most characters of a tag before subjects: the engine looks no further for one."""
MOST_FOOTER_BYTES = 64 << 10
"""Most bytes of a footer: a page of small print."""
OWN_OPS = frozenset(
    {
        *("search", "fetch", "send", "list", "select", "status", "noop", "check", "quota"),
        *("login-sequence", "flag", "idle", "unselect", "logout"),
    }
)
"""Operations that work on mailboxes as they are, and need none that Headcount has filled."""
FOOTER_WORDS = {"off": "none", "allowed": "any"}
"""What a footer can be besides its own text, and the engine's word for it."""


@dataclass(frozen=True)
class Post:
    """Where mail is submitted.

    Attributes:
        scheme: `smtp`, `submission` (STARTTLS and a login), `smtps` or `lmtp`.
        host: Its name or address.
        port: Its port.

    """

    scheme: str
    host: str
    port: int

    @property
    def address(self) -> str:
        """`host:port`, or `[host]:port` for IPv6."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_post(text: str) -> Post:
    """Read the address of what takes mail, such as `smtp://host` or `submission://host:587`."""
    if holds_secret(text):
        raise InputError(
            "it must not contain a user name or a password; give the users' names with --user, "
            "and the password with --password-file or HEADCOUNT_PASSWORD"
        )
    match = re.fullmatch(r"([a-z]+)://(\[[0-9a-fA-F:]+\]|[^/:@\[\]\s]+)(?::(\d+))?/?", text)
    if match is None or match[1] not in PORTS:
        raise InputError(
            f'the address "{text}" cannot be read; write it like smtp://host, '
            "submission://host:587 (STARTTLS and a login), smtps://host or lmtp://host:24"
        )
    port = int(match[3] or PORTS[match[1]])
    if not 0 < port < 65536:
        raise InputError(f'the address "{text}": the port must be from 1 to 65535')
    return Post(match[1], match[2].strip("[]"), port)


def _post(text: str) -> str:
    if text:
        with as_mistake():
            parse_post(text)
    return text


def _domain(text: str) -> str:
    if text and not re.fullmatch(DOMAIN, text):
        raise ValueError(f'it is "{text}"; write the domain alone, like example.org')
    return text


def _destinations(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    found: dict[str, float] = {}
    for part in value.split(",") if value.strip() else []:
        domain, _, weight = part.strip().partition("=")
        if not re.fullmatch(DOMAIN, domain) or not re.fullmatch(r"\d*\.?\d+|", weight):
            raise ValueError(
                f'it holds "{part.strip()}"; write domains, with weights if they differ, like '
                "one.example=2, two.example=1"
            )
        found[domain] = float(weight or 1)
    return found


def _tag(text: str) -> str:
    if len(text) > MOST_TAG or not (text.isascii() and text.isprintable()):
        raise ValueError(
            f'it is "{text[:MOST_TAG]}"; write what stands before the subject, like [EXTERNAL], in '
            f"at most {MOST_TAG} characters of ASCII"
        )
    return text.strip()


def _footer(text: str) -> str:
    if not text.strip() or len(text.encode()) > MOST_FOOTER_BYTES:
        raise ValueError(
            "write off, allowed, or the footer's own text in at most "
            f"{MOST_FOOTER_BYTES // 1024} KiB"
        )
    return text


class MailClient(TlsKeys):
    """The names of users of a mail server, and how they speak to it."""

    user: Pattern = Field(
        default="u{n:05}",
        min_length=1,
        description="Users' addresses before the @; {n} is the user's number",
    )
    domain: Annotated[str, AfterValidator(_domain)] = Field(
        default="", description="Users' addresses after the @"
    )
    login: Pattern = Field(default="", description="Names for the logon, if they differ")
    first_user: int = Field(default=0, ge=0, le=10_000_000, description="Number of the first user")
    auth: Literal["plain", "login", "command"] = Field(
        default="plain", description="AUTHENTICATE PLAIN or LOGIN, or the command LOGIN"
    )
    starttls: Switch = Field(default=False, description="Whether imap:// starts TLS with STARTTLS")
    clear_password: Switch = Field(
        default=False, description="Whether the password may go to other machines without TLS"
    )
    smtp: Annotated[str, AfterValidator(_post)] = Field(
        default="", description="Where users send mail; smtp:// on the target's host by default"
    )
    verify: Checked = Field(
        default=1.0, description="Share of the messages read whose contents are checked"
    )
    subject_tag: Annotated[str, AfterValidator(_tag)] = Field(
        default="", description="What a gateway puts before subjects by rule, like [EXTERNAL]"
    )
    footer: Annotated[str, AfterValidator(_footer)] = Field(
        default="off",
        description="What a gateway appends to texts by rule: allowed (anything), or the text",
    )
    rev2: Switch = Field(
        default=True, description="Whether to use IMAP4rev2 where the server offers it"
    )
    delivery_limit: Annotated[Duration, within("1s", "1h")] = Field(
        default="60s", description="Mail that takes longer to arrive counts as lost"
    )
    destinations: Annotated[dict[str, float], BeforeValidator(_destinations)] = Field(
        default_factory=dict, description="Domains of other servers that mail goes to"
    )

    def marks_form(self) -> dict[str, Any]:
        """What a gateway adds to mail, as the engine has it."""
        word = FOOTER_WORDS.get(self.footer.strip().lower())
        return {"subject_tag": self.subject_tag, "footer": word or {"text": self.footer}}


def mail_client(given: Mapping[str, str]) -> MailClient:
    """The `[client]` table of a plan for mail; raises InputError with every mistake in it."""
    return read_table(MailClient, given, "[client]")


def _fits(target: Target, given: Mapping[str, str], _server: Mapping[str, str]) -> None:
    if target.lab is None and not mail_client(given).domain:
        raise InputError(
            f"{target.text} needs the domain of its users' addresses, such as --client "
            "domain=example.org"
        )


def _others(given: Mapping[str, str]) -> list[tuple[str, int]]:
    smtp = mail_client(given).smtp
    post = parse_post(smtp) if smtp else None
    return [(post.host, post.port)] if post else []


PROTOCOL = Protocol(
    name="mail",
    form="imap://host",
    schemes={"imap": Scheme(143), "imaps": Scheme(993, is_tls=True)},  # RFC 8314
    labs={"mail": "headcount.lab.mail:MailServer"},
    access="headcount.controller.access.mail",
    usual_workload="mail-medium",
    client=mail_client,
    fits=_fits,
    tables={"mail": Table(Mail, "Profile of a mail user")},
    needed=(frozenset({"mail"}),),
    own_ops=OWN_OPS,
    handles=2,  # the mailbox, and while mail is sent what takes it
    has_logins=True,
    log_on="all",
    others=_others,
)
