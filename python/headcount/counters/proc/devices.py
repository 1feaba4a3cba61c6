"""Which disks and network interfaces are real, from ``/sys``: others would count twice."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from headcount.counters.proc.network import LOOPBACK

_Reading = TypeVar("_Reading")

_STACKED_PREFIXES = ("loop", "ram", "zram", "dm-", "md", "sr", "fd", "nbd")


class Devices:
    """Decides which devices count towards the host's totals, caching each decision.

    Args:
        sys: Where sysfs is mounted.

    """

    def __init__(self, sys: Path) -> None:
        """Take no reading yet."""
        self._block = sys / "block"
        self._net = sys / "class/net"
        self._disks: dict[str, tuple[bool, bool]] = {}

    def whole_disks(self, devices: Mapping[str, _Reading]) -> dict[str, _Reading]:
        """Return the whole devices among those of diskstats: no partitions."""
        return {name: reading for name, reading in devices.items() if self._disk(name)[0]}

    def real_disks(self, devices: Iterable[str]) -> frozenset[str]:
        """Return the disks with hardware (or a hypervisor) behind them.

        If sysfs shows no device behind any of them, as in some containers, the whole devices whose
        names do not look stacked on others.
        """
        names = [name for name in devices if self._disk(name)[0]]
        backed = frozenset(name for name in names if self._disk(name)[1])
        return backed or frozenset(n for n in names if not n.startswith(_STACKED_PREFIXES))

    def counted_interfaces(self, interfaces: Iterable[str]) -> frozenset[str]:
        """Return the interfaces whose traffic adds up to the host's.

        Those with hardware (or a hypervisor) behind them; if there are none, as in a container, all
        but the loopback and those stacked on another (bridge, bond, VLAN).
        """
        names = [name for name in interfaces if name != LOOPBACK]
        backed = frozenset(name for name in names if self._has_hardware(name))
        return backed or frozenset(name for name in names if not self._is_stacked(name))

    def _has_hardware(self, interface: str) -> bool:
        return (self._net / interface / "device").exists()

    def _is_stacked(self, interface: str) -> bool:
        return next((self._net / interface).glob("lower_*"), None) is not None

    def _disk(self, name: str) -> tuple[bool, bool]:
        """Return whether a device is whole, and whether there is hardware behind it."""
        if name not in self._disks:
            # A blank device name never occurs, and the slash of names such as cciss/c0d0 is
            # written as an exclamation mark in sysfs.
            folder = self._block / name.replace("/", "!")
            whole = folder.exists() if self._block.is_dir() else True
            self._disks[name] = whole, (folder / "device").exists()
        return self._disks[name]


class ToldDevices(Devices):
    """The same for a machine whose sysfs was listed remotely.

    Args:
        paths: What exists of ``/sys/block/*``, ``/sys/block/*/device``,
            ``/sys/class/net/*/device`` and ``/sys/class/net/*/lower_*``.

    """

    def __init__(self, paths: Iterable[str]) -> None:
        """Take the listing."""
        super().__init__(Path("/sys"))
        self._paths = frozenset(paths)
        self._stacked = frozenset(path.split("/")[4] for path in self._paths if "/lower_" in path)
        self._has_block = any(path.startswith("/sys/block/") for path in self._paths)

    def _has_hardware(self, interface: str) -> bool:
        return f"/sys/class/net/{interface}/device" in self._paths

    def _is_stacked(self, interface: str) -> bool:
        return interface in self._stacked

    def _disk(self, name: str) -> tuple[bool, bool]:
        folder = f"/sys/block/{name.replace('/', '!')}"
        whole = folder in self._paths if self._has_block else True
        return whole, f"{folder}/device" in self._paths
