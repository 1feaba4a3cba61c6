"""The sockets of a server behind SSH, as ss(8) or the text of /proc/net/tcp shows them."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from headcount.counters.proc.files import integer
from headcount.counters.proc.fine import of_one_look
from headcount.counters.proc.served import AcceptQueues, ConnectionQueues, OwnListeners
from headcount.counters.proc.serving import Place
from headcount.counters.proc.sockets import Listener, ProcTable, Row, parse
from headcount.counters.ssh import script

_INET, _INET6 = 2, 10
_STATES = {"LISTEN": 10, "ESTAB": 1}
"""As ss(8) calls them, with their numbers in include/net/tcp_states.h."""
_SS_S = 2.0
"""How often ss(8) runs; it takes 2 to 3 ms of CPU time, most of it to start."""
_TEXT_S = 5.0
"""How often the text of the tables is read: the kernel takes milliseconds to write it, as it walks
a hash table whose size grows with the machine's memory."""
_ROWS = 1000
"""Connections read per second; with more, reads are less frequent. Our choice: 100 kB a second."""
TITLE = "sockets"


class FarTable(ProcTable):
    """The sockets at some ports, as last read.

    Args:
        ports: Those of the server.
        net: Where to read its network namespace; None for ss(8), which only shows that of the
            login.

    """

    def __init__(self, ports: Iterable[int], net: str | None) -> None:
        """Read nothing yet."""
        super().__init__(net or "")
        self._ports = sorted(set(ports))
        self._net_text = net
        self._rows: list[Row] = []
        self._due_s = float("-inf")

    @classmethod
    def of_namespace(cls, net: str, listening: str) -> "FarTable":
        """A table of all ports with listeners there; `listening` has lines of its tables."""
        listens = _STATES["LISTEN"]
        return cls((row[3] for row in _rows_of_text(listening) if row[1] == listens), net)

    def question(self, at_s: float) -> str | None:
        """The request to send now; None if it is too early."""
        if at_s < self._due_s or not self._ports:
            return None
        if self._net_text is None:
            wanted = " or ".join(f"sport = :{port}" for port in self._ports)
            command = f"ss -Htn state listening state established '( {wanted} )'"
        else:
            patterns = " ".join(f"-e ':{port:04X} '" for port in self._ports)
            command = f"grep {patterns} {self._net_text}/tcp {self._net_text}/tcp6"
        return script.titled(TITLE, command)

    def take(self, text: str, at_s: float) -> None:
        """Take in the answer, and schedule the next request."""
        rows = _rows_of_ss(text) if self._net_text is None else _rows_of_text(text)
        self._rows = [row for row in rows if row[3] in self._ports]
        usual_s = _SS_S if self._net_text is None else _TEXT_S
        self._due_s = at_s + max(usual_s, len(self._rows) // _ROWS) - 0.5

    def sockets(self) -> Iterator[Row]:
        """The sockets as last read."""
        return iter(self._rows)

    def listeners(self) -> list[Listener]:
        """Listening sockets; ss(8) has the limits of their queues in place of bytes to send."""
        return [
            Listener(
                inode, family, address, port, received, sent if self._net_text is None else None
            )
            for family, state, address, port, sent, received, inode in self._rows
            if state == _STATES["LISTEN"]
        ]


def figures(table: FarTable, places: Sequence[Place] | None) -> dict[str, float]:
    """Accept queues and connections at some places, None for all that were read: one look."""
    own = OwnListeners(table, "/proc", None, tuple, places)
    gauges = (AcceptQueues(own), ConnectionQueues(own))
    return of_one_look(look for gauge in gauges for look in gauge.look())


def _rows_of_ss(text: str) -> Iterator[Row]:
    for line in text.splitlines():
        words = line.split()
        if len(words) < 5 or words[0] not in _STATES:
            continue
        place, received, sent = place_of_ss(words[3]), integer(words[1]), integer(words[2])
        if place is not None and received is not None and sent is not None:
            state = _STATES[words[0]]
            yield place.family, state, place.address, place.port, sent, received, 0


@lru_cache(maxsize=1024)
def place_of_ss(text: str) -> Place | None:
    """An address as ss(8) writes it: `*` is any of both families, which is one of IPv6."""
    host, _, port = text.rpartition(":")
    bare = host.strip("[]").partition("%")[0]
    try:
        return Place.of(f"[{'::' if bare == '*' else bare}]:{port}")
    except ValueError:
        return None


def _rows_of_text(text: str) -> Iterator[Row]:
    for line in text.splitlines():
        path, _, rest = line.partition(":")
        yield from parse(f"\n{rest}", _INET6 if path.endswith("6") else _INET)
