"""Who watches a tuning."""

from typing import Protocol

from headcount.controller.listener import Listener, Silent


class TuningListener(Listener, Protocol):
    """Receives the events of a search, and then those of the tuning."""

    def configured(self, text: str) -> None:
        """The turns from now on have these settings: `as it is`, or what is changed."""
        ...


class Unwatched(Silent):
    """Ignores everything."""

    def configured(self, text: str) -> None:
        """Nothing."""
