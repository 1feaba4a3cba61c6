"""`lab:samba`: a real smbd of this machine's Samba, on a loopback port, without root.

Every user name logs on with one password and has the rights of the user who runs Headcount.
"""

import secrets
import shutil
import subprocess
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab import port, samba_files, samba_settings
from headcount.lab.alias import Alias
from headcount.lab.home import Home
from headcount.lab.installed import Packages, find
from headcount.lab.kept import Kept, KeptServer
from headcount.lab.setting import STOCK
from headcount.lab.stock import samba as stock

FOLDERS = ("/usr/sbin", "/usr/local/sbin", "/usr/local/samba/sbin")
"""Folders with smbd, which may not be on a user's PATH."""
PACKAGES = Packages("samba", "samba")
PASSWORD_BYTES = 24
"""Random bytes: half as many would be unguessable already."""
VERSION_S = 20.0
"""Longest wait for smbd to print its version, on a busy machine."""


class SambaServer(Kept):
    """Samba in the lab, running.

    Attributes:
        share: The share, or the pattern of their names: `home{n:05}`.
        shares: How many there are.
        user: The pattern of user names; any name can log on.
        password: That of all of them, new with each start. It is in no file, command line, setting
            or message. Its hash is in the home, in a file that only this user can read.
        status: The command that asks it for its figures; empty if that is not installed.
        data: The folder that is shared, or that holds the folder of each share.

    """

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        samba_settings.complete(settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        self.settings: Mapping[str, str] = samba_settings.complete(settings)
        self._program = program()
        self.programs: Mapping[str, str] = {"samba": version(self._program)}
        self.shares = int(self.settings.get("shares", "1"))
        if self.settings["profile"] == STOCK:
            self.settings = {**self.settings, **stock.STOCK.disclosed}
        self.share = samba_files.SHARE if self.shares == 1 else samba_files.SHARES
        self.user = "user{n:05}"
        self.password = secrets.token_urlsafe(PASSWORD_BYTES)
        self._parts = port.started("smbd", self._start)

    def _start(self, parts: ExitStack) -> bool:
        """Whether it listens; False if another program has taken the port."""
        number = port.free()
        home = Home("samba")
        parts.callback(home.delete)
        folder = home.path.absolute()
        self.home = folder
        self.logs: Mapping[str, Path] = {"samba": folder / samba_files.LOG}
        self.data = folder / "data"
        alias = Alias(folder)
        parts.callback(alias.close)
        configuration = samba_files.write(folder, alias.path, number, self.settings, self.password)
        log = folder / samba_files.LOG
        beside = str(Path(self._program).parent)
        status = shutil.which("smbstatus", path=beside) or shutil.which("smbstatus")
        self.status = [status, "-s", str(configuration), "--json"] if status else []
        command = [self._program, "--foreground", "--no-process-group", "-s", str(configuration)]
        self.server = server = KeptServer([*command, "-l", str(alias.path / "log")], folder)
        parts.callback(server.stop)
        if not server.got_port(number, log):
            return False
        self.address, self.pids = f"{port.host()}:{number}", [server.server_pid]
        return True

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        self._parts.close()


def program() -> str:
    """The path of smbd; raises NotInstalledError."""
    return find("smbd", PACKAGES.advice("lab:samba needs Samba"), FOLDERS)


def version(smbd: str) -> str:
    """The version of smbd, as `4.17.12-Debian`; raises SystemLimitError if it does not run."""
    try:
        finished = subprocess.run(
            [smbd, "--version"], capture_output=True, text=True, timeout=VERSION_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SystemLimitError(f"{smbd} cannot run: {error}") from error
    name, _, found = finished.stdout.strip().partition(" ")
    if finished.returncode != 0 or name != "Version":
        output = (finished.stdout + finished.stderr).strip() or "nothing"
        raise SystemLimitError(f"{smbd} gave no version; its output: {output}")
    return found
