"""Targets: the address of the system under test, or a disposable lab server."""

import ipaddress
import re
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import unquote, urlsplit

from headcount.errors import InputError, TargetError
from headcount.plan import addresses
from headcount.plan.mistakes import nearest
from headcount.plan.pair import check_pair, split_target
from headcount.plan.pattern import NUMBER

PROTOCOLS = {
    "app": "app://host:port",
    "smb": "smb://host/share",
    "files": "file:///folder",
    "http": "http://host/path",
    "mail": "imap://host",
    "sql": "postgresql://host/database",
    "mail+sql": "imap://host+postgresql://host/database",
}
"""Protocols and what their targets look like."""
SCHEMES = {
    "app": "app",
    "smb": "smb",
    "file": "files",
    "http": "http",
    "https": "http",
    "imap": "mail",
    "imaps": "mail",
    "postgresql": "sql",
}
"""How targets begin, and the protocols those stand for."""
LAB = {
    "app": "app",
    "samba": "smb",
    "files": "files",
    "apache": "http",
    "nginx": "http",
    "mail": "mail",
    "postgresql": "sql",
}
"""Lab servers and the protocols they speak; the first of a protocol does all of it."""
FILE_SERVERS = frozenset({"smb", "files"})
"""Protocols that reach files: they play the same steps on the same [tree], so a workload of one of
them runs on the others' targets."""
DEFAULT_PORTS = {
    "smb": 445,
    "http": 80,
    "https": 443,
    "imap": 143,
    "imaps": 993,
    "postgresql": 5432,
}
"""Ports that targets need not name (SMB: MS-SMB2 2.1; HTTP: RFC 9110, 4.2; IMAP: RFC 8314;
PostgreSQL 15, 20.3)."""

NAME = r"[^/\\\[\]:|<>+=;,*?\"{}\x00-\x1f]*"
SHARE = rf"(?! )(?=.){NAME}(?:{NUMBER}{NAME})?(?<! )"
"""Names of shares: what Windows does not forbid (MS-FSCC 2.1.6), without braces but those of one
number, and no spaces around them."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where the system under test is.

    `protocol` plays the workload; `host` and `port` are None for a lab server, which gets
    its address when it starts; `share` is the share of a file server, or a pattern of shares;
    `folder` is where the files are, for those of this machine; `settings` are those of a server of
    the lab that were given with its name; `database` is that of a database server; `both` are the
    two targets that one of two servers joins, whose host and lab are those of the first.
    """

    text: str
    protocol: str
    lab: str | None
    host: str | None
    port: int | None
    share: str | None = None
    folder: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict, hash=False)
    database: str | None = None
    both: "tuple[Target, Target] | None" = None

    @property
    def is_tls(self) -> bool:
        """Whether the address itself asks for TLS."""
        return self.text.startswith(("https://", "imaps://"))


def plays(protocol: str, wanted: str) -> bool:
    """Whether a target that speaks one protocol can be given a workload made for another."""
    return protocol == wanted or {protocol, wanted} <= FILE_SERVERS


def forms(protocol: str) -> str:
    """What targets look like that a workload of this protocol runs on."""
    return " or ".join(form for other, form in PROTOCOLS.items() if plays(other, protocol))


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
    if text.startswith("file:"):
        return _folder(text)
    if re.match(
        r"(smb|https?|imaps?|postgresql)://[^/]*@", text
    ):  # not repeated: there may be a password in it
        raise InputError(
            "a target has no user name and no password; give the users' names with --user, and "
            "the password with --password-file or HEADCOUNT_PASSWORD"
        )
    scheme = re.match(r"([a-z][\w+.-]*)://", text)
    if scheme is not None and scheme[1] not in SCHEMES:
        meant = addresses.meant(text, list(LAB))
        instead = f"; write {meant}" if meant else nearest(scheme[1], list(SCHEMES))
        raise InputError(
            f'the target "{text}": there is no protocol "{scheme[1]}"{instead} '
            f"(there is: {', '.join(PROTOCOLS.values())})"
        )
    match = re.fullmatch(r"([a-z]+)://(\[[0-9a-fA-F:]+\]|[^/:@\[\]\s]+)(?::(\d+))?(?:/(.*))?", text)
    if match is None:
        raise InputError(_unreadable(text))
    word, host, port, path = match.groups()
    protocol = SCHEMES[word]
    port = int(port) if port else DEFAULT_PORTS.get(word)
    if port is None or not 0 < port < 65536:
        missing = "needs a port" if port is None else "the port must be from 1 to 65535"
        raise InputError(f'the target "{text}": {missing}; it looks like {PROTOCOLS[protocol]}')
    if protocol == "http":
        _check_path(text, path or "")
    if protocol == "sql":
        database = _database(text, path or "")
        return Target(text, protocol, None, host.strip("[]"), port, database=database)
    share = _share(text, protocol, path or "")
    return Target(text.rstrip("/"), protocol, None, host.strip("[]"), port, share)


def spelled(text: str) -> str:
    """The target without blanks around it, its scheme in small letters (RFC 3986, 3.1)."""
    scheme, colon, rest = text.strip().partition(":")
    return f"{scheme.lower() if rest[:2] == '//' else scheme}{colon}{rest}"


def _unreadable(text: str) -> str:
    """Why a target cannot be read: what was probably meant, or what targets look like."""
    if meant := addresses.meant(text, list(LAB)):
        return f'the target "{text}" is not an address that Headcount can read; write {meant}'
    port = re.fullmatch(r"[a-z]+://[^/:\s]+:([^/\s]*)(?:/.*)?", text)
    wrong = f': "{port[1]}" is not a port' if port and not port[1].isdecimal() else ""
    return (
        f'the target "{text}" cannot be read{wrong}; targets look like lab:app, app://host:port, '
        "app://[::1]:port, smb://host/share, file:///folder, http://host/path, imap://host or "
        "postgresql://host/database"
    )


def _pair(text: str, one: str, other: str) -> Target:
    first, second = parse(one), parse(other)
    protocols = f"{first.protocol}+{second.protocol}"
    check_pair(protocols, text)
    marked = {f"{second.protocol}.{key}": value for key, value in second.settings.items()}
    return replace(
        first,
        text=f"{first.text}+{second.text}",
        protocol=protocols,
        settings={**first.settings, **marked},
        both=(first, second),
    )


def _lab(text: str) -> Target:
    name, asked, given = text.removeprefix("lab:").removeprefix("//").partition("?")
    if name not in LAB:
        has = ", ".join(f"lab:{known}" for known in LAB)
        if not name:
            raise InputError(f'the target "{text}" names no server; the lab has {has}')
        raise InputError(
            f'the lab has no server "{name}"{nearest(name, list(LAB))} (it has: {has})'
        )
    settings = _settings(text, given) if asked else {}
    return Target(f"lab:{name}", LAB[name], name, None, None, settings=settings)


def _settings(text: str, given: str) -> dict[str, str]:
    """What stands behind the name of a lab server, as in web addresses."""
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
    """The target without settings, and those of its text and the given ones together.

    Raises InputError where they disagree.
    """
    target = parse(text)
    for key, value in target.settings.items():
        if given.get(key, value) != value:
            raise InputError(
                f"the target has {key}={value} and [server] (--set) has {key}={given[key]}; "
                "remove one of them"
            )
    return target.text if target.settings else text, {**given, **target.settings}


def _check_path(text: str, path: str) -> None:
    if not re.fullmatch(r"[!$%&'()*+,\-./0-9:;=@A-Z_a-z~]*", path):
        raise InputError(
            f'the target "{text}": after the host comes a plain path, without spaces, ? or #; '
            "queries belong to the steps of the workload"
        )


def _database(text: str, path: str) -> str:
    """The name as it is in the server: what cannot stand in an address is written as %20."""
    name = unquote(path)
    if not name or "/" in path or "?" in path or "\0" in name or len(name.encode()) > 63:
        raise InputError(
            f'the target "{text}" must name one database, as in postgresql://server/shop; '
            "sslmode and similar options are keys of [client] (--client sslmode=require)"
        )
    return name


def _folder(text: str) -> Target:
    parts = urlsplit(text)
    folder = unquote(parts.path)
    there = parts.netloc in ("", "localhost") and folder.startswith("/") and text[5:7] == "//"
    if not there or parts.query or parts.fragment or "\0" in folder:
        raise InputError(
            f'the target "{text}" must name a folder of this machine by its absolute path, with '
            "three slashes and special characters as in web addresses: file:///mnt/my%20share"
        )
    folder = folder.rstrip("/") or "/"
    return Target(
        text.rstrip("/") if folder != "/" else text, "files", None, None, None, None, folder
    )


def _share(text: str, protocol: str, path: str) -> str | None:
    if protocol == "http":
        return None
    if protocol != "smb":
        if path:
            raise InputError(
                f'the target "{text}": nothing may follow the port; it looks like '
                f"{PROTOCOLS[protocol]}"
            )
        return None
    share = path.rstrip("/")
    if not re.fullmatch(SHARE, share):
        raise InputError(
            f'the target "{text}" must name one share, as in smb://server/data (or a pattern of '
            "shares: smb://server/home{n:05}); Headcount creates its own folder in it"
        )
    return share


def resolve(target: Target) -> str:
    """The address of a target that is not of the lab, as `ip:port` (`[ip]:port` for IPv6)."""
    return resolve_name(target.host, target.port)


def resolve_name(host: str | None, port: int | None) -> str:
    """Where a name leads, as `ip:port` (`[ip]:port` for IPv6)."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:  # UnicodeError: a label empty or too long
        raise TargetError(
            f'the name "{host}" of the target cannot be resolved ({error}); check the '
            "spelling, or give its address"
        ) from error
    address = str(found[0][4][0])
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def is_here(target: Target) -> bool:
    """Whether a target shares this machine, as far as its name shows."""
    if target.both is not None:
        return any(is_here(one) for one in target.both)
    if target.lab is not None or target.folder is not None or target.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(target.host or "").is_loopback
    except ValueError:
        return False


def is_loopback(address: str) -> bool:
    """Whether `ip:port` is an address of this machine's loopback."""
    return ipaddress.ip_address(address.rsplit(":", 1)[0].strip("[]")).is_loopback


def is_own(address: str) -> bool:
    """Whether `ip:port` is an address of this machine: packets to it then come from it, too."""
    if is_loopback(address):
        return True
    host = address.rsplit(":", 1)[0].strip("[]")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as asking:
            asking.connect((host, 9))  # nothing is sent
            return str(asking.getsockname()[0]) == host
    except OSError:
        return False


def check_authorised(address: str, authorised_by: str | None) -> None:
    """Refuse load on a machine whose owner is not named.

    A load test of a stranger's server is an attack. For any address but loopback the plan must say
    who owns the target and agreed: `authorised_by = "..."` or `--authorised-by`.
    """
    if not is_loopback(address):
        require_owner(f"the target {address} is not this machine", authorised_by)


def require_owner(what: str, authorised_by: str | None) -> None:
    """Refuse load until somebody states that its owner agreed; `what` is whose it is."""
    if not (authorised_by or "").strip():
        raise InputError(
            f"{what}, and the plan does not say who allowed the "
            'load: add authorised_by = "name of the owner who agreed" to the plan, or give '
            "--authorised-by. Load on a server without its owner's consent is an attack"
        )
