"""The stacks of a server's threads at each level, from the counters into the bundle."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from headcount.bundle import stacks as files
from headcount.bundle.writer import BundleWriter
from headcount.controller.listener import Listener
from headcount.counters.proc.listening import ServerSource
from headcount.counters.proc.process import Process
from headcount.counters.proc.source import HostSource
from headcount.counters.source import Source
from headcount.counters.stacks.sampler import StackSampler
from headcount.counters.stacks.snapshots import Taken
from headcount.counters.stacks.toolbox import Toolbox
from headcount.plan.plan import StacksWanted

SIDE = "sut"
"""The source whose processes are the server's."""


class StackRecorder:
    """Records stacks while a level is measured, if the server's processes are on this machine.

    Args:
        wanted: What to record.
        sources: The run's counters, the server's among them.
        bundle: Where stacks are written.
        listener: Learns, once, what could not be read.

    """

    def __init__(
        self,
        wanted: StacksWanted,
        sources: Sequence[Source],
        bundle: BundleWriter,
        listener: Listener,
    ) -> None:
        """Start nothing yet."""
        self._bundle = bundle
        self._listener = listener
        members = None if wanted == "off" else _members(sources)
        self._sampler = None if members is None else StackSampler(members)
        self._toolbox = Toolbox(members) if members is not None and wanted == "all" else None
        self._is_noted = False

    @contextmanager
    def level(self, index: int, length_s: float, now_s: Callable[[], float]) -> Iterator[None]:
        """Record stacks within the block as those of a level.

        Args:
            index: Index of the level.
            length_s: How long it will be measured.
            now_s: The second of the run.

        """
        if self._sampler is None:
            yield
            return
        self._sampler.begin()
        if self._toolbox is not None:
            self._toolbox.begin(length_s)
        try:
            yield
        finally:
            taken, cost_s = self._sampler.end()
            seen = self._toolbox.end() if self._toolbox is not None else {}
        self._keep(index, now_s(), taken, cost_s)
        for name, one in seen.items():
            self._write(index, name, one.stacks.on, one.stacks.off)
            self._bundle.event("stacks", now_s(), level=index, tool=name, snapshots=one.times)

    def _keep(self, index: int, at_s: float, taken: Taken, cost_s: float) -> None:
        if not taken.snapshots:
            return
        if taken.missing is not None and not self._is_noted:
            self._is_noted = True
            self._listener.noted(f"not read: {taken.missing}")
        self._write(index, files.PROC, taken.on, taken.off)
        self._bundle.event(
            "stacks",
            at_s,
            level=index,
            tool=files.PROC,
            snapshots=taken.snapshots,
            cpu_ms=round(cost_s * 1000, 1),
            missing=taken.missing,
        )

    def _write(self, index: int, tool: str, on: files.Stacks, off: files.Stacks) -> None:
        """Write both kinds; if a tool sees only one, that one."""
        kinds: tuple[tuple[files.Kind, files.Stacks], ...] = (("on", on), ("off", off))
        for kind, stacks in kinds:
            if stacks or tool == files.PROC:
                self._bundle.stacks(files.LevelStacks(index, kind, tool, stacks))

    def close(self) -> None:
        """End the sampling thread."""
        if self._sampler is not None:
            self._sampler.close()


def _members(sources: Sequence[Source]) -> Callable[[], Iterable[Process]] | None:
    """Gives the server's processes; None if they are not on this machine, or unknown."""
    for source in sources:
        if source.name == SIDE and isinstance(source, HostSource | ServerSource):
            return source.members
    return None
