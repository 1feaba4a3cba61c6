"""The way to a controller that has started this process: its stdin and stdout."""

import os
import select
import signal
import threading
from typing import Self

from headcount.errors import EngineError
from headcount.generator.agent import ClosedError
from headcount.generator.message import Decoder, Message, encoded

_READ_BYTES = 1 << 18


class PipeChannel:
    """A pair of pipes to the controller."""

    def __init__(self, orders: int, reports: int) -> None:
        """Read orders from one file descriptor, and write reports to the other."""
        self._orders, self._reports = orders, reports
        self._decoder = Decoder()
        self._waiting: list[Message] = []
        self._lock = threading.Lock()

    @classmethod
    def of_process(cls) -> Self:
        """Use stdin and stdout; printed text cannot get between the messages."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the controller's
        reports = os.dup(1)
        os.dup2(2, 1)
        os.set_inheritable(reports, False)
        return cls(0, reports)

    def receive(self, patience_s: float) -> Message | None:
        """The next message; None if none came in time. Raises ClosedError."""
        if not self._waiting and select.select([self._orders], [], [], patience_s)[0]:
            data = os.read(self._orders, _READ_BYTES)
            if not data:
                raise ClosedError
            try:
                self._waiting += self._decoder.feed(data)
            except EngineError as error:
                raise ClosedError from error
        return self._waiting.pop(0) if self._waiting else None

    def send(self, message: Message) -> None:
        """Send a message; any thread may."""
        data = memoryview(encoded(message))
        with self._lock:
            while data:
                data = data[os.write(self._reports, data) :]
