"""The processes of a server behind SSH: the files to read, and their figures."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from headcount.counters.proc import collectors, process, tree
from headcount.counters.proc.collectors import Collectors
from headcount.counters.proc.files import integer, put
from headcount.counters.proc.fine import of_one_look
from headcount.counters.proc.memory import PAGE_BYTES
from headcount.counters.proc.process import Process, Totals
from headcount.counters.proc.states import counted as counted_states
from headcount.counters.proc.tree import Tree
from headcount.counters.proc.waits import counted as counted_calls
from headcount.counters.proc.waits import kinds_of
from headcount.counters.ssh import script

FILES_PER_S = 100
"""Files of single threads read per second; with more threads, each is read less often. Our choice:
`head` takes some 13 µs for each, which makes 1.3 ms of CPU time a second."""
_MOST_FILES = 2000
"""With more threads none is read: each would be read only every 20 s or less."""
DESCRIPTORS = "descriptors"

Texts = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Units:
    """The units of the other machine.

    Attributes:
        page_bytes: Bytes of a page.
        ticks_per_s: Ticks of CPU time per second.
        processor: As uname(2) has it: system calls have other numbers on others.

    """

    page_bytes: int = PAGE_BYTES
    ticks_per_s: float = process.TICKS_PER_S
    processor: str = ""

    def of(self, one: Process) -> Process:
        """A process in the units of this machine."""
        scale = process.TICKS_PER_S / self.ticks_per_s
        own, reaped = one.totals.cpu_ticks
        return replace(
            one,
            resident_bytes=one.resident_bytes // PAGE_BYTES * self.page_bytes,
            totals=replace(one.totals, cpu_ticks=(round(own * scale), round(reaped * scale))),
        )


@dataclass(slots=True)
class Members:
    """Processes that are followed.

    Attributes:
        units: The units of their machine.
        started: When each was started, by process id: an id may be used again.
        io: Whether we may read their I/O, and the system calls they are in.
        threads: Their number of threads.

    """

    units: Units
    started: dict[int, int] = field(default_factory=dict)
    io: bool = False
    threads: int = 0
    _turn: int = 0
    _previous: tuple[float, Tree] | None = None
    _times: tuple[float, Tree] | None = None
    _thread_names: dict[tuple[int, int], str] = field(default_factory=dict)
    _collectors: Collectors = field(init=False)

    def __post_init__(self) -> None:
        """Know no thread names yet."""
        self._collectors = Collectors(lambda *thread: self._thread_names.get(thread, ""))

    def join(self, pids: Iterable[int], texts: Callable[[str], str | None]) -> bool:
        """Add processes by their files; returns whether any is new."""
        is_new = False
        for pid in pids:
            one = process.parse_stat(texts(f"/proc/{pid}/stat") or "")
            if one is not None and not one.ended and self.started.get(pid) != one.started_ticks:
                self.started[pid] = one.started_ticks
                is_new = True
        return is_new

    def forget_previous(self) -> None:
        """Drop the previous reading, so that no rates are computed from it."""
        self._previous = self._times = None

    def files(self) -> list[str]:
        """The files of all processes, for each second."""
        names = ("stat", "io") if self.io else ("stat",)
        return [f"/proc/{pid}/{name}" for pid in self.started for name in names]

    def patterns(self) -> dict[str, list[str]]:
        """The files of single threads: states, times, and what they wait for."""
        return {
            name: [f"/proc/{pid}/task/*/{name}" for pid in self.started] for name in self._kinds()
        }

    def _kinds(self) -> tuple[str, ...]:
        return ("stat", "schedstat", "syscall") if self.io else ("stat", "schedstat")

    def due(self) -> tuple[str, ...]:
        """The files of threads to read in this second: in turn, if all are too many."""
        kinds = self._kinds()
        files = len(kinds) * self.threads
        if not self.started or files > _MOST_FILES:
            return ()
        self._turn += 1
        every = max(1, -(-files // FILES_PER_S))
        place = self._turn % every
        return tuple(
            kind for number, kind in enumerate(kinds) if number * every // len(kinds) == place
        )

    def figures(self, at_s: float, texts: Texts) -> dict[str, float]:
        """Figures of the processes since the previous reading, and now; without ended ones."""
        found = {pid: one for pid in self.started if (one := self._read(pid, texts)) is not None}
        for pid in [pid for pid in self.started if pid not in found]:
            del self.started[pid]
        self.threads = sum(one.threads for one in found.values())
        now = Tree(tree.parse_uptime(texts.get("/proc/uptime", ""), self.units.ticks_per_s), found)
        if all(one.ended for one in found.values()):
            self.started.clear()
            self.forget_previous()
            return {}
        values = tree.gauges(now)
        if self._previous is not None:
            was_s, was = self._previous
            values |= tree.delta(was, now, at_s - was_s)
        self._previous = at_s, now
        return values | self._of_threads(at_s, now, texts)

    def _read(self, pid: int, texts: Texts) -> Process | None:
        one = process.parse_stat(texts.get(f"/proc/{pid}/stat", ""))
        if one is None or one.started_ticks != self.started[pid]:
            return None
        io_bytes = process.parse_io(texts.get(f"/proc/{pid}/io", ""))
        return self.units.of(replace(one, totals=_with_io(one.totals, io_bytes)))

    def _of_threads(self, at_s: float, now: Tree, texts: Texts) -> dict[str, float]:
        by_process: dict[int, dict[int, process.ThreadTimes]] = {}
        states: list[str] = []
        names: dict[tuple[int, int], str] = {}
        calls: list[str] = []
        for path, text in texts.items():
            words = path.split("/")
            if len(words) != 6 or words[3] != "task" or int(words[2]) not in self.started:
                continue
            thread = (int(words[2]), int(words[4]))
            if words[5] == "stat":
                head, _, rest = text.rpartition(") ")
                states.append(rest[:1])
                names[thread] = head.partition(" (")[2]
            elif words[5] == "syscall":
                calls.append(text)
            elif (times := process.parse_schedstat(text)) is not None:
                by_process.setdefault(thread[0], {})[thread[1]] = times
        self._thread_names = names or self._thread_names
        values = of_one_look(counted_states(states))
        kinds = kinds_of(self.units.processor)
        if calls and kinds:
            values |= of_one_look(counted_calls(calls, kinds))
        if by_process:
            values |= self._of_times(at_s, now, by_process)
        return values

    def _named(self, timed: Mapping[int, Process]) -> list[Process]:
        """The processes with those of their threads whose names have been read."""
        return [
            replace(
                one,
                thread_times={
                    thread: times
                    for thread, times in (one.thread_times or {}).items()
                    if (pid, thread) in self._thread_names
                },
            )
            for pid, one in timed.items()
        ]

    def _of_times(
        self, at_s: float, now: Tree, by_process: Mapping[int, dict[int, process.ThreadTimes]]
    ) -> dict[str, float]:
        timed = {
            pid: replace(one, thread_times=by_process.get(pid))
            for pid, one in now.processes.items()
        }
        whole = Tree(now.uptime_ticks, timed)
        values: dict[str, float] = {}
        if self._times is not None:
            was_s, was = self._times
            values |= tree.thread_figures(was, whole, at_s - was_s)
        put(values, collectors.NAME, self._collectors.utilization(at_s, self._named(timed)))
        self._times = at_s, whole
        return values


def descriptors_question(pids: Collection[int]) -> str:
    """The request for the sizes of fd folders, which since Linux 6.2 are the numbers of files."""
    folders = " ".join(f"/proc/{pid}/fd" for pid in pids)
    return script.titled(DESCRIPTORS, f"ls -ldn {folders}")


def descriptors(text: str, pids: Collection[int]) -> dict[str, float]:
    """The open files of all; empty if the kernel does not count them, or one is missing."""
    sizes = {}
    for line in text.splitlines():
        words = line.split()
        size = integer(words[4]) if len(words) > 5 else None
        if size:
            sizes[words[-1]] = size
    if not pids or len(sizes) < len(pids):
        return {}
    return {"process.open_file_descriptors": sum(sizes.values())}


def _with_io(totals: Totals, io_bytes: tuple[int, int] | None) -> Totals:
    return replace(totals, io_bytes=io_bytes)
