"""A mail server as a target: IMAP to read, SMTP or LMTP to send."""

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headcount import _engine
from headcount.analyse.failures import cause_of, explained_message
from headcount.controller.access.access import (
    NO_TLS,
    NOTHING,
    Make,
    Prepared,
    Progress,
    count_text,
)
from headcount.controller.access.protection import clear_warnings
from headcount.controller.access.secrets import Secrets
from headcount.counters.mail import MailSource
from headcount.counters.source import Source
from headcount.errors import InputError, TargetError
from headcount.fields.units import seconds
from headcount.lab.mail import MailServer
from headcount.plan.gate import is_loopback, with_port
from headcount.plan.plan import Plan
from headcount.protocols.mail import Post, mail_client, parse_post
from headcount.protocols.target import Target

UNREACHED = ("no connection", "no answer", "closed the connection")
"""The engine's message about a server that was never reached."""
STUCK = "it did not get past "
"""Its message about a server that answers too slowly, or no more."""
SECURITY = {"smtp": "none", "submission": "starttls", "smtps": "implicit", "lmtp": "none"}
"""When TLS begins on the connection that submits mail."""
LOGINS = (": LOGIN:", ": AUTHENTICATE:")
"""How the engine reports a user whom the server refused."""
TOGETHER = 50
"""Mailboxes that are emptied before the next ones are looked for."""
RUN_BITS = 53
"""Range of run numbers: two runs hardly ever share one, and JSON holds them exactly."""


@dataclass(frozen=True)
class Office:
    """Where users read and submit mail.

    Attributes:
        imap: Where the mailboxes are, as `host:port`.
        imap_security: When TLS begins there: `none`, `starttls` or `implicit`.
        post: Where mail is submitted.
        imap_at: The address of the host of `imap`, as `ip:port`, if known.
        post_at: The same for `post`.
        domain: The domain of the users' addresses.
        password: The password of all users.
        logins: Names and passwords of users, if each has its own.
        user: The part before the @ in their addresses, with `{n}` for their number.
        login: The names they log on with, if they differ.
        authority: The certificate to trust instead of this machine's own.
        destinations: Domains of other servers, with their weights.
        source: The server's own counters, if it reports any.

    """

    imap: str
    imap_security: str
    post: Post
    domain: str
    user: str
    login: str = ""
    password: str = field(default="", repr=False)
    logins: Sequence[tuple[str, str]] = field(default=(), repr=False)
    authority: Path | None = None
    destinations: Mapping[str, float] = field(default_factory=dict)
    source: Source | None = None
    imap_at: tuple[str, ...] = ()
    post_at: tuple[str, ...] = ()


def target_office(plan: Plan, target: Target, known: Secrets) -> Office:
    """A mail server that the user names, as the plan describes it."""
    client = mail_client(plan.client)
    host = target.host or ""
    if client.smtp:
        post = parse_post(client.smtp)
        post_at = target.others[post.host, post.port]
    else:
        post = Post("smtp", host, 25)
        post_at = tuple(with_port(address, post.port) for address in target.addresses)
    security = "implicit" if target.is_tls else "starttls" if client.starttls else "none"
    # Certificates are for names, so with TLS the engine gets a name.
    named = f"[{host}]:{target.port}" if ":" in host else f"{host}:{target.port}"
    return Office(
        imap=target.addresses[0] if security == "none" else named,
        imap_at=target.addresses,
        post_at=post_at,
        imap_security=security,
        post=post,
        domain=client.domain,
        user=client.user,
        login=client.login,
        password=known.password or "",
        logins=known.logins,
        destinations=client.destinations,
    )


def lab_office(plan: Plan, server: MailServer) -> Office:
    """The lab's mail server: over TLS if the plan says STARTTLS, past the front if it says LMTP."""
    client = mail_client(plan.client)
    wants_lmtp = client.smtp.startswith("lmtp")
    host, _, port = (server.lmtp if wants_lmtp else server.front).rpartition(":")
    post = Post("lmtp" if wants_lmtp else server.language, host, int(port))
    return Office(
        imap=server.address,
        imap_security="starttls" if client.starttls else "none",
        post=post,
        domain=server.domain,
        user=server.user,
        password=server.password,
        authority=server.authority,
        destinations=dict.fromkeys(server.destinations, 1.0),
        source=MailSource(server.stats, server.queue_length, server.arrivals, master=server.master),
    )


class MailAccess:
    """The mailboxes of a mail server, and where mail for them is submitted."""

    programs: Mapping[str, str] = {}
    pid: int | None = None

    def __init__(self, plan: Plan, office: Office, warnings: Sequence[str] = ()) -> None:
        """Log on as the first user, and greet the server that takes mail.

        Raises TargetError if nobody answers, InputError if the user is refused.
        """
        self._office = office
        self.warnings = warnings
        self._ready = 0
        self._has_data_set = plan.mail is not None
        self.make: Make = _engine.prepare
        self._target = _target(plan, office)
        hello = self._hello()
        settings = {
            "IMAP server": hello["imap_greeting"],
            "IMAP offers": ", ".join(hello["imap_offers"]),
            "IMAP TLS": office.imap_security,
            "mail is handed in by": f"{office.post.scheme} to {office.post.address}",
            "there answers": hello["send_greeting"] or "",
            "destinations": ", ".join(office.destinations),
        }
        self.settings: Mapping[str, str] = {key: value for key, value in settings.items() if value}

    def _hello(self) -> dict[str, Any]:
        try:
            with _with_advice():
                hello: dict[str, Any] = json.loads(_engine.hello("mail", self._target))
        except TargetError as error:
            message = str(error)
            if NO_TLS in message:
                raise TargetError(explained_message(message, "connect")) from error
            if not any(words in message for words in UNREACHED):
                raise TargetError(explained_message(message)) from error
            if STUCK in message:
                raise TargetError(
                    f"{message}; the server lets this machine connect, but does not go on: look at "
                    "its log, and check that this is the right port (--client smtp=... names the "
                    "server that takes mail)"
                ) from error
            named = (self._office.imap, self._office.post.address)
            where = "" if any(each in message for each in named) else f"{self._office.imap}: "
            raise TargetError(
                f"{where}{message}; check that a mail server is running there, on this port, and "
                "that no firewall blocks this machine (--client smtp=... names "
                "the server that takes mail)"
            ) from error
        return hello

    def prepare(self, users: int, on_progress: Progress, *, verify: bool = False) -> Prepared:
        """Fill the users' mailboxes; existing ones are reset to their initial state.

        With `verify` their messages are read, and mailboxes that differ are filled again.
        """
        if not self._has_data_set or (users <= self._ready and not verify):
            return NOTHING
        first = 0 if verify else self._ready

        def progress(text: str) -> None:
            on_progress(first + json.loads(text)["users_done"], users)

        with _with_advice():
            done = self.make("mail", self._target, first, users - 1, progress, verify)
        made = json.loads(done)
        if made["written_bytes"] and is_loopback((self._office.imap_at or (self._office.imap,))[0]):
            os.sync()  # otherwise writing these messages out would slow the first level down
        self._ready = users
        return Prepared(made["created"], first + made["kept"], made["written_bytes"])

    def check(self) -> None:
        """Log on again."""
        _engine.hello("mail", self._target)

    def cleanup(self, on_progress: Progress) -> str:
        """Empty the mailboxes that bear Headcount's marker, and no others.

        Their number is unknown: it continues until several users in a row have none, or do not
        exist.
        """
        first = users = messages = 0
        while there := self._existing_users(first):

            def progress(text: str, first: int = first, there: int = there) -> None:
                on_progress(first + json.loads(text)["users_done"], first + there)

            last = first + there - 1
            cleaned = json.loads(_engine.cleanup("mail", self._target, first, last, progress))
            users += cleaned["users"]
            messages += cleaned["messages"]
            first += there
            if there < TOGETHER or not cleaned["users"]:
                break
        self._ready = 0
        if not users:
            return "there is no mailbox of Headcount's"
        return f"deleted {count_text(messages, 'message')} of {count_text(users, 'user')}"

    def _existing_users(self, first: int) -> int:
        """How many of the next users can log on.

        Checked before any mailbox is emptied: otherwise one user who does not exist would abort the
        batch, with some of its mailboxes emptied and some not.
        """
        if self._can_log_on(first + TOGETHER - 1):
            return TOGETHER
        exist, do_not = 0, TOGETHER - 1
        while exist < do_not:
            half = (exist + do_not) // 2
            if self._can_log_on(first + half):
                exist = half + 1
            else:
                do_not = half
        return exist

    def _can_log_on(self, user: int) -> bool:
        options = json.loads(self._target)
        options["first_user"] += user
        try:
            _engine.hello("mail", json.dumps(options))
        except InputError:
            return False
        return True

    def engine_target(self) -> str:
        """Addresses, credentials, terms, and what users are."""
        return self._target

    def source(self) -> Source | None:
        """The figures of a lab server; others have only those of their machine."""
        return self._office.source


@contextmanager
def _with_advice() -> Iterator[None]:
    """Add what to check if the server refuses users."""
    try:
        yield
    except InputError as error:
        if cause_of("login", str(error)).cause == "tls":
            raise InputError(explained_message(str(error), "login")) from error
        if not any(words in str(error) for words in LOGINS):
            raise
        raise InputError(
            f"{str(error).removesuffix('.')}; check that all users exist and have this password "
            "(--client user=..., --password-file; for lab:mail --set users=...)"
        ) from error


def _target(plan: Plan, office: Office) -> str:
    client = mail_client(plan.client)
    mail = plan.mail
    tls = client.tls_form()
    if office.authority is not None and client.verify_certificates == "on":
        tls["verify_certificates"] = str(office.authority)
    post = office.post
    imap = {
        "address": office.imap,
        "at": office.imap_at,
        "security": office.imap_security,
        **tls,
    }
    server = {
        "address": post.address,
        "at": office.post_at,
        "security": SECURITY[post.scheme],
        **tls,
    }
    return json.dumps(
        {
            "imap": imap,
            "send": {
                "server": server,
                "language": "lmtp" if post.scheme == "lmtp" else "smtp",
                "authenticate": post.scheme in ("submission", "smtps"),
            },
            "user": office.login or office.user,
            "address": _address(office),
            "password": office.password,
            "logins": office.logins,
            "authentication": client.auth,
            "rev2": client.rev2,
            "first_user": client.first_user,
            "run": secrets.randbits(RUN_BITS),
            "verify": client.verify,
            "marks": client.marks_form(),
            "lost_after_s": seconds(client.delivery_limit),
            "profile": mail.engine_form(dict(office.destinations)) if mail else {},
        }
    )


def _address(office: Office) -> str:
    """The pattern of the users' addresses; names from a file may be whole addresses."""
    is_whole = any("@" in name for name, _ in office.logins)
    return office.user if is_whole else f"{office.user}@{office.domain}"


def of_lab(plan: Plan, server: MailServer) -> MailAccess:
    """The lab's mail server."""
    return MailAccess(plan, lab_office(plan, server))


def of_target(plan: Plan, target: Target, secrets: Secrets) -> MailAccess:
    """A mail server that the user names."""
    if secrets.password is None and not secrets.logins:
        raise InputError(f"{plan.target} needs the password of its users")
    office = target_office(plan, target, secrets)
    warnings = clear_warnings(
        target.text,
        target.addresses,
        is_tls=office.imap_security != "none",
        is_allowed=mail_client(plan.client).clear_password,
        remedy="use imaps:// or --client starttls=on",
    )
    return MailAccess(plan, office, warnings)
