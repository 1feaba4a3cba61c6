"""Control groups of version 1: a folder for each controller (cgroup-v1/*.rst, sched-bwc.rst).

If version 2 is mounted beside them without controllers, the group has a folder there, too: only
version 2 shows the pressure of its processes.
"""

from pathlib import Path

from headcount.errors import MachineLimitError
from headcount.lab.squeeze.files import put
from headcount.lab.squeeze.group import LEAST_US, PERIOD_US, Group
from headcount.lab.squeeze.hierarchy import Hierarchies
from headcount.lab.squeeze.limits import USUAL_WEIGHT, Limits

OF_V2 = {"io": "blkio"}
"""Names of version 1 that differ from those of version 2."""
SHARES = 1024
"""The usual cpu.shares, which weigh as much as cpu.weight 100."""
THROTTLES = {
    "disk_read_bytes": "blkio.throttle.read_bps_device",
    "disk_write_bytes": "blkio.throttle.write_bps_device",
    "disk_read_ops": "blkio.throttle.read_iops_device",
    "disk_write_ops": "blkio.throttle.write_iops_device",
}
UNLIMITED = "-1"


class V1Group(Group):
    """A group of version 1."""

    version = 1

    def __init__(self, name: str, hierarchies: Hierarchies, needed: frozenset[str]) -> None:
        """Make it in each hierarchy; raises SystemLimitError if a needed controller has none."""
        for controller in sorted(OF_V2.get(one, one) for one in needed):
            if controller not in hierarchies.v1:
                raise MachineLimitError(
                    f"this machine's control groups are of version 1 and have no controller "
                    f"{controller}, which that limit needs; mount it: mkdir "
                    f"/sys/fs/cgroup/{controller} && mount -t cgroup -o {controller} none "
                    f"/sys/fs/cgroup/{controller}"
                )
        self._at = {key: home / name for key, home in hierarchies.v1.items()}
        homes = {home: home for home in hierarchies.v1.values()}
        if hierarchies.v2 is not None:
            homes[hierarchies.v2] = hierarchies.v2
        super().__init__(name, homes)

    def prepare(self, folder: Path) -> None:
        """Give a cpuset CPUs and memory: before that it accepts no process (cpusets.rst)."""
        if folder == self._at.get("cpuset"):
            for file in ("cpuset.cpus", "cpuset.mems"):
                put(folder / file, (folder.parent / file).read_text("ascii").strip())

    def apply(self, limits: Limits, device: str | None) -> None:
        """Write the limits, and remove earlier ones that no longer apply."""
        was = self.limits
        if limits.cpu_cores != was.cpu_cores:
            quota = limits.cpu_cores
            self._put("cpu", "cpu.cfs_period_us", str(PERIOD_US))
            least = UNLIMITED if quota is None else str(max(LEAST_US, round(quota * PERIOD_US)))
            self._put("cpu", "cpu.cfs_quota_us", least)
        if limits.weight != was.weight:
            shares = round((limits.weight or USUAL_WEIGHT) * SHARES / USUAL_WEIGHT)
            self._put("cpu", "cpu.shares", str(max(2, shares)))
        if limits.cpus != was.cpus:
            folder = self._at["cpuset"]
            everyone = (folder.parent / "cpuset.cpus").read_text("ascii").strip()
            self._put("cpuset", "cpuset.cpus", limits.cpus or everyone)
        if limits.memory_bytes != was.memory_bytes:
            most = UNLIMITED if limits.memory_bytes is None else str(limits.memory_bytes)
            self._put("memory", "memory.limit_in_bytes", most)
        for name, file in THROTTLES.items():
            if (value := getattr(limits, name)) != getattr(was, name):
                self._put("blkio", file, f"{device} {value or 0}")  # 0 removes the rule

    def _put(self, controller: str, file: str, text: str) -> None:
        put(self._at[controller] / file, text)
