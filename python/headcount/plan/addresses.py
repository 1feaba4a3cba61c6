"""The address to suggest for a target that is not an address."""

import ipaddress
import os
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from headcount.protocols.registry import schemes

_PORTS = {
    "25": "imap://{host} (users send mail to its port 25)",
    "80": "http://{host}",
    "143": "imap://{host}",
    "443": "https://{host}",
    "445": "smb://{host}/SHARE",
    "587": "imap://{host} with --client smtp=submission://{host}",
    "993": "imaps://{host}",
    "2049": "file:///FOLDER, with the folder where its export is mounted",
    "5432": "postgresql://{host}/DATABASE",
    "7410": "app://{host}:7410",
    "8443": "https://{host}:8443",
}
"""What is usually behind a port."""
_SCHEMES = {
    "cifs": "smb",
    "postgres": "postgresql",
    "pgsql": "postgresql",
    "pg": "postgresql",
    "ws": "http",
    "wss": "https",
}
"""Other programs' names for a protocol."""
_MOUNTED = "the folder where it is mounted, such as file:///mnt/data"
_HOST = r"(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)"


def meant(text: str, lab: Sequence[str]) -> str | None:
    """The address to suggest for a target that cannot be read; None if nothing is likely.

    `lab` has the lab servers, which people also name without `lab:`.
    """
    if (name := re.sub(r"^lab[/.=]", "", text.lower())) in lab:
        return f"lab:{name}"
    if name == "lab":
        return f"lab:NAME, one of {', '.join(lab)}"
    for guess in (_share, _folder, _slashes, _other_scheme, _bare_ipv6, _host):
        found = guess(text)
        if found is not None:
            return found
    return None


def _share(text: str) -> str | None:
    r"""A Windows share: `\\fs1\data`, or with Unix slashes."""
    match = re.fullmatch(r"(?:\\\\|//)([^\\/\s]+)[\\/]+([^\\/]+)[\\/]*(.*)", text)
    if match is None:
        return None
    host, share, folder = match.groups()
    beside = f" (the share alone, without {folder})" if folder else ""
    return f"smb://{host}/{share}{beside}"


def _folder(text: str) -> str | None:
    """A path on this machine, or an export that it has mounted."""
    if re.fullmatch(rf"{_HOST}:/.*", text) and not text.split(":")[1].startswith("//"):
        scheme = text.split(":", maxsplit=1)[0].lower()
        return None if scheme in schemes() else _MOUNTED
    if text.startswith(("/", "./", "../", "~")) or text in (".", ".."):
        # Path.expanduser raises for a user who does not exist.
        return f"file://{quote(str(Path(os.path.expanduser(text)).resolve()))}"  # noqa: PTH111
    if "/" not in text and ":" not in text and text and Path(text).is_dir():
        return f"file://{quote(str(Path(text).resolve()))}"
    return None


def _slashes(text: str) -> str | None:
    """`https//host`, `https:/host` or `https:host`."""
    words = "|".join(word for word in schemes() if word != "file")
    match = re.fullmatch(rf"({words})(?://|:/?|;//)([^/].*)", text, re.IGNORECASE)
    return f"{match[1].lower()}://{match[2]}" if match else None


def _other_scheme(text: str) -> str | None:
    scheme, _, rest = text.partition("://")
    if scheme.lower() in ("nfs", "sftp", "ftp", "webdav"):
        return _MOUNTED if scheme.lower() == "nfs" else None
    if scheme.lower() in ("smtp", "smtps", "submission"):
        host = rest.split("/")[0].split(":")[0]
        return f"imap://{host} with --client smtp={text}"
    known = _SCHEMES.get(scheme.lower())
    return f"{known}://{rest}" if known and rest else None


def _bare_ipv6(text: str) -> str | None:
    """An IPv6 address without brackets, whose last colon looks like that of a port."""
    match = re.fullmatch(r"(?:([a-z]+)://)?([0-9a-fA-F:]*::[0-9a-fA-F:]*)(/.*)?", text)
    if match is None:
        return None
    scheme, address, path = match[1] or "http", match[2], match[3] or ""
    head, _, port = address.rpartition(":")
    for host, rest in ((head, f":{port}"), (address, "")):
        if _is_ipv6(host) and (not rest or (len(port) > 1 and port.isdecimal())):
            return f"{scheme}://[{host}]{rest}{path}"
    return None


def _is_ipv6(text: str) -> bool:
    try:
        return ipaddress.ip_address(text).version == 6
    except ValueError:
        return False


def _host(text: str) -> str | None:
    """A host without its protocol: that of its port, or HTTP."""
    match = re.fullmatch(rf"({_HOST})(?::(\d+))?(/\S*)?", text)
    if match is None:
        return None
    host, port, path = match.groups()
    if port in _PORTS:
        return _PORTS[port].format(host=host) + (path or "")
    for protocol, scheme in schemes().values():
        if port == str(scheme.port):
            return protocol.form.replace("host", host, 1)
    where = f"{host}{f':{port}' if port else ''}{path or ''}"
    return f"http://{where} (or with the protocol that it speaks)"
