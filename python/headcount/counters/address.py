"""Addresses of live sources of counters."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from headcount.errors import InputError
from headcount.installed import added
from headcount.secret_text import holds_secret

FORMS = "local, http://host:port/metrics, https://host:port/metrics, ssh://user@host:port"
OWN = frozenset({"http", "https", "ssh"})
"""Schemes that no package replaces."""
_USER = re.compile(r"[\w.@\\+-]+", re.ASCII)
_HOST = re.compile(r"[\w.:%-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Address:
    """A live source's address, taken apart.

    Attributes:
        text: As it was given.
        kind: Its scheme: local, http, https, ssh or that of an installed package.
        host: The machine; empty for this one.
        port: None for the default.
        user: The user to log in as; None for the default.
        path: What to ask for, of exporters.

    """

    text: str
    kind: str
    host: str = ""
    port: int | None = None
    user: str | None = None
    path: str = ""

    @property
    def place(self) -> str:
        """The machine for people and for names of sources, with its port if that was given."""
        if self.kind == "local":
            return "local"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port is None else f"{host}:{self.port}"


def added_sources() -> Mapping[str, Callable[..., Any]]:
    """Sources of installed packages, by the scheme of addresses: functions of address and name."""
    return added("sources", "source of counters", Callable)


def parse(text: str) -> Address:
    """Parse an address; raises InputError that says what is wrong and how to write it."""
    if text == "local":
        return Address(text, "local")
    if holds_secret(text):
        raise _mistake(
            text, "it must not contain a password; Headcount neither asks for nor stores one"
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _mistake(text, str(error)) from error
    if parts.scheme not in OWN and parts.scheme in added_sources():
        return Address(text, parts.scheme, parts.hostname or "", port, parts.username, parts.path)
    return _own(text, parts, port)


def _own(text: str, parts: SplitResult, port: int | None) -> Address:
    if parts.scheme not in OWN or not parts.hostname:
        raise _mistake(text, "the form is wrong")
    host = parts.hostname
    if host.startswith("-") or not _HOST.fullmatch(host) or not _is_encodable(host):
        raise _mistake(text, f'"{host}" is not a host name')
    if port == 0:
        raise _mistake(text, "port 0 does not exist")
    if parts.scheme == "ssh":
        return _ssh(text, host, port, parts.username, parts.path + parts.query + parts.fragment)
    if parts.username is not None:
        raise _mistake(text, "exporters take no user")
    if any(blank in text for blank in " \t\r\n"):
        raise _mistake(text, "it contains a space")
    if not text.isascii():
        raise _mistake(text, "it contains a character that is not ASCII; write that as %XX")
    path = parts.path if parts.path not in {"", "/"} else "/metrics"
    query = f"?{parts.query}" if parts.query else ""
    return Address(text, parts.scheme, host, port, None, path + query)


def _is_encodable(host: str) -> bool:
    """Whether a host's labels have a length that a name server takes."""
    try:
        host.encode("idna")
    except UnicodeError:
        return False
    return True


def _ssh(text: str, host: str, port: int | None, user: str | None, rest: str) -> Address:
    if rest not in {"", "/"}:
        raise _mistake(text, "nothing may follow the host and port")
    if user is not None and (user.startswith("-") or not _USER.fullmatch(user)):
        raise _mistake(text, f'"{user}" is not a user name')
    return Address(text, "ssh", host, port, user)


def _mistake(text: str, reason: str) -> InputError:
    return InputError(f'"{text}" is not the address of a counter source: {reason}; use {FORMS}')
