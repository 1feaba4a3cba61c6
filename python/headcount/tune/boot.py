"""What undoes a tuning when its machine starts again: no guard is left after a power failure."""

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
"""What a machine starts with or without a screen."""
CRON = "/etc/cron.d"
EARLY = "early"
"""Word for `restore.sh`: the server starts after it, and needs neither a reload nor a restart."""
_PLAIN = re.compile(r"[A-Za-z0-9_./+:-]+")
"""Paths that mean nothing else to systemd, cron and the shell."""
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
    """Files on the server's machine that have its init run a journal's script.

    Attributes:
        files: Their contents by path.
        links: What links lead to, by path.

    """

    files: Mapping[str, str]
    links: Mapping[str, str] = field(default_factory=dict)

    @property
    def paths(self) -> Sequence[str]:
        """All that is there while the hook is."""
        return [*self.links, *self.files]

    def write(self, host: Host) -> None:
        """Bring it to the disk; raises InputError, and leaves nothing, where it cannot be."""
        try:
            for path, text in self.files.items():
                host.write(path, text.encode())
                _run(host, "chmod", "644", path)  # cron reads no file that a group may write
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
        """Take it away, wherever it was written."""
        host.run(["rm", "-f", "--", *self.paths])


def boot_hook(host: Host, folder: str, servers: Sequence[Server]) -> Hook | None:
    """What runs the script of a journal at boot; None where nothing on the machine can.

    With systemd it comes before the services of the servers, so that they start with their own
    files.
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
    # One that is not known may be up already, with the changed files: it needs what else there is.
    early = f" {EARLY}" if known and len(known) == len(units) else ""
    text = UNIT.format(folder=folder, before=before, early=early, target=TARGET)
    path = f"{SYSTEMD}/{name}.service"
    return Hook({path: text}, {f"{SYSTEMD}/{TARGET}.wants/{name}.service": path})


def _run(host: Host, *command: str) -> None:
    ended = host.run(command)
    if ended.code != 0:
        raise InputError(f"{' '.join(command)}: {ended.output.strip()}")
