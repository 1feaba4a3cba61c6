"""As many machines as the file-server study of 1998 had, 25 users on each, and a real Samba.

Each machine is a network namespace with a Ray node of its own.
"""

import csv
from dataclasses import dataclass
from pathlib import Path

from bench.cluster.ground import Ground
from bench.foreign.case import Component
from bench.foreign.servers import KINDS
from bench.foreign.servers.start import Place, running
from bench.foreign.tools import Tools

PORT = 8200
USERS_EACH = 25
LONGEST_S = 900.0


@dataclass(frozen=True)
class Part:
    """One agent's part of the level.

    Attributes:
        agent: Its number.
        users: How many it played.
        per_s: Scenarios that they completed.
        ratio: Scenarios of one of its users, over the mean of all users.
        late_ms: 99th percentile of its timers' lateness.

    """

    agent: int
    users: float
    per_s: float
    ratio: float
    late_ms: float


def played(machines: int, folder: Path) -> list[Part]:
    """Play `file-copy` from that many machines for two minutes."""
    component, place = Component("samba", "files"), folder / "server"
    place.mkdir()
    with Ground(machines, 1) as ground:
        here = Place(place, PORT, Tools(folder), {}, 0, host=ground.address("server"))
        start = KINDS[component.kind](component, here)
        with running(start, component, here, ground.within("server")):
            _headcount(
                ground,
                folder,
                *("run", "file-copy", "--target", f"smb://{start.address}", "--scale", "0.02"),
                *("--users", str(machines * USERS_EACH), "--duration", "120s", "--ramp", "20s"),
                *("--agents", str(machines), "--cluster", ground.cluster, "--equal-users"),
                *("--authorised-by", "bench.cluster", "--runs", str(folder / "runs")),
            )
            (bundle,) = (folder / "runs").iterdir()
            _headcount(ground, folder, "export", str(bundle), str(folder / "agents.csv"))
    with (folder / "agents.csv").open(encoding="utf-8", newline="") as file:
        return [_part(row) for row in csv.DictReader(file)]


def _headcount(ground: Ground, folder: Path, *words: str) -> None:
    done = ground.headcount(folder, *words, longest_s=LONGEST_S)
    if done.returncode not in (0, 1):  # 1: the server does not hold the users
        raise RuntimeError(f"headcount {words[0]}: exit code {done.returncode}: {done.stderr}")


def _part(row: dict[str, str]) -> Part:
    return Part(
        int(row["agent"]),
        float(row["users"]),
        float(row["scenarios_per_s"]),
        float(row["per_user_ratio"]),
        float(row["late_p99_ms"]),
    )
