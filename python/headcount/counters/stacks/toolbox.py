"""Runs tools on a server's processes while a level is measured, on a separate thread."""

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from headcount.counters.proc.process import Process
from headcount.counters.stacks.tools import TOOLS
from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool, programs

PROGRAMS_MAX = 8
"""Processes that each tool inspects: the server's first ones. Each costs the start of a tool."""
ROUNDS_MAX = 20
"""Most runs, per level, of tools that take one snapshot."""
APART_S = 0.5
RECORDED_MOST_S = 10.0
RECORDED_SHARE = 0.4
"""Share of a level's length for tools that record; the rest is for the others."""
FOUND_TIMES, FOUND_EVERY_S = 50, 0.1
"""How often to look for the server's processes, which are not known at once."""
_FAILED_MOST = 3
"""Failures of a tool at a level after which it is not tried again there."""
_ENDING_S = 25.0


@dataclass(slots=True)
class ToolStacks:
    """What a tool saw at a level, and in how many snapshots or recordings."""

    stacks: Parsed = field(default_factory=Parsed)
    times: int = 0


class Toolbox:
    """Runs every tool that recognises a program.

    Args:
        members: Returns the server's processes as they were last read.
        tools: Those that may be used.
        proc: Where procfs is mounted.

    """

    def __init__(
        self,
        members: Callable[[], Iterable[Process]],
        tools: Sequence[Tool] = TOOLS,
        proc: str = "/proc",
    ) -> None:
        """Start nothing yet."""
        self._members = members
        self._tools = tools
        self._proc = proc
        self._runner = Runner()
        self._seen: dict[str, ToolStacks] = {}
        self._thread: threading.Thread | None = None

    def begin(self, length_s: float) -> None:
        """Start with a level of that length."""
        self._runner = Runner()
        self._seen = {}
        self._thread = threading.Thread(
            target=self._run,
            args=(self._runner, self._seen, length_s),
            name="headcount-stacks",
            daemon=True,
        )
        self._thread.start()

    def end(self) -> dict[str, ToolStacks]:
        """Stop, and return what each tool saw; a snapshot under way is lost."""
        self._runner.stopped.set()
        if self._thread is not None:
            self._thread.join(_ENDING_S)
            self._thread = None
        return {name: mine for name, mine in self._seen.items() if mine.times}

    def _run(self, runner: Runner, seen: dict[str, ToolStacks], length_s: float) -> None:
        pids: list[int] = []
        for _ in range(FOUND_TIMES):  # known after the first reading of the counters
            if (pids := [one.pid for one in self._members() if not one.ended]) or (
                runner.stopped.wait(FOUND_EVERY_S)
            ):
                break
        there = programs(self._proc, pids)
        at_work = [
            (tool, known[:PROGRAMS_MAX])
            for tool in self._tools
            if (known := [one for one in there if tool.recognises(one)])
        ]
        recorded_s = min(RECORDED_SHARE * length_s, RECORDED_MOST_S)
        for tool, known in at_work:
            if tool.is_recording:
                _use(tool, known, recorded_s, runner, seen)
        failed = dict.fromkeys((tool.name for tool, _ in at_work), 0)
        for _ in range(ROUNDS_MAX):
            for tool, known in at_work:
                if tool.is_recording or failed[tool.name] >= _FAILED_MOST:
                    continue
                failed[tool.name] += not _use(tool, known, 0.0, runner, seen)
            if runner.stopped.wait(APART_S):
                return


def _use(
    tool: Tool,
    known: Sequence[Program],
    seconds: float,
    runner: Runner,
    seen: dict[str, ToolStacks],
) -> bool:
    """Run a tool once; returns whether it gave stacks."""
    if runner.stopped.is_set():
        return True
    parsed = tool.take(known, seconds, runner)
    if parsed is None:
        return False
    mine = seen.setdefault(tool.name, ToolStacks())
    mine.stacks.add(parsed)
    mine.times += 1
    return True
