"""A server whose configuration is changed and put back."""

import posixpath
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread

from headcount.errors import HeadcountError, TargetError
from headcount.tune.boot import Hook
from headcount.tune.change import AS_IT_IS, Changes, Configuration
from headcount.tune.drop_in import DropIn
from headcount.tune.followers import with_followers
from headcount.tune.host import Host
from headcount.tune.install import Service, service
from headcount.tune.journal import PATIENCE_S, Journal, KernelRefusal, Undo
from headcount.tune.knobs.knob import Knob
from headcount.tune.processes.processes import Treated
from headcount.tune.restart import Restart, unit_of
from headcount.tune.servers.joint import Joint, numbers, parts
from headcount.tune.servers.linux import Kernel
from headcount.tune.servers.server import Server, executable
from headcount.tune.values import Values, names_of

ANSWER_S = 20.0
"""Longest wait for a server to answer with a new configuration."""
AFTER_RELOAD_S = 0.5
"""Servers answer a signal before they act on it."""


class NotAccepted(Exception):  # noqa: N818 - an answer, not a failure
    """Why a server does not run with a configuration."""


class Tunable:
    """A running server, and the journal of what is changed on its machine.

    Attributes:
        originals: Files that may be changed, as they were; None of one that was not there.
        now: The configuration in force.

    """

    def __init__(
        self,
        host: Host,
        server: Server,
        knobs: Sequence[Knob],
        folder: Path | str,
        answers: Callable[[], None],
        *,
        followers: Sequence[Knob] = (),
        kernel: Kernel | None = None,
        treated: Treated | None = None,
        restart: Restart | None = None,
        hook: Hook | None = None,
        patience_s: int = PATIENCE_S,
    ) -> None:
        """Open the journal; `answers` raises TargetError where the server does not answer.

        `knobs` are those that may be changed, `followers` those that must follow some of them;
        `kernel` and `treated` are whose they are if not the server's; `restart` restarts the
        server, where that is allowed; `hook` undoes everything at boot.
        """
        self._restart = restart
        self._kernel = kernel
        self._treated = treated
        self._host = host
        self._server = server
        self._followers = followers
        self._answers = answers
        names = self._names = names_of(host, 0, numbers(server, [*knobs, *followers]))
        trial = {knob: _other(knob, server, names) for knob in knobs if self._is_servers(knob)}
        self.originals = {path: host.read(path) for path in self.files(trial)}
        undo = [Undo(one.reload_command, one.running) for one in parts(server)]
        if restart is not None and restart.command is not None:
            undo[0] = Undo(restart.command, None)
        mine = kernel.knobs if kernel is not None else ()
        self._journal = Journal(
            host,
            str(folder),
            self.originals,
            {
                **(kernel.linux.originals(mine) if kernel is not None else {}),
                **(treated.processes.originals(treated.knobs) if treated is not None else {}),
            },
            undo,
            patience_s,
            kernel.linux.paths(mine) if kernel is not None else (),
            hook,
        )
        self._written: Changes = {}
        self.now = AS_IT_IS
        self._ended = Event()
        self._heart = Thread(target=self._beat, name="headcount-beat", daemon=True)
        self._heart.start()

    @property
    def journal(self) -> str:
        """The folder of the journal."""
        return self._journal.folder

    @property
    def has_hook(self) -> bool:
        """Whether everything is undone at boot after a power failure."""
        return self._journal.hook is not None

    def _beat(self) -> None:
        while not self._ended.wait(1.0):
            with suppress(HeadcountError, OSError):  # the guard acts if this persists
                self._journal.beat()

    def files(self, changes: Changes) -> Mapping[str, bytes]:
        """The files with some changes and what must follow them."""
        own = {knob: value for knob, value in changes.items() if self._is_servers(knob)}
        wanted = with_followers(own, self._followers, self._server, self._names)
        return self._server.edited(wanted)

    def _values(self, changes: Changes) -> Mapping[str, str]:
        """Kernel settings by path: restored ones first, because the last of two names counts."""
        gone = [knob for knob in self._written if knob not in changes]
        found: dict[str, str] = {}
        if self._kernel is not None:
            found |= self._kernel.linux.originals(filter(self._is_kernels, gone))
        if self._treated is not None:
            found |= self._treated.processes.originals(gone)
        return {**found, **self.kernel_values(changes), **self._weights(changes)}

    def _weights(self, changes: Changes) -> Mapping[str, str]:
        """Weights of control groups, by path."""
        return self._treated.processes.values(changes) if self._treated is not None else {}

    def kernel_values(self, changes: Changes) -> Mapping[str, str]:
        """Kernel settings of some changes, by path."""
        if self._kernel is None:
            return {}
        own = {knob: value for knob, value in changes.items() if self._is_kernels(knob)}
        return self._kernel.linux.values(own)

    def services(self, changes: Changes) -> Sequence[Service]:
        """The servers whose files some changes are in."""
        found: list[Service] = []
        for one in parts(self._server):
            # Knobs that two servers have carry the server's name.
            own = self._server.knobs[one.name] if isinstance(self._server, Joint) else changes
            mine = [knob for knob in own if knob in changes and self._is_servers(knob)]
            restarts = [knob.apply == "restart" for knob in mine]
            if restarts:
                found.append(self._service(one, restarts=any(restarts)))
        return found

    def drop_ins(self, changes: Changes) -> Sequence[DropIn]:
        """Drop-in files of the servers' services that apply changes to their processes."""
        own = self._of_processes(changes)
        if self._treated is None or not own:
            return []
        lines = self._treated.processes.drop_in(own)
        servers = parts(self._server)
        return [DropIn(one.name, self._service(one, restarts=True).unit, lines) for one in servers]

    def _service(self, one: Server, *, restarts: bool) -> Service:
        pid = one.running.pid
        exe = executable(self._host, pid)
        unit, program = unit_of(self._host, pid), posixpath.basename(exe)
        return service(one.name, unit, program, restarts=restarts)

    def _is_kernels(self, knob: Knob) -> bool:
        return self._kernel is not None and knob in self._kernel.knobs

    def _is_servers(self, knob: Knob) -> bool:
        """Whether a knob is in the server's files."""
        treated = self._treated.knobs if self._treated is not None else ()
        return not self._is_kernels(knob) and knob not in treated

    def _of_processes(self, changes: Changes) -> Changes:
        """Those that change how its processes are treated."""
        treated = self._treated.knobs if self._treated is not None else ()
        return {knob: value for knob, value in changes.items() if knob in treated}

    @property
    def can_restart(self) -> bool:
        """Whether the server may be restarted."""
        return self._restart is not None

    def apply(self, wanted: Configuration, *, is_fresh: bool = False) -> bool:
        """Change to a configuration, or back; returns whether the server was restarted for it.

        A fresh one begins with a restart, even if a reload or nothing would do. Raises NotAccepted
        after it has put everything back.
        """
        if wanted.key == self.now.key and not is_fresh:
            return False
        before = self.now
        restarts = is_fresh or _needs_restart(before, wanted)
        try:
            is_new = self._write(wanted.changes) or restarts
            refusal = self._server.test() if is_new else None
        except KernelRefusal as error:
            refusal = str(error)
        if refusal is not None:  # the server has not read it
            self._write(before.changes)
            raise NotAccepted(refusal)
        objection = self._put_in_force(restarts=restarts) if is_new else None
        if objection is not None:
            self._write(before.changes)
            self._go_back(restarts=restarts)
            raise NotAccepted(objection)
        self.now = wanted
        return restarts

    def _go_back(self, *, restarts: bool) -> None:
        """Restore the configuration that was in force before."""
        try:
            self._reload(restarts=restarts)
        except TargetError:
            if restarts or self._restart is None:
                raise
            self._reload(restarts=True)  # the refused configuration may have ended it
        self._wait()
        try:
            self._treat(self._written, is_new=True)
        except KernelRefusal as error:
            raise TargetError(f"{error}, and took it before") from error

    def _put_in_force(self, *, restarts: bool) -> str | None:
        """Make the server use what is written; returns why it does not, if so."""
        try:
            self._reload(restarts=restarts)
        except TargetError as error:
            return str(error)
        try:
            self._wait()
        except TargetError as error:
            return f"it no longer answers: {error}"
        try:
            self._treat(self._written, is_new=True)
        except KernelRefusal as error:
            return str(error)
        return None

    def _write(self, changes: Changes) -> bool:
        """Write files and kernel settings; returns whether the server has to read its files again.

        Raises KernelRefusal.
        """
        files, old = self.files(changes), self.files(self._written)
        # A file that did not exist stays empty until it is removed at the end.
        back = {path: self.originals[path] or b"" for path in old if path not in files}
        contents = {path: one for path, one in {**back, **files}.items() if one != old.get(path)}
        values = self._values(changes)
        self._written = changes
        self._journal.change(contents, values)
        self._treat(changes, is_new=False)
        return bool(contents)

    def _treat(self, changes: Changes, *, is_new: bool) -> None:
        """Treat the server's processes; new ones of a reload or restart like the others.

        Raises KernelRefusal.
        """
        own = self._of_processes(changes)
        if self._treated is None or (is_new and not own):
            return
        processes = self._treated.processes
        if is_new:
            processes.look()
            self._journal.change({}, processes.values(own))  # its control group may be new, too
        self._journal.note(processes.way_back(self._treated.knobs))
        processes.treat(own)
        self._journal.check_alive()

    def _reload(self, *, restarts: bool) -> None:
        if restarts and self._restart is not None:
            self._server.running = self._restart.again()
            return
        ended = self._host.run(self._server.reload_command)
        if ended.code != 0:
            raise TargetError(f"it refuses to reload: {ended.output.strip()}")
        time.sleep(AFTER_RELOAD_S)

    def _wait(self) -> None:
        """Wait until it answers."""
        end_s = time.monotonic() + ANSWER_S
        while time.monotonic() < end_s:
            with suppress(TargetError):
                return self._answers()
            time.sleep(0.2)
        return self._answers()

    def keep(self, wanted: Configuration) -> None:
        """Leave the server at a configuration; raises NotAccepted if it does not run with it."""
        self.apply(wanted)
        self._journal.keep()

    @property
    def is_kept(self) -> bool:
        """Whether it is to stay as it is now."""
        return self._journal.is_kept

    def close(self) -> str | None:
        """Put everything back that is not kept; returns what could not be, if anything.

        Safe to call twice.
        """
        self._leave_lab()
        try:
            return None if self.is_kept else self._journal.restore()
        except HeadcountError as error:
            return f"{error}; unless it is stopped, the guard on {self._host.name} does it soon"
        finally:
            self._ended.set()
            self._heart.join()

    def _leave_lab(self) -> None:
        """Put a lab server back as it was: only its tuning can restart it."""
        if self.is_kept or self._restart is None or self._restart.command is not None:
            return
        with suppress(HeadcountError, NotAccepted):  # it ends with the tuning
            self.apply(AS_IT_IS)


def _needs_restart(before: Configuration, wanted: Configuration) -> bool:
    """Whether a change of one to the other takes a restart."""
    pairs = {*before.changes.items()} ^ {*wanted.changes.items()}
    return any(knob.apply == "restart" for knob, _ in pairs)


def _other(knob: Knob, server: Server, names: Mapping[str, int]) -> str:
    """A value that a knob does not have now, to see which files it would change."""
    present = server.setting(knob).value
    values: list[str] = [*knob.words, *Values(knob, present, names).rules, "1", "2"]
    return next(value for value in values if value != present)
