"""A long or lossy way into a network namespace: a pair of TUN devices, and what passes packets on.

The kernel's own emulator (tc netem) is often not there. `python -m bench.foreign.distance NAMESPACE
HERE THERE --delay-ms 20 --loss 0.01` makes the devices with these addresses, prints `ready`, and
passes packets on until its standard input ends.
"""

import argparse
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

_SET_INTERFACE = 0x400454CA
"""TUNSETIFF (linux/if_tun.h)."""
_PACKETS_ONLY = 0x0001 | 0x1000
"""IFF_TUN | IFF_NO_PI."""
_LARGEST = 65_536
IP = "/usr/sbin/ip"


def main(arguments: Sequence[str]) -> int:
    """Pass packets on until standard input ends."""
    parser = argparse.ArgumentParser(prog="python -m bench.foreign.distance", description=__doc__)
    parser.add_argument("namespace", help="of the far end")
    parser.add_argument("here", help="address of the near end")
    parser.add_argument("there", help="address of the far end")
    parser.add_argument("--delay-ms", type=float, default=0.0, help="of each packet, each way")
    parser.add_argument("--loss", type=float, default=0.0, help="share of packets, each way")
    options = parser.parse_args(arguments)
    near, far = f"hcd{os.getpid()}a", f"hcd{os.getpid()}b"
    ends = [_device(near), _device(far)]
    _ip("link", "set", far, "netns", options.namespace)
    for name, own, other, within in (
        (near, options.here, options.there, ()),
        (far, options.there, options.here, ("-n", options.namespace)),
    ):
        _ip(*within, "addr", "add", own, "peer", other, "dev", name)
        _ip(*within, "link", "set", name, "mtu", "1500", "up")
    _ip("-n", options.namespace, "link", "set", "lo", "up")
    print("ready", flush=True)
    Way(ends, options.delay_ms / 1000, options.loss).carry(sys.stdin.fileno())
    return 0


@dataclass
class Way:
    """Forwards packets from one device to the other, delayed, or drops them.

    Attributes:
        ends: The file descriptors of both devices.
        delay_s: Delay of a packet.
        loss: The share of packets that are dropped.
        seed: Decides which packets are dropped.

    """

    ends: Sequence[int]
    delay_s: float
    loss: float
    seed: int = 1
    _due: list[tuple[float, int, int, bytes]] = field(default_factory=list)
    _number: int = 0

    def carry(self, until: int) -> None:
        """Forward packets until this file ends."""
        chance = random.Random(self.seed)
        other = {self.ends[0]: self.ends[1], self.ends[1]: self.ends[0]}
        while True:
            wait_s = max(self._due[0][0] - time.monotonic(), 0.0) if self._due else None
            ready, _, _ = select.select([until, *self.ends], [], [], wait_s)
            if until in ready and not os.read(until, 1):
                return
            for end in ready:
                if end in other:
                    packet = os.read(end, _LARGEST)
                    if chance.random() >= self.loss:
                        self._number += 1
                        due_s = time.monotonic() + self.delay_s
                        heapq.heappush(self._due, (due_s, self._number, other[end], packet))
            while self._due and self._due[0][0] <= time.monotonic():
                _, _, end, packet = heapq.heappop(self._due)
                os.write(end, packet)


def _device(name: str) -> int:
    """A new TUN device; it is gone when its file is closed."""
    end = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(end, _SET_INTERFACE, struct.pack("16sH22x", name.encode(), _PACKETS_ONLY))
    return end


def _ip(*words: str) -> None:
    subprocess.run([IP, *words], check=True, timeout=20)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
