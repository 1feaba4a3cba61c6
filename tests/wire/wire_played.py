"""Plays a workload in a network of its own while tshark captures it; prints both counts (JSON).

Usage: wire_played.py WORKLOAD SEED. The tests run it inside `unshare --net`: nothing but its
own traffic is on the loopback there, and nobody needs rights on the network of the machine.
"""

import json
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.open import lab_access
from headcount.lab.samba import SambaServer
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve

USERS = 6
PLAYED_S = 12.0
ENOUGH, AT_MOST_S = 250, 60.0
"""On a machine that is slow it takes longer until so many scenarios were completed."""
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


@dataclass(frozen=True)
class Counts:
    """What was counted on one side: requests by command, and bytes of data both ways."""

    requests: dict[str, int]
    read_bytes: int
    written_bytes: int


def plan_of(workload: str, seed: int) -> Plan:
    """Every scenario once in a while: 40 scenarios a second of six users."""
    overrides = Overrides(users=USERS, seed=seed, scale=0.02, pace="150ms", workers=2)
    return resolve(workloads.load(workload), "lab:samba", overrides)


def played(plan: Plan, target: str) -> tuple[Counts, int]:
    """Play it to its end; what the engine says it sent, and how many scenarios it completed."""
    engine = Engine(engine_plan(plan), "smb", target)
    engine.set_users(USERS, 0.5)
    intervals = []
    completed = 0
    while engine.now_s() < (PLAYED_S if completed >= ENOUGH else AT_MOST_S):
        if (interval := engine.next(5.0)) is not None:
            intervals.append(interval)
            completed += sum(tally.completed for tally in interval.scenarios)
    engine.stop(10.0)
    while (interval := engine.next(10.0)) is not None:
        intervals.append(interval)
    failed = [f"{fault.kind}: {fault.examples}" for i in intervals for fault in i.faults]
    assert not failed, failed
    counts = Counter[str]()
    for interval in intervals:
        counts.update(dict(zip(engine.request_names, interval.requests, strict=True)))
    tallies = [tally for interval in intervals for tally in interval.scenarios]
    sent = Counts(
        dict(+counts),
        sum(tally.read_bytes for tally in tallies),
        sum(tally.written_bytes for tally in tallies),
    )
    return sent, sum(tally.completed for tally in tallies)


def captured(file: Path, port: str) -> Counts:
    """What tshark finds in the capture: the commands of all requests, compounded ones too."""
    commands = fields(file, port, "smb2.cmd", "smb2.flags.response == 0")
    # The lengths of data, as answers to READ and requests of WRITE give them.
    read = fields(file, port, "smb2.olb.length", "smb2.cmd == 8 && smb2.flags.response == 1")
    written = fields(file, port, "smb2.write_length", "smb2.cmd == 9 && smb2.flags.response == 0")
    named = Counter(NUMBERS.get(number, f"command {number}") for number in commands)
    return Counts(dict(named), sum(read), sum(written))


def fields(file: Path, port: str, field: str, condition: str) -> list[int]:
    """All values of a field in the packets for which the condition holds."""
    command = ["tshark", "-r", str(file), "-d", f"tcp.port=={port},nbss", "-T", "fields"]
    command += ["-e", field, "-Y", condition]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return [int(number) for number in re.findall(r"\d+", found.stdout)]


def main() -> None:
    """Start, capture, play, count, print."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    plan = plan_of(sys.argv[1], int(sys.argv[2]))
    server = SambaServer({})
    try:
        access = lab_access(plan, server)
        access.prepare(USERS, lambda _done, _all: None)
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "wire.pcap"
            command = ["tshark", "-q", "-i", "lo", "-B", "256", "-w", str(file)]
            capture = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            try:
                wait_for_capture(capture)
                sent, completed = played(plan, access.engine_target())
                time.sleep(1.0)  # the kernel hands packets over in blocks
            finally:
                capture.send_signal(signal.SIGINT)
                messages = capture.communicate(timeout=30)[1]
            dropped = re.search(r"(\d+) packets? dropped", messages)
            assert not dropped or dropped[1] == "0", messages
            seen = captured(file, server.address.rpartition(":")[2])
    finally:
        server.stop()
    print(json.dumps({"sent": asdict(sent), "seen": asdict(seen), "completed": completed}))


def wait_for_capture(capture: "subprocess.Popen[str]") -> None:
    """Return once packets are being captured."""
    assert capture.stderr is not None
    messages = []
    for line in capture.stderr:
        messages.append(line)
        if "Capture started" in line or "File:" in line:
            return
    raise AssertionError("".join(messages))


if __name__ == "__main__":
    main()
