"""How a server's processes are treated, and how they were: changed by modules, and put back."""

import os
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.counters.proc.files import read_text
from headcount.errors import InputError
from headcount.pilot.modules import NICE, Module, Server
from headcount.pilot.settings import Setting, shares
from headcount.pilot.work import began, descendants, threads
from headcount.tune.processes import attributes
from headcount.tune.processes.attributes import Attributes, words

_AUTOGROUP = re.compile(r"/autogroup-\d+ nice (-?\d+)")


class Treatment:
    """The processes of one server.

    A thread that begins meanwhile inherits the treatment of the one that started it, so it is reset
    to the original treatment of the first process's first thread.
    """

    def __init__(
        self,
        roots: Sequence[int],
        groups: Iterable[Path] = (),
        settings: Iterable[Setting] = (),
    ) -> None:
        """Look at how they are treated now.

        `roots` are its first processes, `groups` control groups of the server alone, `settings`
        other files that modules change.

        Raises InputError if there is no process, or one that this user may not look at.
        """
        self._roots = roots
        pids = descendants(roots)
        self._originals: dict[int, Attributes] = {}
        for pid in pids:
            for tid in threads(pid):
                if (one := attributes.read(tid)) is not None:
                    self._originals[tid] = one
        if not self._originals:
            raise InputError("the server has no process left; start it, and then the pilot")
        self._usual = next(iter(self._originals.values()))
        self._settings = [*shares(groups), *settings]
        self._changed: set[str] = set()
        self._noted: set[str] = set()
        self.note: Callable[[str], None] | None = None
        """Called with each file before its first change, so that it can be put back."""
        self._sessions = _sessions(pids)

    def apply(self, modules: Sequence[Module], server: Server) -> None:
        """Treat all threads as these modules do, and undo all others; raises InputError."""
        try:
            for place, pid in enumerate(descendants(self._roots)):
                for tid in threads(pid):
                    self._treat(tid, place, modules, server)
            self._set({one.name for one in modules})
            is_raised = any(one.raises_session for one in modules)
            for pid, share in self._sessions.items():
                _write(f"/proc/{pid}/autogroup", share.raised if is_raised else share.original)
        except PermissionError as error:
            raise InputError(
                "only root may give a server priority over others: run headcount pilot as root"
            ) from error

    def _set(self, names: Collection[str]) -> None:
        """Change the files of these modules, and put back those of others that were changed."""
        for one in self._settings:
            if one.module in names:
                if self.note is not None and one.back not in self._noted:
                    self.note(one.back)
                    self._noted.add(one.back)
                self._changed.add(one.file)
                _write(one.file, one.wanted())
            elif one.file in self._changed:
                self._changed.remove(one.file)
                _write(one.back, one.original)

    def _treat(self, tid: int, place: int, modules: Sequence[Module], server: Server) -> None:
        now = attributes.read(tid)
        original = self._originals.get(tid, self._usual)
        if now is None or not now.is_usual or not original.is_usual:
            return
        wanted = original
        for one in modules:
            wanted = one.treated(wanted, place, server)
        attributes.change(tid, now, wanted)

    @property
    def script(self) -> list[str]:
        """Lines of the script that puts everything back, even if some processes are gone."""
        trees = ((pid, began(pid)) for pid in self._roots)
        others = {tid: one for tid, one in self._originals.items() if one != self._usual}
        return [
            *(f"tree {pid} {since} {words(self._usual)}" for pid, since in trees if since),
            *(
                f"thread {tid} {since} {words(one)}"
                for tid, one in others.items()
                if (since := began(tid))
            ),
            *(f"set_back {shlex.quote(one.back)} {one.original}" for one in self._settings),
            *(
                f"session {pid} {began(pid)} {share.original}"
                for pid, share in self._sessions.items()
            ),
        ]


@dataclass(frozen=True, slots=True)
class Share:
    """The nice value of a session: as it was, and raised."""

    original: str
    raised: str


def _sessions(pids: Sequence[int]) -> Mapping[int, Share]:
    """Shares of sessions that hold only the server, by a process in each.

    Sessions are autogroups (sched(7)): a nice value counts only within one.
    """
    own = {session for pid in pids if (session := _session(pid))}
    for name in os.listdir("/proc"):  # noqa: PTH208 - hot path
        if name.isdecimal() and int(name) not in pids:
            own.discard(_session(int(name)))
    found: dict[int, Share] = {}
    for pid in pids:
        session = _session(pid)
        match = _AUTOGROUP.match(read_text(f"/proc/{pid}/autogroup") or "")
        if session in own and match is not None:
            own.discard(session)
            found[pid] = Share(match[1], str(min(int(match[1]), NICE)))
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
