"""Treats a server's processes until it is killed: `pilot_killed.py PID FOLDER SEED GROUPS`.

GROUPS is the root of a hierarchy of control groups, in which `web.service` is the server's. Other
settings are those of this machine.
Prints a line after each change, so that the killer knows that it has begun.
"""

import sys
from pathlib import Path
from random import Random

from headcount.pilot.interrupts import System, interrupts
from headcount.pilot.journal import Journal
from headcount.pilot.modules import MODULES, Server
from headcount.pilot.settings import memory, writeback
from headcount.pilot.treatment import Treatment
from headcount.tune.host import ThisHost

PATIENCE_S = 2
VM = Path("/proc/sys/vm")


def main(pid: int, folder: str, seed: int, groups: Path) -> None:
    """Treat them one way and another until somebody ends it."""
    random = Random(seed)
    own = groups / "web.service"
    settings = memory({"unified": str(own)}, groups) + writeback(VM) + interrupts(System())
    treatment = Treatment([pid], [own], settings.found)
    journal = Journal(ThisHost(), folder, treatment.script, PATIENCE_S)
    treatment.note = journal.note
    server = Server("server", (0,), 2, "mq-deadline")
    while not journal.is_undone:  # its guard may see no beat on a busy machine
        number = random.randint(0, len(MODULES))
        treatment.apply(random.sample(list(MODULES.values()), number), server)
        print("changed", flush=True)
    journal.close()


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]), Path(sys.argv[4]))
