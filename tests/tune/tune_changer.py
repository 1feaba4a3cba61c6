"""Changes a running nginx as fast as it can, until it is killed: `tune_changer.py PID FOLDER SEED`.

Prints a line after each change, so that the killer knows that it has begun. With `boot`
behind the rest, everything is undone at boot, too; with `keep`, it ends after a change that stays.
"""

import sys
from random import Random

from headcount.tune.boot import boot_hook
from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.registry import find
from headcount.tune.tunable import Tunable

PATIENCE_S = 2


def main(pid: int, folder: str, seed: int, ending: str = "") -> None:
    """Change it until somebody ends it."""
    random = Random(seed)
    host = ThisHost()
    server = find(host, [pid])
    knobs = [
        knob
        for knob in of_server("nginx").knob
        if knob.name in ("worker_processes", "sendfile", "open_file_cache", "listen backlog")
    ]
    hook = boot_hook(host, folder, [server]) if ending else None
    tunable = Tunable(host, server, knobs, folder, lambda: None, hook=hook, patience_s=PATIENCE_S)
    if ending == "keep":
        tunable.keep(Configuration({knobs[0]: "2"}, "test"))
        tunable.close()
        return
    while True:
        knob = random.choice(knobs)
        value = random.choice([*knob.words, *(["1", "2", "3"] if knob.is_number else [])])
        tunable.apply(Configuration({knob: value}, "chance"))
        print("changed", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), *sys.argv[4:])
