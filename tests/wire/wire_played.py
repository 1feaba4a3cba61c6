"""Plays home folders in a network of its own while tshark captures it; prints both counts (JSON).

Run by the tests inside `unshare --net`: nothing but this script's own traffic is on its loopback,
and nobody needs rights on the network of the machine.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.open import of_lab
from headcount.lab.samba import SambaServer
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve

USERS = 6
PLAYED_S = 12.0
NUMBERS = {
    0: "NEGOTIATE",
    1: "SESSION_SETUP",
    2: "LOGOFF",
    3: "TREE_CONNECT",
    4: "TREE_DISCONNECT",
    5: "CREATE",
    6: "CLOSE",
    7: "FLUSH",
    8: "READ",
    9: "WRITE",
    10: "LOCK",
    11: "IOCTL",
    14: "QUERY_DIRECTORY",
    16: "QUERY_INFO",
    17: "SET_INFO",
}
"""Commands by their number (MS-SMB2 2.2.1.2)."""


def plan_of(seed: int) -> Plan:
    """Every scenario once in a while: 40 scenarios a second of six users."""
    overrides = Overrides(users=USERS, seed=seed, scale=0.02, pace="150ms", workers=2)
    return resolve(workloads.load("home-folders"), "lab:samba", overrides)


def played(plan: Plan, target: str) -> Counter[str]:
    """Play it to its end; what the engine says it sent."""
    engine = Engine(engine_plan(plan), "smb", target)
    engine.set_users(USERS, 0.5)
    intervals = []
    while engine.now_s() < PLAYED_S:
        if (interval := engine.next(5.0)) is not None:
            intervals.append(interval)
    engine.stop(10.0)
    while (interval := engine.next(10.0)) is not None:
        intervals.append(interval)
    failed = [f"{fault.kind}: {fault.examples}" for i in intervals for fault in i.faults]
    assert not failed, failed
    counts = Counter[str]()
    for interval in intervals:
        counts.update(dict(zip(engine.request_names, interval.requests, strict=True)))
    return counts


def captured(file: Path, port: str) -> Counter[str]:
    """What tshark finds in the capture: the commands of all requests, compounded ones too."""
    command = ["tshark", "-r", str(file), "-d", f"tcp.port=={port},nbss", "-T", "fields"]
    command += ["-e", "smb2.cmd", "-Y", "smb2.flags.response == 0"]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    numbers = re.findall(r"\d+", found.stdout)
    return Counter(NUMBERS.get(int(number), f"command {number}") for number in numbers)


def main() -> None:
    """Start, capture, play, count, print."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    plan = plan_of(int(sys.argv[1]))
    server = SambaServer({})
    try:
        access = of_lab(plan, server)
        access.prepare(USERS, lambda _done, _all: None)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "wire.pcap"
            command = ["tshark", "-q", "-i", "lo", "-B", "256", "-w", str(file)]
            capture = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            try:
                wait_for_capture(capture)
                sent = played(plan, access.engine_target())
                time.sleep(1.0)  # the kernel hands packets over in blocks
            finally:
                capture.send_signal(signal.SIGINT)
                said = capture.communicate(timeout=30)[1]
            dropped = re.search(r"(\d+) packets? dropped", said)
            assert not dropped or dropped[1] == "0", said
            seen = captured(file, server.address.rpartition(":")[2])
    finally:
        server.stop()
    print(json.dumps({"sent": +sent, "seen": +seen}))


def wait_for_capture(capture: "subprocess.Popen[str]") -> None:
    """Return once packets are being captured."""
    assert capture.stderr is not None
    said = []
    for line in capture.stderr:
        said.append(line)
        if "Capture started" in line or "File:" in line:
            return
    raise AssertionError("".join(said))


if __name__ == "__main__":
    main()
