"""Changes an nginx by a restart, until it is killed: `tune_restarter.py FOLDER JOURNAL`."""

import sys
import time
from pathlib import Path

from headcount.tune.change import Configuration
from headcount.tune.host import ThisHost
from headcount.tune.knobs.library import of_server
from headcount.tune.restart import ByCommand
from headcount.tune.servers.registry import find
from headcount.tune.tunable import Tunable

PATIENCE_S = 2


def main(folder: Path, journal: str) -> None:
    """Change it once."""
    host = ThisHost()
    knob = next(one for one in of_server("nginx").knob if one.name == "listen backlog")

    def pids() -> list[int]:
        return [int((folder / "pid").read_text())]

    restart = ByCommand(host, ["sh", str(folder / "restart")], pids)
    server = find(host, pids())
    tunable = Tunable(
        *(host, server, [knob], journal, lambda: None), restart=restart, patience_s=PATIENCE_S
    )
    tunable.apply(Configuration({knob: "4096"}, "test"))
    print("changed", flush=True)
    time.sleep(60)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
