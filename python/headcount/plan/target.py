"""Targets: the address of the system under test, or a disposable lab server."""

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote

from headcount.errors import InputError
from headcount.fields.mistakes import nearest
from headcount.plan import addresses
from headcount.protocols.pair import split_target
from headcount.protocols.registry import labs, protocols, schemes
from headcount.protocols.target import Target
from headcount.secret_text import holds_secret


def parse(text: str) -> Target:
    """Read a target: `lab:NAME`, `lab:NAME?KEY=VALUE&...`, `file:///folder`, or an address.

    Addresses are `app://host:port`, `smb://host[:port]/share`, `http://host[:port][/path]`,
    `imap://host[:port]` and `postgresql://host[:port]/database`; `https://` and `imaps://` are
    "http" and "mail" over TLS. A plus sign joins two that the same users speak to.
    """
    text = spelled(text)
    joined = split_target(text)
    if joined is not None:
        return _pair(text, *joined)
    if text.startswith("lab:"):
        return _lab(text)
    if holds_secret(text) or re.match(r"[a-z][\w+.-]*://[^/]*@", text):  # do not echo it
        raise InputError(
            "a target has no user name and no password; give the users' names with --user, and "
            "the password with --password-file or HEADCOUNT_PASSWORD"
        )
    if text.startswith("file:"):
        return _folder(text)
    scheme = re.match(r"([a-z][\w+.-]*)://", text)
    known = schemes()
    if scheme is not None and scheme[1] not in known:
        meant = addresses.meant(text, list(labs()))
        instead = f"; write {meant}" if meant else nearest(scheme[1], list(known))
        raise InputError(
            f'the target "{text}": there is no protocol "{scheme[1]}"{instead} '
            f"(there is: {', '.join(one.form for one in protocols().values())})"
        )
    match = re.fullmatch(r"([a-z]+)://(\[[0-9a-fA-F:]+\]|[^/:@\[\]\s]+)(?::(\d+))?(?:/(.*))?", text)
    if match is None:
        raise InputError(_unreadable(text))
    word, host, port, path = match.groups()
    protocol, its = known[word]
    port = int(port) if port else its.port
    if port is None or not 0 < port < 65536:
        missing = "needs a port" if port is None else "the port must be from 1 to 65535"
        raise InputError(f'the target "{text}": {missing}; it looks like {protocol.form}')
    place = protocol.place(text, path or "", protocol.form)
    return Target(
        text if place.database else text.rstrip("/"),
        protocol.name,
        None,
        host.strip("[]"),
        port,
        place.share,
        database=place.database,
        is_tls=its.is_tls,
    )


def spelled(text: str) -> str:
    """The target without surrounding spaces, its scheme in lower case (RFC 3986, 3.1)."""
    scheme, colon, rest = text.strip().partition(":")
    return f"{scheme.lower() if rest[:2] == '//' else scheme}{colon}{rest}"


def _unreadable(text: str) -> str:
    """Why a target cannot be read: what was probably meant, or what targets look like."""
    if meant := addresses.meant(text, list(labs())):
        return f'the target "{text}" is not an address that Headcount can read; write {meant}'
    port = re.fullmatch(r"[a-z]+://[^/:\s]+:([^/\s]*)(?:/.*)?", text)
    is_wrong = port is not None and not port[1].isdecimal() and "%" not in port[1]
    wrong = f': "{port[1]}" is not a port' if port and is_wrong else ""
    *others, last = (one.form for one in protocols().values() if one.parts is None)
    return (
        f'the target "{text}" cannot be read{wrong}; targets look like lab:app, '
        f"{', '.join(others)} or {last}"
    )


def _pair(text: str, one: str, other: str) -> Target:
    first, second = parse(one), parse(other)
    both = f"{first.protocol}+{second.protocol}"
    if both not in protocols():
        pairs = ", ".join(one.name for one in protocols().values() if one.parts)
        raise InputError(
            f'the target "{text}" joins {both.replace("+", " and ")}, which no workload '
            f"combines; possible: {pairs}"
        )
    marked = {f"{second.protocol}.{key}": value for key, value in second.settings.items()}
    return replace(
        first,
        text=f"{first.text}+{second.text}",
        protocol=both,
        settings={**first.settings, **marked},
        both=(first, second),
    )


def _lab(text: str) -> Target:
    name, asked, given = text.removeprefix("lab:").removeprefix("//").partition("?")
    known = labs()
    if name not in known:
        has = ", ".join(f"lab:{one}" for one in known)
        if not name:
            raise InputError(f'the target "{text}" names no server; the lab has {has}')
        raise InputError(
            f'the lab has no server "{name}"{nearest(name, list(known))} (it has: {has})'
        )
    settings = _settings(text, given) if asked else {}
    return Target(f"lab:{name}", known[name].name, name, None, None, settings=settings)


def _settings(text: str, given: str) -> dict[str, str]:
    """The settings after the name of a lab server, as in web addresses."""
    settings: dict[str, str] = {}
    for word in given.split("&"):
        key, is_set, value = word.partition("=")
        if not (is_set and re.fullmatch(r"\w+", key)) or key in settings:
            raise InputError(
                f'the target "{text}": settings of the server look like lab:app?threads=4&workers=2'
                f"{', each once' if key in settings else ''}; in a shell, quote the target"
            )
        settings[key] = unquote(value)
    return settings


def with_settings(text: str, given: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """The target without settings, and the settings of its text and the given ones together.

    Raises InputError if they disagree.
    """
    target = parse(text)
    for key, value in target.settings.items():
        if given.get(key, value) != value:
            raise InputError(
                f"the target has {key}={value} and [server] (--set) has {key}={given[key]}; "
                "remove one of them"
            )
    return target.text if target.settings else text, {**given, **target.settings}


def _folder(text: str) -> Target:
    protocol, _ = schemes()["file"]
    folder = protocol.place(text, "", protocol.form).folder
    shown = text if folder == "/" else text.rstrip("/")
    return Target(shown, protocol.name, None, None, None, folder=folder)


def is_here(target: Target) -> bool:
    """Whether a target shares this machine, as far as its name shows."""
    if target.both is not None:
        return any(is_here(one) for one in target.both)
    host = (target.host or "").lower()
    if target.lab is not None or target.folder is not None or host == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
