"""An agent that is a process of this machine, or one that a command such as `ssh` leads to."""

import os
import select
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence

from headcount.errors import AgentError, EngineError
from headcount.generator.line import Deliver
from headcount.generator.message import Decoder, Message, encoded

AGENT = (sys.executable, "-P", "-m", "headcount.generator")
"""The command of an agent on this machine; it imports nothing from its working directory."""
_READ_BYTES = 1 << 18
_END_S = 3.0
"""How long an agent may take to end."""


class ProcessLine:
    """Leads an agent over its stdin and stdout."""

    def __init__(self, name: str, command: Sequence[str] = AGENT) -> None:
        """Start nothing yet; `command` runs an agent, here or elsewhere."""
        self.name = name
        self._command = command
        self._lock = threading.Lock()
        self._outgoing: deque[bytes] = deque()
        self._woken, self._wake = os.pipe()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None
        self._is_closed = False

    def open(self, deliver: Deliver) -> None:
        """Start the agent and deliver what it sends."""
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is the controller's
            )
        except OSError as error:
            raise AgentError(f"cannot start the agent {self.name}: {error}") from error
        assert self._process.stdin is not None
        os.set_blocking(self._process.stdin.fileno(), False)
        self._thread = threading.Thread(
            target=self._work, args=(self._process, deliver), name=self.name, daemon=True
        )
        self._thread.start()

    def send(self, message: Message) -> None:
        """Send a message, without waiting for the agent."""
        with self._lock:
            if self._is_closed:
                return
            self._outgoing.append(encoded(message))
            os.write(self._wake, b"\0")

    def close(self) -> None:
        """End the agent: by closing its orders, then by force if that does not help."""
        self.send(Message("end"))
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
            os.write(self._wake, b"\0")
        if self._thread is not None:
            self._thread.join(_END_S + 1)
        if self._process is not None:
            try:
                self._process.wait(_END_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        os.close(self._wake)
        os.close(self._woken)

    def _work(self, process: "subprocess.Popen[bytes]", deliver: Deliver) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        decoder = Decoder()
        try:
            while self._turn(process, decoder, deliver):
                pass
        except (OSError, EngineError):
            pass  # the agent is gone, or it is not an agent
        finally:
            process.stdin.close()
            process.stdout.close()
            deliver(None, time.monotonic())

    def _turn(self, process: "subprocess.Popen[bytes]", decoder: Decoder, deliver: Deliver) -> bool:
        """Move all available data; returns whether the line continues."""
        assert process.stdin is not None
        assert process.stdout is not None
        orders, reports = process.stdin.fileno(), process.stdout.fileno()
        if self._is_closed and not self._outgoing:
            return False
        ready = self._ready(reports, orders)
        if not ready:
            return False  # it must end, and does not listen
        if self._woken in ready:
            os.read(self._woken, 4096)
        if orders in ready:
            self._write(orders)
        if reports not in ready:
            return True
        data = os.read(reports, _READ_BYTES)
        at_s = time.monotonic()
        for message in decoder.feed(data):
            deliver(message, at_s)
        return bool(data)

    def _ready(self, reports: int, orders: int) -> set[int]:
        """Which descriptors can be read or written; `select` cannot watch those above 1,023."""
        poll = select.poll()
        for readable in (reports, self._woken):
            poll.register(readable, select.POLLIN)
        if self._outgoing:
            poll.register(orders, select.POLLOUT)
        return {one for one, _ in poll.poll(_END_S * 1000 if self._is_closed else None)}

    def _write(self, orders: int) -> None:
        with self._lock:
            data = self._outgoing.popleft()
            sent = os.write(orders, data)
            if sent < len(data):
                self._outgoing.appendleft(data[sent:])
