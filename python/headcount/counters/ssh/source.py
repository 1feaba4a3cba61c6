"""The live source of a Linux machine over SSH."""

import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from headcount.counters.address import Address
from headcount.counters.clock import ClockEstimate
from headcount.counters.origin import OLD_S, Origin
from headcount.counters.proc import host as hosts
from headcount.counters.proc.devices import ToldDevices
from headcount.counters.proc.files import integer
from headcount.counters.proc.memory import PAGE_BYTES
from headcount.counters.proc.process import TICKS_PER_S
from headcount.counters.proc.serving import Found
from headcount.counters.proc.source import SAMPLER_CPU_TIME
from headcount.counters.query import FarQuery
from headcount.counters.source import Sample
from headcount.counters.ssh import script
from headcount.counters.ssh.child import (
    ANSWER_S,
    LOGIN_S,
    MOST_BYTES,
    MOST_BYTES_OF_ALL,
    SshChild,
)
from headcount.counters.ssh.machine import FarMachine
from headcount.counters.ssh.members import Units
from headcount.counters.ssh.server import FarServer
from headcount.errors import TargetError

_CLOCK_READINGS = 3
"""Clock readings in a row after a login, whose first answer is slow."""
_MS_PER_S = 1000.0


@dataclass(frozen=True, slots=True)
class Hello:
    """The other end's greeting.

    Attributes:
        system: `Linux`, or what it is else.
        host: The machine's own name.
        kernel: The kernel's version.
        page_bytes: Size of its pages, None if unknown.
        tick_s: Unit of CPU time, None if unknown.
        own: The process that answers, None if unknown.
        processor: The kind of its processors, as uname(2) has it.
        paths: The listing of sysfs; see :class:`ToldDevices`.

    """

    system: str
    host: str | None
    kernel: str
    page_bytes: int | None
    tick_s: float | None
    own: int | None = None
    processor: str = ""
    paths: tuple[str, ...] = ()

    @classmethod
    def parse(cls, lines: Iterable[str]) -> "Hello":
        """Parse the greeting; skips lines that a shell's start-up files print before it."""
        facts: dict[str, list[str]] = {}
        began = False
        for line in lines:
            if line == script.HELLO:
                began = True
            elif began:
                key, _, value = line.partition(" ")
                facts.setdefault(key, []).append(value)
        first = {key: values[0] for key, values in facts.items()}
        ticks = integer(first.get("tick", ""))
        return cls(
            system=first.get("system", ""),
            host=first.get("host") or None,
            kernel=first.get("kernel", ""),
            page_bytes=integer(first.get("page", "")),
            tick_s=1 / ticks if ticks else None,
            own=integer(first.get("self", "")),
            processor=first.get("processor", ""),
            paths=(*facts.get("block", ()), *facts.get("path", ())),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """One answer.

    Attributes:
        at_s: When it was, by our steady clock.
        host: Its figures of the machine.
        own_ticks: CPU time that reading has taken there so far; None if unknown.
        texts: Everything that was read, by its name.

    """

    at_s: float
    host: hosts.Host = field(default_factory=hosts.Host)
    own_ticks: int | None = None
    texts: Mapping[str, str] = field(default_factory=dict)


class SshSource:
    """Counters of a Linux machine, read over one persistent SSH login.

    Args:
        address: The login.
        name: Whose counters these are.
        query: The server to follow there; None for counters of the machine alone.
        old_s: No rates of the machine since an older answer.

    """

    def __init__(
        self, address: Address, name: str, query: FarQuery | None = None, old_s: float = OLD_S
    ) -> None:
        """Log in; raises TargetError or SystemLimitError that says what is wrong and what to do."""
        self.name = name
        self._address = address
        self._query = query
        self._old_s = old_s
        self._server: FarServer | None = None
        self._clock = ClockEstimate()
        self._number = 0
        self._previous: Reading | None = None
        self._closed = False
        self._child: SshChild | None = None
        self._busy = threading.Lock()
        self._hello = Hello("", None, "", None, None)
        try:
            self._log_in()
        except TargetError:
            self._drop()
            raise

    @property
    def origin(self) -> Origin:
        """Where the counters come from."""
        return Origin(
            self._address.text,
            f"/proc of Linux {self._hello.kernel}, over ssh",
            self._hello.host,
            "linux",
            self._clock.offset,
            self._clock.steps,
        )

    @property
    def found(self) -> Found:
        """The server as it was found last; nothing if none is followed."""
        return self._server.found if self._server is not None else Found()

    def find(self) -> Found:
        """Search for the server again, as after a restart; raises TargetError without an answer."""
        with self._busy:
            if self._child is None:
                self._log_in()
            elif self._server is not None:
                machine = FarMachine(self._ask, self._address, self._hello.own or 0)
                self._server.look(machine, self._ask, time.monotonic())
        return self.found

    @property
    def programs_behind(self) -> Mapping[str, str]:
        """The programs that the server is connected to on its machine, by address."""
        return dict(self._server.programs_behind) if self._server is not None else {}

    def sample(self) -> Sample:
        """Read now; rates cover the time since the last reading.

        Raises TargetError without an answer; the next call logs in again.
        """
        with self._busy:
            try:
                if self._child is None:
                    self._log_in()
                self._keep_up()
                now = self._read()
            except TargetError:
                self._drop()
                raise
        values = hosts.gauges(now.host)
        was = self._previous
        if was is not None and 0 < now.at_s - was.at_s < self._old_s:
            devices = ToldDevices(self._hello.paths)
            values |= hosts.delta(
                was.host, now.host, now.at_s - was.at_s, devices, self._hello.page_bytes
            )
            values |= self._cost(was, now)
        self._previous = now
        if self._server is not None:
            values |= self._server.figures(now.at_s, now.texts, now.host, now.own_ticks)
        return Sample(now.at_s, values)

    def close(self) -> None:
        """Log out; a thread that waits for an answer gets none."""
        self._closed = True
        child = self._child
        if child is not None:
            child.end()
        with self._busy:
            self._drop()

    def _drop(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            child.close()

    def _log_in(self) -> None:
        self._child = child = SshChild(self._address)
        if self._closed:
            raise TargetError(f"no counters from {self._address.text}: the source was closed")
        self._hello = hello = Hello.parse(child.greet())
        if hello.system != "Linux":
            raise TargetError(
                f"no counters from {self._address.text}: it runs {hello.system or 'no Linux'}, and "
                "only Linux has /proc; run node_exporter or windows_exporter there and use its "
                "address"
            )
        self._server = None  # its requests are defined in the previous shell
        for _ in range(_CLOCK_READINGS):
            self._read()
        self._keep_up()

    def _keep_up(self) -> None:
        """Search for the server, or for its new processes, if it is time."""
        if self._query is None:
            return
        now_s = time.monotonic()
        if self._server is None:
            ticks_per_s = 1 / self._hello.tick_s if self._hello.tick_s else TICKS_PER_S
            page_bytes = self._hello.page_bytes or PAGE_BYTES
            units = Units(page_bytes, ticks_per_s, self._hello.processor)
            self._server = FarServer(self._query, units)
        if self._server.is_due(now_s):
            machine = FarMachine(self._ask, self._address, self._hello.own or 0)
            self._server.look(machine, self._ask, now_s)
        else:
            self._server.join(self._ask, now_s)

    def _read(self) -> Reading:
        question = script.HOST
        if self._server is not None:
            question = self._server.question(time.monotonic())
        asked_s, heard_s, written, lines = self._exchange(question)
        texts = script.texts(lines)
        if "/proc/stat" not in texts:
            raise TargetError(f"no counters from {self._address.text}: its /proc is not readable")
        at_s = self._time(written, asked_s, heard_s)
        server = self._server

        def text(name: str) -> str:
            return server.host_text(texts, name) if server else texts.get(f"/proc/{name}", "")

        own = texts.get(f"/proc/{self._hello.own}/stat", "")
        return Reading(at_s, hosts.read(text), _own_ticks(own), texts)

    def _ask(self, question: str) -> list[str]:
        """Send a request about all processes, which may take as long as a login."""
        return self._exchange(question, LOGIN_S, MOST_BYTES_OF_ALL)[-1]

    def _exchange(
        self, question: str, patience_s: float = ANSWER_S, most_bytes: int = MOST_BYTES
    ) -> tuple[float, float, str, list[str]]:
        """Send a request; returns when we asked and heard, the time there, and the lines."""
        child = self._child
        if child is None:
            raise TargetError(f"no counters from {self._address.text}: the source was closed")
        self._number += 1
        asked_s = time.monotonic()
        child.ask(self._number, question)
        time_line = child.lines_until(f"{script.TIME} {self._number} ")[-1]
        heard_s = time.monotonic()
        end = f"{script.END} {self._number}"
        lines = child.lines_until(end, patience_s, most_bytes)
        return asked_s, heard_s, time_line.rpartition(" ")[2], lines[:-1]

    def _time(self, written: str, asked_s: float, heard_s: float) -> float:
        """The time of the answer by our steady clock; updates the estimate of the other clock."""
        whole, _, fraction = written.partition(".")
        seconds = integer(whole)
        if seconds is None:
            return (asked_s + heard_s) / 2
        part = integer(fraction)
        if part is None:  # a `date` without fractions
            self._clock.observe(asked_s, heard_s, seconds, resolution_s=1.0)
            return (asked_s + heard_s) / 2
        written_s = seconds + part / 10 ** len(fraction)
        self._clock.observe(asked_s, heard_s, written_s)
        return self._clock.local_s(written_s, asked_s, heard_s)

    def _cost(self, was: Reading, now: Reading) -> dict[str, float]:
        """CPU time of the reader at the other end since the last reading."""
        tick_s = self._hello.tick_s
        if tick_s is None or was.own_ticks is None or now.own_ticks is None:
            return {}
        spent = now.own_ticks - was.own_ticks
        return {SAMPLER_CPU_TIME: spent * tick_s * _MS_PER_S} if spent >= 0 else {}


def _own_ticks(stat: str) -> int | None:
    """CPU time of a process and of its children that have ended, from its `/proc/PID/stat`."""
    words = stat.rpartition(")")[2].split()
    # utime, stime, cutime and cstime are fields 14 to 17 of proc(5); the bracket ends the 2nd.
    numbers = [integer(word) for word in words[11:15]]
    known = [number for number in numbers if number is not None]
    return sum(known) if len(known) == 4 else None
