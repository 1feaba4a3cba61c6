"""Samba's smbd with one share; every name logs on, with the rights of who runs the bench."""

import getpass
import os
from pathlib import Path

from bench.foreign.case import Component
from bench.foreign.servers.start import PASSWORD, Place, Start
from bench.foreign.servers.web import program, written
from headcount._engine import nt_hash

FOLDERS = ("private", "lock", "state", "cache", "pid", "ncalrpc", "log")
SMB = """
[global]
  workgroup = SHOP
  server role = standalone server
  interfaces = {host}
  bind interfaces only = yes
  smb ports = {port}
  disable netbios = yes
  multicast dns register = no
  private dir = {folder}/private
  lock directory = {folder}/lock
  state directory = {folder}/state
  cache directory = {folder}/cache
  pid directory = {folder}/pid
  ncalrpc dir = {folder}/ncalrpc
  winbindd socket directory = {folder}/winbindd
  log file = {folder}/log/log.smbd
  passdb backend = smbpasswd:{folder}/private/smbpasswd
  username map = {folder}/usermap
  rpc start on demand helpers = no
  load printers = no
  printing = bsd
  printcap name = /dev/null
  disable spoolss = yes
  {config}
[data]
  path = {data}
  read only = no
  {outside}
"""


def samba(component: Component, place: Place) -> Start:
    """Lines of its share are in `outside`."""
    for name in FOLDERS:
        (place.folder / name).mkdir()
    user = getpass.getuser()
    hashed = f"{'X' * 32}:{nt_hash(PASSWORD)}:[U          ]:LCT-67000000:"
    written(place, "private/smbpasswd", f"{user}:{os.geteuid()}:{hashed}\n")
    written(place, "usermap", f"!{user} = *\n")
    data = Path(place.addresses["disk"]) if component.on_disk else place.folder
    (data / "data").mkdir()
    text = SMB.format(
        host=place.host,
        port=place.port,
        folder=place.folder,
        data=data / "data",
        config=component.config,
        outside=component.outside,
    )
    how = ["--foreground", "--no-process-group", "-s", written(place, "smb.conf", text)]
    command = [program("smbd"), *how, "-l", str(place.folder / "log")]
    return Start(command, f"{place.address}/data")
