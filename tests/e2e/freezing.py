"""A run whose server stops in the middle of a level, and how it ends."""

from dataclasses import dataclass
from pathlib import Path
from signal import SIGCONT, SIGSTOP

from file_server import alive, lab_processes, signal_all
from processes import Ended, Headcount, phase

FORGIVING_S = 120.0
"""What a frozen server takes to be given up: a minute, after a level of seconds."""


@dataclass
class Frozen:
    """A run whose server was stopped, as it was left."""

    ended: Ended
    bundle: Path
    still_there: list[int]
    leftovers: list[str]


class Freezing:
    """The run under way: it takes a minute to give such a server up."""

    def __init__(self, headcount: Headcount) -> None:
        """Start it, wait until it measures, and stop all of its server."""
        self._headcount = headcount
        self._run = headcount.start(
            *("run", "home-folders", "--target", "lab:samba", "--levels", "4,6"),
            *("--scale", "0.01", "--pace", "200ms", "--ramp", "0s", "--settle", "0s"),
            *("--duration", "8s"),  # so long that the server stops well before its end
        )
        self._run.reach(lambda: bool(headcount.bundles()) and phase(headcount.bundle) == "steady")
        self._server = lab_processes(headcount)
        assert len(self._server) > 4
        signal_all(self._server, SIGSTOP)

    def frozen(self) -> Frozen:
        """Wait for the end."""
        ended = self._run.ended(FORGIVING_S)
        leftovers = self._headcount.leftovers()
        return Frozen(ended, self._headcount.bundle, alive(self._server), leftovers)

    def close(self) -> None:
        """End everything, also after a failure."""
        signal_all(lab_processes(self._headcount), SIGCONT)
        self._headcount.close()
