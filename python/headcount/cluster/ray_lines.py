"""Lines to agents on the machines of a Ray cluster, one on each.

Ray itself runs in a process of its own (`driver`): if a cluster's head goes away, Ray ends the
process that uses it, or waits for ever.
"""

import sys
import threading
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from queue import Empty, SimpleQueue

from headcount.cluster.probe import check_cluster
from headcount.cluster.seal import KeyPair, SealedWay
from headcount.errors import AgentError, EngineError, InputError
from headcount.generator.line import Deliver, Line
from headcount.generator.message import Decoder, Message, encoded
from headcount.generator.process_line import ProcessLine

DRIVER = (sys.executable, "-P", "-m", "headcount.cluster.driver")
_PLACE_S, _MEET_S = 90.0, 60.0
"""How long Ray may take to find machines, and to start an agent's process on one."""


class RayLine:
    """Leads an agent that is a Ray actor. All that passes through Ray is sealed."""

    def __init__(self, name: str, driver: "Driver", index: int) -> None:
        """Start nothing yet."""
        self.name = name
        self._driver, self._index = driver, index
        self._keys = KeyPair()
        self._orders: SealedWay | None = None
        self._lock = threading.Lock()
        self._decoder = Decoder()
        self._deliver: Deliver | None = None

    def open(self, deliver: Deliver) -> None:
        """Start the actor and deliver what it sends."""
        theirs = b64decode(self._driver.meet(self._index, self._keys.public, self.name))
        self._reports = self._keys.channel(theirs, "reports")
        self._deliver = deliver
        self._driver.join(self._index, self)
        self._orders = self._keys.channel(theirs, "orders")

    def send(self, message: Message) -> None:
        """Send a message, without waiting for the agent."""
        with self._lock:
            if self._orders is not None:
                self._driver.order(self._index, self._orders.seal(encoded(message)))

    def take(self, sealed: bytes | None, at_s: float) -> None:
        """Deliver what the agent sent; None means that it has ended."""
        if self._deliver is None:
            return
        try:
            messages = [] if sealed is None else self._decoder.feed(self._reports.open(sealed))
        except EngineError:
            sealed, messages = None, []  # not an agent
        for message in messages:
            self._deliver(message, at_s)
        if sealed is None:
            deliver, self._deliver = self._deliver, None
            deliver(None, at_s)

    def close(self) -> None:
        """End the agent."""
        self.send(Message("end"))
        with self._lock:
            self._orders = None
        self._driver.leave(self._index)


class Driver:
    """The process that uses Ray, until the last of its lines is closed.

    Attributes:
        names: The machines that have an agent each.
        cpus: How many Ray has there.

    """

    def __init__(self, address: str, number: int) -> None:
        """Find machines for this many agents. Raises HeadcountError if there are fewer."""
        self._answers: Mapping[int | None, SimpleQueue[Message | None]] = {
            index: SimpleQueue() for index in (None, *range(number))
        }
        self._lines: dict[int, RayLine] = {}
        self._left = set(range(number))
        self._lock = threading.Lock()
        self._process = ProcessLine(f"ray://{address}", (*DRIVER, address, str(number)))
        self._process.open(self._take)
        try:
            placed = self._answer(None, "placed", _PLACE_S, f"the Ray cluster at {address}")
        except BaseException:
            self._process.close()
            raise
        self.names: Sequence[str] = placed.values["names"]
        self.cpus: Sequence[int] = placed.values["cpus"]

    def meet(self, index: int, public: bytes, name: str) -> str:
        """Start an agent and send it a public key; returns its own. Raises HeadcountError."""
        self._process.send(Message("meet", {"index": index, "key": b64encode(public).decode()}))
        return str(self._answer(index, "met", _MEET_S, f"the agent on {name}").values["key"])

    def join(self, index: int, line: RayLine) -> None:
        """From now on, deliver what an agent sends to its line."""
        self._lines[index] = line
        self._process.send(Message("listen", {"index": index}))

    def order(self, index: int, sealed: bytes) -> None:
        """Send an order to an agent."""
        self._process.send(Message("order", {"index": index}, sealed))

    def leave(self, index: int) -> None:
        """End an agent; after the last one, disconnect from Ray."""
        with self._lock:
            was_last = self._left == {index}
            self._left.discard(index)
        self._process.send(Message("kill", {"index": index}))
        if was_last:
            self._process.close()

    def _answer(self, index: int | None, kind: str, patience_s: float, what: str) -> Message:
        try:
            answer = self._answers[index].get(timeout=patience_s)
        except Empty:
            raise AgentError(f"{what} does not answer within {patience_s:g} s") from None
        if answer is None:
            raise AgentError(f"{what} was lost: Ray has ended")
        if answer.kind == "refused":
            raise InputError(answer.values["text"])
        if answer.kind != kind:
            raise AgentError(str(answer.values.get("text", f"{what} cannot be used")))
        return answer

    def _take(self, message: Message | None, at_s: float) -> None:
        if message is None:
            for answers in self._answers.values():
                answers.put(None)
            for line in list(self._lines.values()):
                line.take(None, at_s)
        elif message.kind in {"report", "gone"}:
            line = self._lines[message.values["index"]]
            line.take(message.body if message.kind == "report" else None, at_s)
        else:
            self._answers[message.values.get("index")].put(message)


def open_lines(address: str, number: int) -> tuple[Sequence[Line], Sequence[int]]:
    """Lines to this many agents, each on a machine of its own, and the CPUs of each machine.

    Raises HeadcountError if there are fewer machines.
    """
    if find_spec("ray") is None:  # the driver and the probes need it
        raise ModuleNotFoundError(name="ray")
    check_cluster(address)
    driver = Driver(address, number)
    lines = [RayLine(name, driver, index) for index, name in enumerate(driver.names)]
    return lines, driver.cpus
