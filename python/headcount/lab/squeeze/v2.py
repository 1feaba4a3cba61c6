"""Control groups of version 2: one folder for all controllers (cgroup-v2.rst).

Except for the root, only a group without processes of its own may delegate controllers to those
below it. So a group with limits is made below the nearest group above this process that can.
"""

from pathlib import Path

from headcount.errors import MachineLimitError
from headcount.lab.squeeze.files import put, refusal
from headcount.lab.squeeze.group import LEAST_US, PERIOD_US, Group, up_to
from headcount.lab.squeeze.hierarchy import Hierarchies
from headcount.lab.squeeze.limits import USUAL_WEIGHT, Limits

CONTROLLERS, SUBTREE = "cgroup.controllers", "cgroup.subtree_control"
UNLIMITED = "max"
IO_KEYS = {
    "disk_read_bytes": "rbps",
    "disk_write_bytes": "wbps",
    "disk_read_ops": "riops",
    "disk_write_ops": "wiops",
}


class V2Group(Group):
    """A group of version 2."""

    version = 2

    def __init__(self, name: str, hierarchies: Hierarchies, needed: frozenset[str]) -> None:
        """Make it where the needed controllers are available, else raise SystemLimitError."""
        if hierarchies.v2 is None or hierarchies.v2_root is None:
            raise MachineLimitError("this machine has no control groups of version 2")
        home = _home(hierarchies.v2, hierarchies.v2_root, needed)
        super().__init__(name, {home: hierarchies.v2})
        (self._at,) = self.folders

    def prepare(self, folder: Path) -> None:
        """Do nothing: what is not written is inherited from the group above."""

    def apply(self, limits: Limits, device: str | None) -> None:
        """Write the limits, and remove earlier ones that no longer apply."""
        was = self.limits
        if limits.cpu_cores != was.cpu_cores:
            quota = limits.cpu_cores
            most = UNLIMITED if quota is None else str(max(LEAST_US, round(quota * PERIOD_US)))
            put(self._at / "cpu.max", f"{most} {PERIOD_US}")
        if limits.weight != was.weight:
            put(self._at / "cpu.weight", str(limits.weight or USUAL_WEIGHT))
        if limits.cpus != was.cpus:
            put(self._at / "cpuset.cpus", limits.cpus or "\n")  # empty: inherited
        if limits.memory_bytes != was.memory_bytes:
            most = UNLIMITED if limits.memory_bytes is None else str(limits.memory_bytes)
            put(self._at / "memory.max", most)
        rules = {key: getattr(limits, name) for name, key in IO_KEYS.items()}
        if rules != {key: getattr(was, name) for name, key in IO_KEYS.items()}:
            words = [f"{key}={value or UNLIMITED}" for key, value in rules.items()]
            put(self._at / "io.max", " ".join([str(device), *words]))


def _home(own: Path, root: Path, needed: frozenset[str]) -> Path:
    """The nearest group, from this process's own upwards, that delegates what is needed.

    Enables that if it may. Raises SystemLimitError with the first reason why none does.
    """
    reason: MachineLimitError | None = None
    for folder in up_to(own, root):
        try:
            offered = set((folder / CONTROLLERS).read_text("ascii").split())
            if needed <= offered:
                _hand_on(folder, needed)
                return folder
        except OSError as error:
            reason = reason or refusal("hand controllers on to a control group", error)
        else:
            reason = reason or MachineLimitError(
                f"{folder} has no controller {', '.join(sorted(needed - offered))}, which that "
                "limit needs; run as root on the machine itself, or in a group that is delegated "
                "to you: systemd-run --user --scope -p Delegate=yes headcount run ..."
            )
    raise reason or MachineLimitError(f"{own} is not in the control groups of {root}")


def _hand_on(folder: Path, needed: frozenset[str]) -> None:
    """Enable controllers for the groups below; raises OSError if one that is needed cannot be.

    EBUSY: processes are in the group itself.
    """
    handed = set((folder / SUBTREE).read_text("ascii").split())
    for controller in sorted(needed - handed):
        put(folder / SUBTREE, f"+{controller}")
