"""The display of a failover: a line for each outage instead of one for each level."""

from headcount.bundle.level import LevelResult
from headcount.cli.display import Display


class OutageDisplay(Display):
    """A level with a fault in it passes or fails by chance; what was felt is noted."""

    def level(self, result: LevelResult) -> None:
        """Nothing."""
