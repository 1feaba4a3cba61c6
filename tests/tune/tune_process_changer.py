"""Treats the processes of a running nginx until killed: `tune_process_changer.py PID
FOLDER SEED`.

Prints a line after each change, so that the killer knows that it has begun.
"""

import sys
from random import Random

from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.processes.processes import Processes, Treated
from headcount.tune.servers.registry import find
from headcount.tune.tunable import Tunable

VALUES = {
    "Nice": ("-3", "-7"),
    "IOSchedulingClass": ("best-effort", "realtime"),
    "IOSchedulingPriority": ("0", "6"),
    "CPUAffinity": ("0",),
    "CPUWeight": ("500", "1000"),
    "worker_processes": ("3", "4"),
}
PATIENCE_S = 2


def main(pid: int, folder: str, seed: int) -> None:
    """Change it until somebody ends it."""
    random = Random(seed)
    host = ThisHost()
    server = find(host, [pid])
    mine = [one for one in of_server("process").knob if one.name in VALUES]
    others = [one for one in of_server("nginx").knob if one.name in VALUES]
    treated = Treated(Processes(host, [server]), mine)
    knobs = [*mine, *others]
    tunable = Tunable(
        *(host, server, knobs, folder, lambda: None), treated=treated, patience_s=PATIENCE_S
    )
    while True:
        chosen = random.sample(knobs, random.randint(1, 3))
        changes = {one: random.choice(VALUES[one.name]) for one in chosen}
        tunable.apply(Configuration(changes, "chance"))
        print("changed", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
