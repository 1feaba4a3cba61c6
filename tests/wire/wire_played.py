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
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from headcount import workloads
from headcount._engine import Engine
from headcount.controller.access.open import lab_access
from headcount.lab.samba import SambaServer
from headcount.plan.plan import Plan, engine_plan
from headcount.plan.resolve import Overrides, resolve

USERS = 6
ENOUGH, AT_MOST_S = 450, 60.0
"""So many scenarios are played, which takes longer on a machine that is slow."""
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
READ, WRITE = 8, 9
FIELDS = ("smb2.cmd", "smb2.flags.response", "smb2.olb.length", "smb2.write_length")
"""What tshark is asked for of each packet, which may hold several commands."""


@dataclass(frozen=True)
class Counts:
    """What was counted on one side: requests by command, and bytes of data both ways."""

    requests: dict[str, int]
    read_bytes: int
    written_bytes: int


def plan_of(workload: str, seed: int) -> Plan:
    """Every scenario once in a while: 100 scenarios a second of six users."""
    overrides = Overrides(users=USERS, seed=seed, scale=0.02, pace="60ms", workers=2)
    return resolve(workloads.load(workload), "lab:samba", overrides)


def played(plan: Plan, target: str) -> tuple[Counts, int]:
    """Play it to its end; what the engine says it sent, and how many scenarios it completed."""
    engine = Engine(engine_plan(plan), "smb", target)
    engine.set_users(USERS, 0.5)
    intervals = []
    completed = 0
    while completed < ENOUGH and engine.now_s() < AT_MOST_S:
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
    named: Counter[str] = Counter()
    read = written = 0
    for commands, answers, lengths, write_lengths in packets(file, port):
        if 0 in answers:
            named.update(NUMBERS.get(number, f"command {number}") for number in commands)
        # The lengths of data, as answers to READ and requests of WRITE give them.
        if READ in commands and 1 in answers:
            read += sum(lengths)
        if WRITE in commands and 0 in answers:
            written += sum(write_lengths)
    return Counts(dict(named), read, written)


def packets(file: Path, port: str) -> Iterator[list[list[int]]]:
    """All values of `FIELDS` in each packet of SMB."""
    command = ["tshark", "-r", str(file), "-d", f"tcp.port=={port},nbss", "-Y", "smb2"]
    command += ["-T", "fields", *(word for field in FIELDS for word in ("-e", field))]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    # What is a flag is told as a number or, by newer versions, as a word.
    text = found.stdout.replace("True", "1").replace("False", "0")
    for line in text.splitlines():
        yield [[int(number) for number in re.findall(r"\d+", part)] for part in line.split("\t")]


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
