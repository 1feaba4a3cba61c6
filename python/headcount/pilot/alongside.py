"""The pilot beside a tuning: modules are tried once, and then switched on for single turns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event as Flag

from headcount.counters.proc.files import read_text
from headcount.errors import SystemLimitError, TargetError
from headcount.pilot.modules import MODULES, Module
from headcount.pilot.pilot import BLOCK_S, Event, Pilot, server_of
from headcount.pilot.prepared import Prepared, prepare
from headcount.pilot.start import UNDONE, check_alone
from headcount.tune.host import ThisHost
from headcount.tune.journal import PATIENCE_S

FIRST_S = PATIENCE_S - 5
"""The pilot's guard acts before the tuning's, because the tuning changed the server first."""


class Alongside:
    """The pilot of a server of this machine that may be restarted between turns."""

    def __init__(
        self,
        pids: Callable[[], Sequence[int]],
        groups: Callable[[], Mapping[str, str]],
        noted: Callable[[str], None],
        *,
        modules: Sequence[Module] = tuple(MODULES.values()),
        block_s: float = BLOCK_S,
    ) -> None:
        """Try nothing yet.

        `pids` are the server's first processes now, `groups` control groups of its own by
        controller, `noted` takes sentences for people. Raises InputError if another pilot is at
        work.
        """
        self._pids = pids
        self._groups = groups
        self._noted = noted
        self._modules = modules
        self._block_s = block_s
        self._host = ThisHost()
        self._kept: Sequence[Module] = ()
        check_alone(self._host)

    def find(self, play: Callable[[], object]) -> Sequence[str]:
        """Try the modules once while `play` is called again and again; names of those that help.

        Raises HeadcountError.
        """
        ended = Flag()
        with self._prepared() as server, ThreadPoolExecutor(1) as threads:
            pilot = Pilot(
                self._name(server.roots),
                server.roots,
                server.treatment,
                ended.wait,
                self._happened,
                modules=self._modules,
                scheduler=server.scheduler,
                block_s=self._block_s,
                places=server.places,
                obstacles=server.obstacles,
            )
            work = threads.submit(pilot.once)
            try:
                while not work.done():
                    play()
            finally:
                ended.set()
            work.result()
        self._kept = tuple(pilot.kept)
        return [one.name for one in self._kept]

    @contextmanager
    def on(self) -> Iterator[None]:
        """The modules that were found, in force for as long as the block lasts."""
        with self._prepared() as one:
            server = server_of(self._name(one.roots), one.roots, one.scheduler)
            one.treatment.apply(self._kept, server)
            yield

    @contextmanager
    def _prepared(self) -> Iterator[Prepared]:
        """The server as it runs now; it is put back after the block, or by a guard."""
        found = prepare(self._host, tuple(self._pids()), self._groups(), FIRST_S)
        was_undone = False
        try:
            yield found
            was_undone = found.journal.is_undone
        finally:
            problem = found.journal.close()
        if problem is not None:
            where = found.journal.folder
            raise TargetError(f"not everything could be put back: {problem}; see {where}")
        if was_undone:
            raise SystemLimitError(UNDONE)

    def _name(self, roots: Sequence[int]) -> str:
        return (read_text(f"/proc/{roots[0]}/comm") or str(roots[0])).strip()

    def _happened(self, event: Event) -> None:
        self._noted(f"pilot: {event.text}")
