"""How a server's processes are treated, and how they were: changed by modules, and put back."""

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.errors import InputError
from headcount.pilot import attributes
from headcount.pilot.attributes import Attributes
from headcount.pilot.modules import NICE, Module, Server
from headcount.pilot.work import descendants, threads

RAISED = 10
"""Times the usual share of CPU for the control group of a server."""
_AUTOGROUP = re.compile(r"/autogroup-\d+ nice (-?\d+)")


class Treatment:
    """The processes of one server.

    A thread that begins while they are treated is treated like the one that started it; so it is
    put back to how the first thread of the first process was.
    """

    def __init__(self, roots: Callable[[], Iterable[int]], groups: Iterable[Path] = ()) -> None:
        """Look at how they are treated now; `groups` are control groups of the server alone.

        Raises InputError where there is no process, or one that may not be looked at.
        """
        self._roots = roots
        pids = descendants(roots())
        self._originals: dict[int, Attributes] = {}
        for pid in pids:
            for tid in threads(pid):
                if (one := attributes.read(tid)) is not None:
                    self._originals[tid] = one
        if not self._originals:
            raise InputError("the server has no process any more; start it, and then the pilot")
        first = next(iter(pids))
        self._usual = self._originals[first]
        self._files = {**_shares(groups), **_sessions(pids)}
        self._modules: Sequence[Module] = ()

    def apply(self, modules: Sequence[Module], server: Server) -> None:
        """Treat all threads as these modules have it, and no others; raises InputError."""
        self._modules = modules
        try:
            for place, pid in enumerate(descendants(self._roots())):
                for tid in threads(pid):
                    self._treat(tid, place, modules, server)
            is_raised = any(one.raises_group for one in modules)
            for file, (original, raised) in self._files.items():
                _write(file, raised if is_raised else original)
        except PermissionError as error:
            raise InputError(
                "only root may give a server more than others: run headcount pilot as root"
            ) from error

    def _treat(self, tid: int, place: int, modules: Sequence[Module], server: Server) -> None:
        now = attributes.read(tid)
        original = self._originals.get(tid, self._usual)
        if now is None or not original.is_usual:
            return
        wanted = original
        for one in modules:
            wanted = one.treated(wanted, place, server)
        attributes.change(tid, now, wanted)

    def put_back(self, server: Server) -> None:
        """Treat everybody as before."""
        self.apply((), server)

    @property
    def script(self) -> list[str]:
        """Lines of the script that puts everything back, whoever has gone by then."""
        trees = ((pid, _began(pid)) for pid in self._roots())
        others = {tid: one for tid, one in self._originals.items() if one != self._usual}
        return [
            *(f"tree {pid} {began} {_words(self._usual)}" for pid, began in trees if began),
            *(
                f"thread {tid} {began} {_words(one)}"
                for tid, one in others.items()
                if (began := _began(tid))
            ),
            *(f"set_back {file} {original}" for file, (original, _) in self._files.items()),
        ]


def _words(one: Attributes) -> str:
    io_class = "-" if one.io_class is None else one.io_class
    cpus = ",".join(map(str, sorted(one.cpus)))
    return f"{one.nice} {one.policy} {io_class} {one.io_level} {cpus}"


def _began(tid: int) -> int | None:
    text = read_text(f"/proc/{tid}/stat")
    return None if text is None else int(text[text.rindex(")") + 2 :].split()[19])


def _shares(groups: Iterable[Path]) -> Mapping[str, tuple[str, str]]:
    """Files that say how much CPU groups get, with what they say and ten times the usual."""
    found = {}
    for folder in groups:
        for name, usual in (("cpu.weight", 100), ("cpu.shares", 1024)):
            text = read_text(str(folder / name))
            if text is not None:
                found[str(folder / name)] = (text.strip(), str(usual * RAISED))
    return found


def _sessions(pids: Sequence[int]) -> Mapping[str, tuple[str, str]]:
    """The same of sessions in which there is nobody but the server (sched(7), autogroups)."""
    own = {session for pid in pids if (session := _session(pid))}
    for name in os.listdir("/proc"):  # noqa: PTH208 - hot path
        if name.isdecimal() and int(name) not in pids:
            own.discard(_session(int(name)))
    found: dict[str, tuple[str, str]] = {}
    for pid in pids:
        session = _session(pid)
        match = _AUTOGROUP.match(read_text(f"/proc/{pid}/autogroup") or "")
        if session in own and match is not None:
            own.discard(session)
            found[f"/proc/{pid}/autogroup"] = (match[1], str(NICE))
    return found


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except OSError:
        return None


def _write(file: str, value: str) -> None:
    try:
        with open(file, "w", encoding="ascii") as opened:  # noqa: PTH123 - no Path for /proc
            opened.write(value)
    except PermissionError:
        raise
    except OSError:  # the process, or the group, has gone
        return
