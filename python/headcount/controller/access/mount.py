"""The file system that holds a folder: what is mounted there, and from which machine."""

import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path

from headcount.counters.environment.filesystem import FileSystem, describe_file_systems

NETWORK = frozenset(
    {
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "ceph", "lustre", "glusterfs", "afs", "beegfs"),
        *("gpfs", "davfs", "fuse.glusterfs", "fuse.sshfs", "fuse.ceph", "fuse.davfs2"),
    }
)
"""File systems whose files are on another machine, or may be."""


@dataclass(frozen=True)
class Place:
    """A folder and the file system that holds it."""

    folder: str
    system: FileSystem

    @property
    def is_remote(self) -> bool:
        """Whether another machine has the files, as far as the mount shows."""
        return self.system.kind in NETWORK and not self._is_loopback

    @property
    def server(self) -> str:
        """The machine that has them, for people: the name in the mount."""
        device = self.system.device or ""
        found = re.match(r"//([^/]+)/|\[([0-9a-fA-F:]+)\]:|(?:[^@/]*@)?([^:/]+):", device)
        return next(filter(None, found.groups()), device) if found else device or "another machine"

    @property
    def text(self) -> str:
        """What is mounted where, for people."""
        system = self.system
        return f"{system.kind or 'unknown'}, {system.device} on {system.mount_point}"

    @property
    def _is_loopback(self) -> bool:
        # Use the mounted address if the kernel reports it: names can mean anything.
        options = self.system.options or ()
        addresses = [option[5:] for option in options if option.startswith("addr=")]
        address = addresses[0] if addresses else self.server
        try:
            return ipaddress.ip_address(address).is_loopback
        except ValueError:
            return address == "localhost"


def place(folder: str) -> Place:
    """Look at the mounts of this machine."""
    (system,) = describe_file_systems([Path(folder)], Path("/"))
    return Place(folder, system)
