"""An agent: it plays its part of the users as a controller says, as long as the controller lives.

A load without supervision is the worst that a generator can leave behind. So an agent that has not
heard from its controller for some seconds ends its load itself.
"""

import os
import platform
import time
from collections.abc import Callable
from typing import Protocol

from headcount import __version__, _engine
from headcount.counters.environment import describe_host
from headcount.errors import HeadcountError
from headcount.generator.handles import ensure_handles
from headcount.generator.machine import boot_id
from headcount.generator.making import Making
from headcount.generator.message import Message
from headcount.generator.playing import Playing
from headcount.generator.real_time import real_time
from headcount.generator.speed import measured_speeds
from headcount.plan.sent_files import SentFiles

LEASE_S = 5.0
"""An agent ends its load when it has not heard from its controller for this long."""
LEAVE_S = 60.0
"""An agent without a load exits when it has not heard from its controller for this long."""
EARLY_S = 0.002
"""A sleep overruns by less than this on a machine with a spare CPU."""


class ClosedError(Exception):
    """The controller has gone."""


class Channel(Protocol):
    """The way to the controller and back."""

    def receive(self, patience_s: float) -> Message | None:
        """The next message; None if none came in time. Raises ClosedError."""
        ...

    def send(self, message: Message) -> None:
        """Send a message; any thread may. Raises OSError if the controller is gone."""
        ...


class Agent:
    """Does what a controller asks for.

    Attributes:
        files: Those that steps send, as far as they have come, for the engine that starts next.

    """

    def __init__(self, channel: Channel, clock: Callable[[], float] = time.monotonic) -> None:
        """Wait for orders on a channel."""
        self._channel = channel
        self._clock = clock
        self._playing: Playing | None = None
        self._making: Making | None = None
        self.files: SentFiles = {}
        self._due: list[tuple[float, Message]] = []
        self._heard_s = clock()
        self._has_lapsed = False

    def run(self) -> None:
        """Work until the controller ends the agent, or is gone.

        Orders are obeyed on time even on a fully loaded machine.
        """
        try:
            with real_time():
                while self._turn():
                    pass
        except (ClosedError, OSError):
            return
        finally:
            self._close()

    def _turn(self) -> bool:
        now_s = self._clock()
        message = self._channel.receive(self._patience_s(now_s))
        if message is not None:
            self._heard_s = self._clock()
            if message.kind == "end":
                return False
            self._take(message)
        self._obey_due_orders()
        silent_s = self._clock() - self._heard_s
        if silent_s > LEASE_S and (self._playing or self._making) is not None:
            self._close()
            self._has_lapsed = True
        return silent_s <= LEAVE_S

    def _patience_s(self, now_s: float) -> float:
        next_s = min((at_s for at_s, _ in self._due), default=now_s + 0.5)
        return min(max(next_s - now_s - EARLY_S, 0.0), 0.5)

    def _take(self, message: Message) -> None:
        """Obey an order at once, or keep it until its moment."""
        if message.kind == "ping":
            self._channel.send(Message("pong", {**message.values, "now_s": self._clock()}))
            if self._has_lapsed:
                self._has_lapsed = False
                self._channel.send(Message("lapsed", {"after_s": LEASE_S}))
        elif message.kind == "hello":
            self._channel.send(Message("hello", introduction()))
        elif message.kind == "close":
            self._close()
            self._channel.send(Message("closed", message.values))
        elif message.kind == "measure":
            self._channel.send(
                Message("speed", {"blocks_per_s": measured_speeds(message.values["cpus"])})
            )
        elif message.kind == "ensure":
            self._try("ensured", message, self._ensure)
        elif message.kind == "file":
            self._take_file(message)
        elif message.kind == "start":
            self._try("", message, self._start)
        elif message.kind == "make":
            self._end_load()
            self._making = Making(message.values, self._channel.send)
        else:
            self._due.append((float(message.values["at_s"]), message))

    def _take_file(self, message: Message) -> None:
        """Keep a piece of a file for the engine that is started next."""
        values = message.values
        if values["is_first"]:
            self.files.clear()
        held = self.files.setdefault(values["path"], bytearray())
        held += message.body  # extends it in place
        self._channel.send(Message("filed", {"generation": values["generation"]}))

    def _obey_due_orders(self) -> None:
        while self._due and min(at_s for at_s, _ in self._due) - self._clock() <= EARLY_S:
            at_s, message = min(self._due, key=lambda one: one[0])
            self._due.remove((at_s, message))
            time.sleep(max(at_s - self._clock(), 0.0))
            self._try("", message, self._obey)

    def _start(self, message: Message) -> None:
        self._end_load()
        self._has_lapsed = False
        files, self.files = self.files, {}
        self._playing = Playing(message.values, self._channel.send, files)
        self._playing.start()

    def _obey(self, message: Message) -> None:
        values = message.values
        if self._playing is None or values["generation"] != self._playing.generation:
            return  # an order for a load that has ended
        if message.kind == "users":
            self._playing.set_users(values["users"], values["ramp_s"])
            late_s = self._clock() - values["at_s"]
            self._channel.send(
                Message("obeyed", {"generation": values["generation"], "late_s": late_s})
            )
        elif message.kind == "stop":
            self._playing.stop(values["drain_s"])

    def _ensure(self, message: Message) -> None:
        values = message.values
        ensure_handles(values["protocol"], values["users"], values["local_ips"])

    def _try(self, answer: str, message: Message, act: Callable[[Message], None]) -> None:
        """Call `act`; send an error to the controller."""
        generation = message.values["generation"]
        try:
            act(message)
        except HeadcountError as error:
            name, text = type(error).__name__, str(error)
            values = {"generation": generation, "error": name, "text": text}
            self._channel.send(Message("failed", values))
            return
        if answer:
            self._channel.send(Message(answer, {"generation": generation}))

    def _close(self) -> None:
        self._due.clear()
        self._end_load()

    def _end_load(self) -> None:
        for work in (self._playing, self._making):
            if work is not None:
                work.close()
        self._playing = self._making = None


def introduction() -> dict[str, object]:
    """What an agent reports about itself and its machine."""
    return {
        "version": __version__,
        "build": _engine.PROFILE,
        "host": platform.node(),
        "boot": boot_id(),
        "pid": os.getpid(),
        "cpus": cpu_count(),
        "about": describe_host(__version__, []).model_dump(mode="json"),
    }


def cpu_count() -> int:
    """How many CPUs this process may use."""
    return len(os.sched_getaffinity(0))
