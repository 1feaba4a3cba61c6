"""Linux itself: kernel settings below /proc/sys and /sys, in force as soon as they are written."""

import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import real_path
from headcount.tune.servers.server import Setting

NAME = "linux"
BLOCK = "block/"
"""Prefix of knobs of the block device, such as `block/scheduler`."""
HUGE = "transparent_hugepage/"
"""Prefix of knobs of transparent huge pages."""
LARGEST = " max"
"""Suffix of knobs that are the third of three numbers: `net.ipv4.tcp_rmem max`."""
PAIRS = {
    "vm.dirty_bytes": "vm.dirty_ratio",
    "vm.dirty_background_bytes": "vm.dirty_background_ratio",
}
"""One amount under two names: the one written last counts, and the other reads 0. That 0 cannot be
written (vm/dirty_bytes answers EINVAL)."""
SCHEDULER = "block/scheduler"
RESET = ("block/nr_requests", "block/wbt_lat_usec")
"""What a change of the scheduler resets to values of its own."""
_CHOSEN = re.compile(r"\[([^\]]+)\]")


class Linux:
    """The kernel of a machine."""

    name = NAME

    def __init__(self, host: Host, device: str | None = None) -> None:
        """`device` is the block device of the server's files, as `device_of` finds it."""
        self._host = host
        self._device = device
        self._texts: dict[str, str | None] = {}

    def path(self, name: str) -> str | None:
        """Where a knob's file is; None for a knob of the block device if that is not known."""
        name = name.removesuffix(LARGEST)
        if name.startswith(HUGE):
            return f"/sys/kernel/mm/{name}"
        if name.startswith(BLOCK):
            device = self._device
            return device and f"/sys/block/{device}/queue/{name.removeprefix(BLOCK)}"
        return f"/proc/sys/{name.replace('.', '/')}"

    def _text(self, name: str) -> str | None:
        """A knob's file as first read; None if it cannot be read."""
        path = self.path(name)
        if path is None:
            return None
        if path not in self._texts:
            try:
                content = self._host.read(path)
            except InputError:  # such as the write-back throttle of a device without one
                content = None
            self._texts[path] = None if content is None else content.decode("ascii", "replace")
        return self._texts[path]

    def _now(self, name: str) -> str | None:
        """A knob's file in a form that can be written back: of choices, the one chosen."""
        text = self._text(name)
        if text is None:
            return None
        found = _CHOSEN.search(text)
        return found[1] if found else text.strip()

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting; any value but the kernel's default was set by somebody."""
        value = self._now(knob.name)
        if value is not None:
            words = value.split()
            value = words[-1] if knob.name.endswith(LARGEST) else " ".join(words)
        is_set = value is not None and bool(knob.default) and value != knob.default
        return Setting(value, is_set, self.path(knob.name) if is_set else None)

    def values(self, changes: Mapping[Knob, str]) -> Mapping[str, str]:
        """The values to write, by file; raises InputError for what this kernel does not have."""
        found: dict[str, str] = {}
        for knob, value in changes.items():
            path, now = self.path(knob.name), self._now(knob.name)
            if path is None or now is None:
                raise InputError(f"this machine has no {knob.name}")
            written = knob.written(value)
            if knob.name.endswith(LARGEST):
                least, usual, _ = now.split()
                written = "\t".join((least, str(min(int(usual), int(value))), value))
            found[path] = written
        return found

    def originals(self, knobs: Iterable[Knob]) -> Mapping[str, str]:
        """The values that undo all changes of some knobs when written in this order, by file.

        Of two names of one amount it has the one that counts, so its paths may differ from those
        that changes are written to: see `paths`.
        """
        names = [self._active(knob.name) for knob in knobs]
        if SCHEDULER in names:
            names = [SCHEDULER, *RESET, *names]
        found: dict[str, str] = {}
        for name in names:
            path, now = self.path(name), self._now(name)
            if path is not None and now is not None:
                found.setdefault(path, now)
        return found

    def paths(self, knobs: Iterable[Knob]) -> frozenset[str]:
        """The files that changes of some knobs are written to."""
        names = [self.path(knob.name) for knob in knobs if self._now(knob.name) is not None]
        return frozenset(filter(None, names))

    def _active(self, name: str) -> str:
        """The name of an amount that counts: the other one reads 0."""
        others = {**PAIRS, **{ratio: size for size, ratio in PAIRS.items()}}
        return others[name] if name in others and self._now(name) == "0" else name


def device_of(host: Host, folder: str) -> str | None:
    """The disk that a folder is on, `sda` for a file system on `sda1`; None if it is on none."""
    ended = host.run(["stat", "-L", "-c", "%D", "--", folder])
    if ended.code != 0:
        return None
    number = int(ended.output.strip(), 16)
    # Bits of a device's number: glibc's makedev.
    major = (number >> 8) & 0xFFF
    minor = (number & 0xFF) | ((number >> 12) & 0xFFF00)
    path = real_path(host, f"/sys/dev/block/{major}:{minor}")
    if not path.startswith("/sys/devices/"):
        return None
    if host.read(f"{path}/partition") is not None:
        path = posixpath.dirname(path)
    return posixpath.basename(path)


def scheduler_of(host: Host, pids: Sequence[int]) -> str | None:
    """The I/O scheduler of the disk with a server's folder; None if it cannot be seen."""
    for pid in pids:
        device = device_of(host, f"/proc/{pid}/cwd")
        if device is not None:
            text = (host.read(f"/sys/block/{device}/queue/scheduler") or b"").decode()
            return text.partition("[")[2].partition("]")[0] or None
    return None


@dataclass(frozen=True)
class Kernel:
    """The kernel of the server's machine, and those of its knobs that may be changed."""

    linux: Linux
    knobs: Sequence[Knob]
