"""The pilot beside a tuning: modules are tried once, and then switched on for single turns."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Flag

from headcount.counters.proc.files import read_text
from headcount.errors import TargetError
from headcount.pilot.journal import Journal, new_folder
from headcount.pilot.modules import MODULES, Module
from headcount.pilot.pilot import BLOCK_S, Event, Pilot, scheduler_of, server_of
from headcount.pilot.start import KIND, check_alone
from headcount.pilot.treatment import Treatment
from headcount.tune.host import ThisHost
from headcount.tune.left import journals_folder


class Alongside:
    """The pilot of a server of this machine that may be restarted between turns."""

    def __init__(
        self,
        pids: Callable[[], Sequence[int]],
        groups: Callable[[], Sequence[Path]],
        noted: Callable[[str], None],
        *,
        modules: Sequence[Module] = tuple(MODULES.values()),
        block_s: float = BLOCK_S,
    ) -> None:
        """`pids` are the server's first processes now, `groups` control groups of its own.

        `noted` takes sentences for people. Raises InputError where another pilot is at work.
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
        with self._treated() as (roots, treatment), ThreadPoolExecutor(1) as threads:
            pilot = Pilot(
                self._name(roots),
                roots,
                treatment,
                ended.wait,
                self._happened,
                modules=self._modules,
                scheduler=scheduler_of(self._host, roots),
                block_s=self._block_s,
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
        with self._treated() as (roots, treatment):
            scheduler = scheduler_of(self._host, roots)
            treatment.apply(self._kept, server_of(self._name(roots), roots, scheduler))
            yield

    @contextmanager
    def _treated(self) -> Iterator[tuple[Sequence[int], Treatment]]:
        """The server as it runs now; it is put back after the block, or by a guard."""
        roots = tuple(self._pids())
        treatment = Treatment(roots, self._groups())
        folder = new_folder(journals_folder(self._host, KIND))
        journal = Journal(self._host, folder, treatment.script)
        try:
            yield roots, treatment
        finally:
            problem = journal.close()
        if problem is not None:
            raise TargetError(f"not everything could be put back: {problem}; see {folder}")

    def _name(self, roots: Sequence[int]) -> str:
        return (read_text(f"/proc/{roots[0]}/comm") or str(roots[0])).strip()

    def _happened(self, event: Event) -> None:
        self._noted(f"pilot: {event.text}")
