"""What a tuning changes on a machine, written down before it is changed, and how it is undone.

A journal is a folder on the server's machine: the files as they were, what they were changed to,
and a script that undoes everything. The script needs a shell with the usual tools (cp, mv, cmp),
may run any number of times, and leaves alone what somebody else has changed meanwhile. A guard
beside it runs it when no beat of the tuning is seen any more, whatever the tuning died of; after a
power failure, a hook does at boot.
"""

import json
import posixpath
import shlex
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files

from headcount.errors import InputError, SystemLimitError
from headcount.tune.boot import Hook
from headcount.tune.host import Host
from headcount.tune.servers.server import Running

BOOT = "/proc/sys/kernel/random/boot_id"
BEAT, DONE, KEPT, RESTORED = "beat", "done", "kept", "restored"
SCRIPT, GUARD, ABOUT = "restore.sh", "guard.sh", "about.json"
TOOLS = ("cmp", "setsid")
"""What the script and the guard need, and minimal systems lack."""
_MISSING = 'for one in "$@"; do command -v "$one" > /dev/null || echo "$one"; done'
TREATED = "treated"
"""Lines that put processes back, in the words of `treat.sh`."""
PATIENCE_S = 15
"""Seconds without a beat after which the guard undoes everything: longer than a busy machine delays
a thread, shorter than somebody takes to look for what went wrong."""


RESTORE_S = 300.0
"""Longest wait for a server that is restarted while changes are undone."""


class KernelRefusal(Exception):  # noqa: N818 - an answer, not a failure
    """The kernel refuses a value for a setting."""


@dataclass(frozen=True, slots=True)
class Undo:
    """What makes a server use its restored files.

    Attributes:
        command: The command, a reload or a restart.
        running: The process that it is for; None if it finds the server by itself.

    """

    command: Sequence[str]
    running: Running | None


class Journal:
    """The changes of one tuning, from before the first until all are undone.

    Attributes:
        folder: Where it is, on the machine of the server.
        is_kept: Whether the changes are to stay.
        hook: What undoes everything at boot; None if nothing does.

    """

    def __init__(
        self,
        host: Host,
        folder: str,
        paths: Iterable[str],
        values: Mapping[str, str],
        undo: Sequence[Undo],
        patience_s: int = PATIENCE_S,
        others: Collection[str] = (),
        hook: Hook | None = None,
    ) -> None:
        """Record the present state, and start the guard.

        `paths` are files that may be changed, `values` kernel settings by path: writing them in
        order restores all that may be changed. `others` are kernel settings that may be written,
        too: other names of those. `hook` runs the script at boot. Raises InputError or
        SystemLimitError if the state cannot be recorded: then nothing may be changed.
        """
        self._host = host
        self.folder = folder
        self._numbers = {path: number for number, path in enumerate(sorted(set(paths)))}
        self._values = dict(values)
        self._writable = {*values, *others}
        self._beats = 0
        self.is_kept = False
        self._check_tools()
        self._run("mkdir", "-p", "-m", "700", folder)
        for path, number in self._numbers.items():
            if host.read(path) is not None:
                self._run("cp", "-p", "--", path, f"{folder}/{number}.orig")
        about = {"files": self._numbers, "values": self._values}
        host.write(f"{folder}/{ABOUT}", json.dumps(about, indent=1).encode())
        host.write(f"{folder}/{SCRIPT}", self._script(undo, hook).encode())
        host.write(f"{folder}/{GUARD}", _resource("guard.sh").encode())
        self.beat()
        kept = [f"{folder}/{n}.orig" for n in self._numbers.values() if self._has(n)]
        self._run("sync", folder, posixpath.dirname(folder), *kept)
        guard = f"setsid sh {shlex.quote(f'{folder}/{GUARD}')} {patience_s}"
        self._run("sh", "-c", f"{guard} < /dev/null > /dev/null 2>&1 &")
        self.hook = self._written(hook)

    def _check_tools(self) -> None:
        missing = self._host.run(["sh", "-c", _MISSING, "sh", *TOOLS]).output.split()
        if missing:
            raise SystemLimitError(
                f"{self._host.name} lacks {' and '.join(missing)}, without which nothing could be "
                "put back, so nothing was changed; install the packages diffutils and util-linux"
            )

    def _written(self, hook: Hook | None) -> Hook | None:
        """The hook if it could be written: some systems have parts of /etc read-only."""
        with suppress(InputError):
            if hook is not None:
                hook.write(self._host)
                return hook
        return None

    def _has(self, number: int) -> bool:
        return self._host.read(f"{self.folder}/{number}.orig") is not None

    def _run(self, *command: str) -> None:
        ended = self._host.run(command)
        if ended.code != 0:
            raise SystemLimitError(
                f"cannot keep how {self._host.name} was, so nothing was changed: "
                f"`{shlex.join(command[:4])}`: {ended.output.strip()}"
            )

    def _script(self, undo: Sequence[Undo], hook: Hook | None) -> str:
        boot = (self._host.read(BOOT) or b"").decode().strip()
        lines = [_resource("restore.sh"), _resource("treat.sh"), f"boot={shlex.quote(boot)}"]
        lines += [
            f"put_back {number} {shlex.quote(path)}" for path, number in self._numbers.items()
        ]
        lines += [
            f"set_back {shlex.quote(path)} {shlex.quote(value)}"
            for path, value in self._values.items()
        ]
        lines.append("treated")
        for one in undo:
            process = f"{one.running.pid} {one.running.started}" if one.running else "0 0"
            lines.append(f"again {process} {shlex.join(one.command)}")
        lines.append("treated")  # again, for children of processes that were not yet restored
        if hook is not None:
            lines.append(f"unhook {shlex.join(hook.paths)}")
        lines.append("finish")
        return "\n".join(lines) + "\n"

    def beat(self) -> None:
        """Let the guard see that the tuning is alive; called every second."""
        self._beats += 1
        self._host.note(f"{self.folder}/{BEAT}", f"{self._beats}\n")

    def change(self, contents: Mapping[str, bytes], values: Mapping[str, str]) -> None:
        """Write files and kernel settings; raises InputError if one is not in the journal."""
        unknown = [*(contents.keys() - self._numbers), *(values.keys() - self._writable)]
        if unknown:
            raise InputError(f"not in the journal, so it is not changed: {', '.join(unknown)}")
        self.check_alive()
        for path, content in contents.items():
            number = self._numbers[path]
            ours = f"{self.folder}/{number}.ours"
            if self._host.read(ours) is not None:
                self._host.write(f"{self.folder}/{number}.before", self._host.read(ours) or b"")
            self._host.write(ours, content)
            self._host.write(path, content)
        for path, value in values.items():
            try:
                self._host.write(path, f"{value}\n".encode())
            except InputError as error:
                raise KernelRefusal(f"the kernel refuses {value} for {path}: {error}") from error
        self.check_alive()

    def note(self, lines: Sequence[str]) -> None:
        """Record how to restore processes, before their treatment changes."""
        self.check_alive()
        content = "".join(f"{line}\n" for line in lines).encode()
        if self._host.read(f"{self.folder}/{TREATED}") != content:
            self._host.write(f"{self.folder}/{TREATED}", content)

    def check_alive(self) -> None:
        """Raise SystemLimitError if the guard has undone everything, because it saw no beat."""
        if self._host.read(f"{self.folder}/{RESTORED}") is not None:
            self.restore()
            raise SystemLimitError(
                "the guard did not hear from the tuning in time and has put everything back: the "
                "machine was stopped, or badly overloaded; start again"
            )

    def keep(self) -> None:
        """Let the changes stay; the script can still undo them later."""
        self.is_kept = True
        self._host.write(f"{self.folder}/{KEPT}", b"")
        self._host.write(f"{self.folder}/{DONE}", b"")
        if self.hook is not None:
            self.hook.remove(self._host)

    def restore(self) -> str | None:
        """Undo everything; returns what could not be undone, if anything."""
        ended = self._host.run(["sh", f"{self.folder}/{SCRIPT}"], RESTORE_S)
        return None if ended.code == 0 else ended.output.strip()


def _resource(name: str) -> str:
    return files("headcount.tune").joinpath("scripts").joinpath(name).read_text("ascii")
