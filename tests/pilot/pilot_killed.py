"""Treats a server's processes until it is killed: `pilot_killed.py PID FOLDER SEED`.

Prints a line after each change, so that whoever kills it knows that it has begun.
"""

import sys
from random import Random

from headcount.pilot.journal import Journal
from headcount.pilot.modules import MODULES, Server
from headcount.pilot.treatment import Treatment
from headcount.tune.host import ThisHost

PATIENCE_S = 2


def main(pid: int, folder: str, seed: int) -> None:
    """Treat them one way and another until somebody ends it."""
    random = Random(seed)
    treatment = Treatment([pid])
    Journal(ThisHost(), folder, treatment.script, PATIENCE_S)
    server = Server("server", (0,), 2, "mq-deadline")
    while True:
        number = random.randint(0, len(MODULES))
        treatment.apply(random.sample(list(MODULES.values()), number), server)
        print("changed", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], int(sys.argv[3]))
