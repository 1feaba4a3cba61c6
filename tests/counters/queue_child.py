"""Runs in a network namespace of its own: sends through a token bucket filter and reads its queue.
Prints a JSON object with the readings before, while and after."""

import fcntl
import json
import socket
import struct
import subprocess
import time
from dataclasses import asdict

from headcount.counters.proc.queues import QueueTable

SIOCSIFFLAGS, IFF_UP = 0x8914, 1


def readings() -> dict[str, dict[str, float | None]]:
    table = QueueTable(None)
    found = {name: asdict(queue) for name, queue in table.read().items()}
    table.close()
    return found


def main() -> None:
    with socket.socket() as asking:
        fcntl.ioctl(asking, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
    found = {"before": readings()}
    limit = ["tc", "qdisc", "add", "dev", "lo", "root", "tbf", "rate", "800kbit"]
    subprocess.run([*limit, "burst", "4kb", "limit", "20000"], check=True)
    found["idle"] = readings()
    with socket.socket(type=socket.SOCK_DGRAM) as sender:
        for _ in range(30):  # 30 kB at 100 kB/s with room for 20 kB: some wait, some are dropped
            sender.sendto(bytes(1000), ("127.0.0.1", 9))
    found["busy"] = readings()
    deadline_s = time.monotonic() + 10
    while (after := readings())["lo"]["backlog_bytes"] and time.monotonic() < deadline_s:
        time.sleep(0.05)
    found["after"] = after
    counted = subprocess.run(["tc", "-s", "-j", "qdisc"], check=True, capture_output=True)
    found["tc"] = json.loads(counted.stdout)
    print(json.dumps(found))


main()
