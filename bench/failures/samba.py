"""A foreign file server: smbd, configured by a case. Only root can start it."""

import contextlib
import os
import pwd
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.failures.case import Case
from bench.failures.servers import free_port, process
from headcount._engine import nt_hash

ACCOUNT = "games"
"""The account whose rights all users have; an administrator's would override those of folders."""
FOLDERS = ("private", "lock", "state", "cache", "pid", "ncalrpc", "winbindd")
CONFIGURATION = """
[global]
server role = standalone server
interfaces = 127.0.0.1
bind interfaces only = yes
smb ports = {port}
disable netbios = yes
private dir = {folder}/private
lock directory = {folder}/lock
state directory = {folder}/state
cache directory = {folder}/cache
pid directory = {folder}/pid
ncalrpc dir = {folder}/ncalrpc
winbindd socket directory = {folder}/winbindd
log file = {folder}/log
passdb backend = smbpasswd:{folder}/private/smbpasswd
username map = {folder}/usermap
rpc start on demand helpers = no
load printers = no
printing = bsd
printcap name = /dev/null
disable spoolss = yes
{outside}

[files]
path = {folder}/files
{config}
"""


@contextlib.contextmanager
def samba(case: Case, folder: Path) -> Iterator[str]:
    """The address of smbd with the share `files`, broken."""
    for name in FOLDERS:
        (folder / name).mkdir()
    files = folder / "files"
    files.mkdir()
    with contextlib.ExitStack() as stack:
        if case.size:
            stack.enter_context(_file_system(files, case.size))
        account = pwd.getpwnam(ACCOUNT)
        if case.owner == "user":
            os.chown(files, account.pw_uid, account.pw_gid)
        files.chmod(int(case.mode, 8))
        hashed = nt_hash(case.password)
        line = f"{ACCOUNT}:{account.pw_uid}:{'X' * 32}:{hashed}:[U          ]:LCT-67000000:\n"
        (folder / "private" / "smbpasswd").write_text(line, "utf-8")
        (folder / "private" / "smbpasswd").chmod(0o600)
        (folder / "usermap").write_text(f"!{ACCOUNT} = *\n", "utf-8")
        port = free_port()
        text = CONFIGURATION.format(
            folder=folder, port=port, outside=case.outside, config=case.config
        )
        (folder / "smb.conf").write_text(text, "utf-8")
        program = shutil.which("smbd", path=f"{os.environ['PATH']}:/usr/sbin") or "smbd"
        command = [program, "--foreground", "--no-process-group", "-s", str(folder / "smb.conf")]
        stack.enter_context(process([*command, "-l", str(folder)], folder, port))
        yield f"127.0.0.1:{port}"


@contextlib.contextmanager
def _file_system(path: Path, size: str) -> Iterator[None]:
    """One of this size in a folder."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)
