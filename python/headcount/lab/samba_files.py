"""The files of a private Samba: its configuration, its one account, its shares."""

import os
import pwd
from collections.abc import Mapping
from pathlib import Path

from headcount._engine import nt_hash
from headcount.errors import SystemLimitError
from headcount.lab import port, samba_settings
from headcount.lab.setting import STOCK
from headcount.lab.stock import samba as stock

FOLDERS = ("private", "lock", "state", "cache", "pid", "ncalrpc", "log", "data")
SHARE = "data"
"""The name of a single share."""
SHARES = "home{n:05}"
"""The names of several."""
LOG = "log/log.smbd"
"""Where smbd writes before it reads its configuration, which names the same place."""

GLOBAL = """\
[global]
workgroup = LAB
netbios name = LAB
server role = standalone server
{listen}smb ports = {port}
disable netbios = yes
multicast dns register = no
private dir = {place}/private
lock directory = {place}/lock
state directory = {place}/state
cache directory = {place}/cache
pid directory = {place}/pid
ncalrpc dir = {place}/ncalrpc
winbindd socket directory = {place}/winbindd
log file = {place}/{log}
log level = 0
max log size = 1000
enable core files = no
passdb backend = smbpasswd:{place}/private/smbpasswd
username map = {place}/usermap
map to guest = never
usershare max shares = 0
rpc start on demand helpers = no
load printers = no
printing = bsd
printcap name = /dev/null
disable spoolss = yes
"""
"""Nothing of this machine's own Samba, nothing announced to the network, no printers, and no helper
daemons, which would leave the group of smbd's processes: reading and writing files needs none."""


HERE = "interfaces = {host}\nbind interfaces only = yes\n"
"""Where it listens, unless it has its own network."""


def account() -> str:
    """The name of the user that runs this, whose rights the server has."""
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError as error:
        raise SystemLimitError(
            f"Samba runs only for users with a name, and user {os.geteuid()} has none on this "
            "machine; run Headcount as a user of /etc/passwd"
        ) from error


def write(
    home: Path,
    place: Path,
    number: int,
    settings: Mapping[str, str],
    password: str,
    *,
    is_everywhere: bool = False,
) -> Path:
    """Write everything into the home, for this port; returns the configuration.

    `place` is the home under the name that Samba uses. With `is_everywhere` it listens at all
    addresses, including later ones: it has its own network.

    Raises SystemLimitError if the disk does not take it, or Samba's files are not as they were
    shipped.
    """
    user = account()
    shares = int(settings.get("shares", "1"))
    is_stock = settings["profile"] == STOCK
    folders = (*FOLDERS, stock.USERSHARES) if is_stock else FOLDERS
    try:
        for folder in folders:
            (home / folder).mkdir()
        for share in range(shares if shares > 1 else 0):
            (home / "data" / SHARES.format(n=share)).mkdir()
        _write_secret(home / "private" / "smbpasswd", _account_line(user, password))
        (home / "usermap").write_text(f"!{user} = *\n", "utf-8")
        if is_stock:
            fields = {"home": str(place), "host": port.host(), "port": str(number)}
            (home / stock.USERSHARES).chmod(stock.MODE)
            stock.STOCK.write(home / "etc", fields)
            return place / "etc" / stock.MAIN
        listen = "" if is_everywhere else HERE.format(host=port.host())
        lines = [GLOBAL.format(listen=listen, port=number, place=place, log=LOG)]
        lines += [line + "\n" for line in samba_settings.parameters(settings)]
        lines += _sections(place, shares)
        (home / "smb.conf").write_text("".join(lines), "utf-8")
    except OSError as error:
        raise SystemLimitError(
            f"cannot write the server's files in {home}: {error.strerror}; choose another folder: "
            "XDG_CACHE_HOME=/some/folder headcount run ..."
        ) from error
    return place / "smb.conf"


def _sections(place: Path, shares: int) -> list[str]:
    """One section per share; they inherit all else."""
    if shares == 1:
        return [f"[{SHARE}]\npath = {place}/data\n"]
    names = [SHARES.format(n=number) for number in range(shares)]
    return [f"[{name}]\npath = {place}/data/{name}\n" for name in names]


def _account_line(user: str, password: str) -> str:
    """The line of smbpasswd(5): no LM hash, an ordinary user, changed some time ago."""
    return f"{user}:{os.geteuid()}:{'X' * 32}:{nt_hash(password)}:[U          ]:LCT-67000000:\n"


def _write_secret(path: Path, text: str) -> None:
    """Write a file that nobody else can ever read."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
