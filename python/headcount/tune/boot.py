"""The boot hook that undoes a tuning after a power failure, which no guard survives."""

import hashlib
import posixpath
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.restart import unit_of
from headcount.tune.servers.server import Server

SYSTEMD = "/etc/systemd/system"
TARGET = "multi-user.target"
"""The target that a machine reaches with or without a graphical login."""
CRON = "/etc/cron.d"
EARLY = "early"
"""Argument of `restore.sh`: the server starts after it, so it needs no reload or restart."""
_PLAIN = re.compile(r"[A-Za-z0-9_./+:-]+")
"""Paths without characters that are special to systemd, cron or the shell."""
_INIT = f"""
[ "$(id -u)" = 0 ] || {{ echo user; exit; }}
if [ -d /run/systemd/system ]; then echo systemd
elif [ -d {CRON} ] && grep -qsxE 'crond?' /proc/[0-9]*/comm; then echo cron
else echo none; fi
"""
UNIT = """\
[Unit]
Description=Put back what an interrupted headcount tune has changed
ConditionPathExists={folder}/restore.sh
ConditionPathExists=!{folder}/done
RequiresMountsFor={folder}
{before}
[Service]
Type=oneshot
ExecStart=/bin/sh {folder}/restore.sh{early}

[Install]
WantedBy={target}
"""
LINE = """\
# Puts back what an interrupted headcount tune has changed.
@reboot root [ -e {folder}/done ] || /bin/sh {folder}/restore.sh
"""


@dataclass(frozen=True)
class Hook:
    """Files on the server's machine that make its init run a journal's script.

    Attributes:
        files: Their contents by path.
        links: Targets of symbolic links, by path.

    """

    files: Mapping[str, str]
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> Sequence[str]:
        """All files and links of the hook."""
        return [*self.links, *self.files]

    def write(self, host: Host) -> None:
        """Write it to the disk; raises InputError, and leaves nothing behind, if that fails."""
        try:
            for path, text in self.files.items():
                host.write(path, text.encode())
                _run(host, "chmod", "644", path)  # cron ignores files that a group may write
            for path, target in self.links.items():
                folder = posixpath.dirname(path)
                _run(host, "mkdir", "-p", folder)
                _run(host, "ln", "-sf", target, path)
                _run(host, "sync", folder, posixpath.dirname(folder))
        except BaseException:
            with suppress(Exception):
                self.remove(host)
            raise

    def remove(self, host: Host) -> None:
        """Remove it, also if only a part of it was written."""
        host.run(["rm", "-f", "--", *self.paths])


def boot_hook(host: Host, folder: str, servers: Sequence[Server]) -> Hook | None:
    """The hook that runs a journal's script at boot; None if nothing on the machine can run it.

    With systemd it runs before the servers' services, so that they start with their own files.
    """
    init = host.run(["sh", "-c", _INIT]).output.strip()
    name = f"headcount-restore-{hashlib.sha256(folder.encode()).hexdigest()[:12]}"
    if not _PLAIN.fullmatch(folder):
        return None
    if init == "cron":
        return Hook({f"{CRON}/{name}": LINE.format(folder=folder)})
    if init != "systemd":
        return None
    units = [unit_of(host, one.running.pid) for one in servers]
    known = [one for one in units if one is not None]
    before = f"Before={' '.join(dict.fromkeys(known))}\n" if known else ""
    # A server of an unknown unit may already run with the changed files: it must read them again.
    early = f" {EARLY}" if known and len(known) == len(units) else ""
    text = UNIT.format(folder=folder, before=before, early=early, target=TARGET)
    path = f"{SYSTEMD}/{name}.service"
    return Hook({path: text}, {f"{SYSTEMD}/{TARGET}.wants/{name}.service": path})


def _run(host: Host, *command: str) -> None:
    ended = host.run(command)
    if ended.code != 0:
        raise InputError(f"{' '.join(command)}: {ended.output.strip()}")
