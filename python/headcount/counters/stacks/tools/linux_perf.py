"""``perf record``: where a program's CPU time goes, functions of the program and of the kernel.

Format: perf-script(1) with the fields that are asked for.
"""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool, found_tool

_PER_S = 99
"""Samples per second of CPU time; not synchronous with timers of 10 ms."""
_FIELDS = "comm,pid,tid,ip,sym,dso"
_KERNEL = ("[kernel", "[guest.kernel", "[vmlinux")
_UNKNOWN = "[unknown]"
_PAGES = "64"
_SCRIPT_S = 10.0


def parse_perf(text: str, names: Mapping[int, str]) -> Parsed:
    """Parse what `perf script` prints; `names` are those of the processes."""
    parsed = Parsed()
    stack: list[str] = []
    head: tuple[str, str] | None = None
    for line in (*text.splitlines(), ""):
        if not line.strip():
            if head is not None and stack:
                parsed.on[(*head, *reversed(stack))] += 1
            stack, head = [], None
        elif line[0].isspace() and head is not None:
            if (frame := _frame(line)) is not None:
                stack.append(frame)
        else:
            head = _head(line, names)
    return parsed


def _head(line: str, names: Mapping[int, str]) -> tuple[str, str] | None:
    """Process and thread of a line such as ``worker 2 14380/14391``."""
    thread, _, numbers = line.strip().rpartition(" ")
    pid = numbers.partition("/")[0]
    if not thread or not pid.isdigit():
        return None
    return names.get(int(pid), thread.strip()), thread.strip()


def _frame(line: str) -> str | None:
    """The function of a line such as ``ff04e PyEval+0x4 (/usr/lib/libpython.so)``.

    None for an address outside any file, which code without frame pointers leaves in a stack.
    """
    _, _, rest = line.strip().partition(" ")
    symbol, _, library = rest.rpartition(" (")
    library = library.rstrip(")")
    name = symbol.rpartition("+0x")[0] or symbol
    if library.startswith(_KERNEL):
        return f"{name}_[k]"
    if name == _UNKNOWN:
        return None if library in ("", _UNKNOWN) else f"[{Path(library).name}]"
    return name


def _take(programs: Sequence[Program], seconds: float, runner: Runner) -> Parsed | None:
    perf = found_tool("perf")
    if perf is None:
        return None
    with tempfile.TemporaryDirectory(prefix="headcount-perf-") as folder:
        data = Path(folder) / "data"
        pids = ",".join(str(one.pid) for one in programs)
        record = [perf, "record", "-q", "-e", "cpu-clock", "-F", str(_PER_S), "-g", "-m", _PAGES]
        record += ["-p", pids, "-o", str(data), "--", "sleep", f"{seconds:g}"]
        # When stopped, perf writes what it has.
        runner.output(record, seconds + _SCRIPT_S)
        if not data.is_file():
            return None
        script = [perf, "script", "-i", str(data), "-F", _FIELDS]
        text = runner.output(script, _SCRIPT_S, to_its_end=True)
    return None if text is None else parse_perf(text, {one.pid: one.name for one in programs})


PERF = Tool("perf", lambda _: found_tool("perf") is not None, _take, is_recording=True)
