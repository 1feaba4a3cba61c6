"""Which CPUs a machine has, and the sets of them that a server may be kept to."""

from collections.abc import Sequence
from functools import cached_property

from headcount.tune.host import Host
from headcount.tune.journal import KernelRefusal

ALL, ONE_SOCKET, NOT_FIRST = "all", "one-socket", "not-first"
_NODES = "cat /sys/devices/system/node/node[0-9]*/cpulist 2> /dev/null; :"


def parse_cpus(text: str) -> frozenset[int]:
    """A list as the kernel has it: `0-3,8`."""
    found: set[int] = set()
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        if first.isdecimal():
            found.update(range(int(first), int(last or first) + 1))
    return frozenset(found)


class Cpus:
    """The CPUs of a machine."""

    def __init__(self, host: Host) -> None:
        """Nothing is read yet."""
        self._host = host

    @cached_property
    def online(self) -> frozenset[int]:
        """All CPUs that are online."""
        text = self._host.read("/sys/devices/system/cpu/online") or b""
        return parse_cpus(text.decode())

    @cached_property
    def sockets(self) -> Sequence[frozenset[int]]:
        """The CPUs of each NUMA node that has any, the largest set first."""
        lines = self._host.run(["sh", "-c", _NODES]).output.splitlines()
        found = [cpus for line in lines if (cpus := parse_cpus(line) & self.online)]
        return sorted(found, key=lambda cpus: (-len(cpus), min(cpus)))

    def of(self, word: str) -> frozenset[int]:
        """The CPUs that a word means, or a list; raises KernelRefusal if there are none."""
        if word == ALL:
            return self.online
        if word == ONE_SOCKET:
            if len(self.sockets) < 2:
                raise KernelRefusal("this machine has one socket only")
            return self.sockets[0]
        found = self.online - {min(self.online)} if word == NOT_FIRST else parse_cpus(word)
        if not found:
            raise KernelRefusal(f"there are no CPUs {word}")
        return found

    def word(self, cpus: frozenset[int]) -> str:
        """The word for some CPUs, or a list of them."""
        if cpus == self.online:
            return ALL
        if len(self.sockets) > 1 and cpus == self.sockets[0]:
            return ONE_SOCKET
        if cpus == self.online - {min(self.online, default=0)}:
            return NOT_FIRST
        return ",".join(map(str, sorted(cpus)))
