"""``jstack``: the stacks of a Java program's threads, with the locks they wait for.

Format: jstack(1), as HotSpot prints thread dumps.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool, found_tool

_LONGEST_S = 10.0
_NUMBER = re.compile(r"\d+")
_MODULE = re.compile(r"^(?:[\w.-]*(?:@[\w.+-]*)?/)+")
_LAMBDA = re.compile(r"\$\$Lambda\S*\.")
_STATE = "java.lang.Thread.State: "
_LOCK = re.compile(r"- (waiting to lock|parking to wait for|waiting on)\s+<[^>]*> \(an? ([^)]+)\)")
_LOCKS = {
    "waiting to lock": "monitor",
    "parking to wait for": "park",
    "waiting on": "wait",
}
_WAITING = re.compile(
    r"(epollWait|\.poll|accept0?|socketAccept|socketRead0|\.read0|\.recv0?|socketConnect"
    r"|waitForReferencePendingList)$"
)
"""Native methods that wait, although the virtual machine reports RUNNABLE."""


def parse_jstack(text: str, process: str) -> Parsed:
    """Parse a thread dump; the virtual machine's own threads, which have no stack, are left out."""
    parsed = Parsed()
    for block in text.split("\n\n"):
        lines = block.strip("\n").splitlines()
        start = next((at for at, line in enumerate(lines) if line.startswith('"')), None)
        if start is None:
            continue
        _add(parsed, process, lines[start:])
    return parsed


def _add(parsed: Parsed, process: str, lines: Sequence[str]) -> None:
    name = _NUMBER.sub("N", lines[0][1:].partition('"')[0])
    state, frames, lock = "", [], None
    for line in (one.strip() for one in lines[1:]):
        if line.startswith(_STATE):
            state = line.removeprefix(_STATE).partition(" ")[0]
        elif line.startswith("at "):
            frames.append(_method(line))
        elif lock is None and (found := _LOCK.match(line)):
            lock = f"{_LOCKS[found[1]]}({found[2]})"
    if not state or not frames:
        return
    is_on = state == "RUNNABLE" and not _WAITING.search(frames[0])
    leaf = (lock,) if lock is not None and not is_on else ()
    kind = parsed.on if is_on else parsed.off
    kind[process, name, state.lower(), *reversed(frames), *leaf] += 1


def _method(line: str) -> str:
    """A method without its module, and a lambda without its number.

    >>> _method("at java.base@17.0.1/java.lang.Thread.run(Thread.java:840)")
    'java.lang.Thread.run'
    >>> _method("at Locks$$Lambda$236/0x00007f6c98154208.run(Unknown Source)")
    'Locks$$Lambda.run'
    """
    name = line.removeprefix("at ").partition("(")[0]
    return _LAMBDA.sub("$$Lambda.", _MODULE.sub("", name))


def _recognises(program: Program) -> bool:
    return PurePath(program.path).name == "java" and found_tool("jstack") is not None


def _take(programs: Sequence[Program], seconds: float, runner: Runner) -> Parsed | None:
    del seconds
    jstack = found_tool("jstack")
    if jstack is None:
        return None
    parsed = Parsed()
    for one in programs:
        text = runner.output([jstack, str(one.pid)], _LONGEST_S)
        if text is None:
            return None
        parsed.add(parse_jstack(text, one.name))
    return parsed


JSTACK = Tool("jstack", _recognises, _take)
