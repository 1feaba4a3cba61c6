"""The display of a failover: a line for each outage instead of one for each level."""

from headcount.bundle.level import LevelResult
from headcount.cli.display import Display


class OutageDisplay(Display):
    """Prints no line for a level: with a fault in it, whether it passes is chance."""

    def level(self, result: LevelResult) -> None:
        """Print nothing."""
