"""A machine over SSH, with the interface for finding servers.

Files of all processes are read at once, everything else on demand. Nothing is cached for longer
than one lookup.
"""

import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from headcount.counters.address import Address
from headcount.counters.proc import groups
from headcount.counters.proc.files import integer
from headcount.counters.proc.machine import PID_OF_CONTAINER, RUNTIMES, descendants
from headcount.counters.proc.process import parse_stat
from headcount.counters.proc.sockets import Listener, parse
from headcount.counters.ssh import script

_INET, _INET6 = 2, 10
_LISTEN = 10
"""TCP_LISTEN of include/net/tcp_states.h."""
_EVERYBODY = ("/proc/[0-9]*/stat", "/proc/[0-9]*/cgroup")
_GENERAL = ("/proc/self/cgroup", "/proc/self/mountinfo", "/proc/uptime")
_TABLES = {"/proc/net/tcp": _INET, "/proc/net/tcp6": _INET6}
_PROCESS = re.compile(r"/proc/(\d+)/stat")
_FOLDER = re.compile(r"/proc/(\d+)/fd:")
_GROUP = re.compile(r"\bino:(\d+)\b.*\bcgroup:(/\S*)")
"""A socket's inode and group in a line of ss(8), `--extended`."""

Ask = Callable[[str], Iterable[str]]
"""Sends a request and returns the lines of its answer; raises TargetError without one."""


class FarMachine:
    """The machine on which a server is searched for.

    Args:
        ask: Sends a request there.
        address: The login, as it was given.
        own: The shell that answers.

    """

    proc = "/proc"
    sys = Path("/sys")

    def __init__(self, ask: Ask, address: Address, own: int) -> None:
        """Read the files of all processes; raises TargetError without an answer."""
        self._ask = ask
        self._address = address
        self.own = own
        listening = " ".join(["grep -e ' 0A '", *_TABLES])
        question = "; ".join(
            (
                script.matching((*_EVERYBODY, *_GENERAL)),
                script.titled("listening", listening),
                script.titled("sockets", "ss -Hltne"),
            )
        )
        texts = dict(script.texts(ask(question)))
        self._listening = _tables(texts.pop("/listening", ""))
        self.sockets = texts.pop("/sockets", "")
        """The output of ss(8) about listening sockets; empty without ss."""
        self._texts: dict[str, str | None] = {**texts, **self._listening}
        self._parents = {
            one.pid: one.parent
            for path, text in texts.items()
            if _PROCESS.fullmatch(path) and (one := parse_stat(text)) is not None
        }

    @property
    def name(self) -> str:
        """The machine as the login has it."""
        return self._address.host

    def text(self, path: str) -> str | None:
        """A file that was read, or is read now."""
        if path not in self._texts and not _is_of_gone(path, self._parents):
            answer = script.texts(self._ask(script.files([path])))
            self._texts[path] = answer.get(path)
        return self._texts.get(path)

    def has(self, path: str) -> bool:
        """Whether a file or folder exists; asks the machine."""
        return bool(self.existing([path]))

    def existing(self, paths: Iterable[str]) -> list[str]:
        """The files and folders among these that exist."""
        tests = (f"[ -e {shlex.quote(path)} ] && echo {shlex.quote(path)}" for path in paths)
        wanted = set(paths)
        return [line for line in self._ask("; ".join(tests)) if line in wanted]

    def pids(self) -> list[int]:
        """All process ids that were seen."""
        return list(self._parents)

    def listeners(self) -> list[Listener]:
        """All listening sockets of the network namespace of the login."""
        if not any(self._listening.values()) and not self.sockets:
            raise FileNotFoundError("/proc/net/tcp")
        return [
            Listener(inode, family, address, port, waiting, None)
            for path, family in _TABLES.items()
            for _, state, address, port, _, waiting, inode in parse(
                self._listening.get(path, ""), family
            )
            if state == _LISTEN
        ]

    def holders(self, wanted: AbstractSet[int]) -> set[int]:
        """List the descriptors of all; a second folder makes `ls` print the name of each."""
        patterns = " ".join(f"-e 'socket:\\[{inode}]'" for inode in sorted(wanted))
        listed = self._ask(
            f"ls -l /proc/[0-9]*/fd /proc/self/ns | grep -e '^/proc/[0-9]*/fd:' {patterns}"
        )
        found: set[int] = set()
        pid = 0
        for line in listed:
            if (folder := _FOLDER.fullmatch(line)) is not None:
                pid = int(folder[1])
            elif "socket:[" in line and pid:
                found.add(pid)
        return found & set(self._parents)

    def socket_groups(self, wanted: AbstractSet[int]) -> set[str]:
        """As ss(8) shows to everybody, if it is installed."""
        found = (_GROUP.search(line) for line in self.sockets.splitlines())
        return {one[2] for one in found if one is not None and int(one[1]) in wanted}

    def whole(self, roots: Iterable[int]) -> list[int]:
        """Some processes with all their descendants."""
        return descendants(self._parents, roots, self.own)

    def members(self, group: Mapping[str, str]) -> set[int]:
        """The processes in the group, by the files of the processes."""
        if not group:
            return set()
        found = set()
        for pid in self._parents:
            theirs = groups.paths(self.proc, pid, self.text)
            if all(_is_below(theirs.get(one, ""), name) for one, name in group.items()):
                found.add(pid)
        return found

    def container(self, name: str) -> int | None:
        """As the clients of runtimes say that are installed there."""
        wanted = f"inspect --format '{PID_OF_CONTAINER}' -- {shlex.quote(name)}"
        for line in self._ask("; ".join(f"{runtime} {wanted}" for runtime in RUNTIMES)):
            if pid := integer(line):
                return pid
        return None

    def user(self, number: int) -> str | None:
        """As /etc/passwd has it."""
        for line in (self.text("/etc/passwd") or "").splitlines():
            words = line.split(":")
            if len(words) > 2 and words[2] == str(number):
                return words[0]
        return None

    def remedy(self, user: str | None) -> str:
        """Who may look into the processes of that user, and how to log in as them."""
        whom = user if user is not None else "root"
        port = f":{self._address.port}" if self._address.port is not None else ""
        host = f"[{self._address.host}]" if ":" in self._address.host else self._address.host
        either = "root" if whom == "root" else f"root or as {whom}"
        return (
            f"log in as {either} (--source ssh://{whom}@{host}{port}), or name the server with "
            "--unit, --cgroup or --pid"
        )


def _tables(text: str) -> dict[str, str]:
    """The matches of `grep` in the socket tables, by table; each follows a line for its heading."""
    found = dict.fromkeys(_TABLES, "")
    for line in text.splitlines():
        path, _, rest = line.partition(":")
        if path in found:
            found[path] += f"\n{rest}"
    return found


def _is_of_gone(path: str, parents: Mapping[int, int]) -> bool:
    """Whether a file belongs to a process that was not seen."""
    words = path.split("/")
    return words[1] == "proc" and words[2].isdigit() and int(words[2]) not in parents


def _is_below(name: str, group: str) -> bool:
    return name == group or name.startswith(f"{group.rstrip('/')}/")
