"""The agent as a Ray actor."""

import threading
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any

import ray

from headcount.cluster.seal import KeyPair
from headcount.errors import EngineError
from headcount.generator.agent import Agent, ClosedError
from headcount.generator.message import Decoder, Message, encoded


class QueueChannel:
    """Messages that calls to the actor bring and fetch."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.orders: SimpleQueue[Message | None] = SimpleQueue()
        self.reports: SimpleQueue[Message | None] = SimpleQueue()

    def receive(self, patience_s: float) -> Message | None:
        """The next order; None if none came in time. Raises ClosedError."""
        try:
            message = self.orders.get(block=patience_s > 0, timeout=patience_s or None)
        except Empty:
            return None
        if message is None:
            raise ClosedError
        return message

    def send(self, message: Message) -> None:
        """Queue a report; any thread may."""
        self.reports.put(message)


class AgentActor:
    """An agent in a process that Ray has started."""

    def __init__(self) -> None:
        """Wait for a controller."""
        self._keys = KeyPair()
        self._channel = QueueChannel()
        self._decoder = Decoder()
        self._thread = threading.Thread(target=self._run, name="agent", daemon=True)

    def meet(self, theirs: bytes) -> bytes:
        """Take the controller's public key and begin; returns the agent's."""
        self._orders = self._keys.channel(theirs, "orders")
        self._reports = self._keys.channel(theirs, "reports")
        self._thread.start()
        return self._keys.public

    @ray.method(concurrency_group="orders")
    def order(self, sealed: bytes) -> None:
        """Take a sealed order; calls keep their order."""
        try:
            messages = self._decoder.feed(self._orders.open(sealed))
        except EngineError:
            self._channel.orders.put(None)
            raise
        for message in messages:
            self._channel.orders.put(message)

    @ray.method(concurrency_group="reports", num_returns="streaming")
    def reports(self) -> Iterator[bytes]:
        """Sealed reports as they come."""
        while (message := self._channel.reports.get()) is not None:
            yield self._reports.seal(encoded(message))

    def _run(self) -> None:
        try:
            Agent(self._channel).run()
        finally:
            self._channel.reports.put(None)


def agent_actor() -> Any:
    """The actor's class. Ray must never restart or retry it: that would play users twice."""
    options: dict[str, Any] = {
        "max_restarts": 0,
        "max_task_retries": 0,
        "num_cpus": 1,
        "concurrency_groups": {"orders": 1, "reports": 1},
    }
    return ray.remote(**options)(AgentActor)
