"""The way to an agent, as the controller sees it."""

from collections.abc import Callable
from typing import Protocol

from headcount.generator.message import Message

Deliver = Callable[[Message | None, float], None]
"""Takes what an agent sent and when it came, in seconds of `time.monotonic`; None when the line has
ended. It is called by a thread of the line."""


class Line(Protocol):
    """A line to one agent.

    Attributes:
        name: For people, such as `load2` or `10.0.0.7`.

    """

    name: str

    def open(self, deliver: Deliver) -> None:
        """Begin to deliver. Raises HeadcountError if no agent can be started."""
        ...

    def send(self, message: Message) -> None:
        """Send a message, without waiting for the agent. Does nothing if the line has ended."""
        ...

    def close(self) -> None:
        """End the agent. What is under way is dropped."""
        ...
