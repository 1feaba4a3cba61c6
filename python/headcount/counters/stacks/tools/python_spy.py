"""``py-spy dump``: the stacks of a Python program's threads.

Format: https://github.com/benfred/py-spy, `dump --json`. It does not pause the program
(`--nonblocking`), so now and then a stack is torn; such a dump fails and is left out.
"""

import json
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool, found_tool

_LONGEST_S = 10.0
_NUMBER = re.compile(r"\d+")
_INTERPRETER = re.compile(r"python[\d.]*")


def parse_py_spy(text: str, process: str) -> Parsed | None:
    """Parse a dump; None for a torn one. Threads are on a CPU if py-spy calls them active."""
    try:
        threads = json.loads(text)
    except ValueError:
        return None
    if not isinstance(threads, list):
        return None
    parsed = Parsed()
    for thread in threads:
        frames = [_frame(one) for one in thread.get("frames", [])]
        if not frames:
            continue
        name = _NUMBER.sub("N", str(thread.get("thread_name") or "thread"))
        is_on = bool(thread.get("active"))
        state = "active" if is_on else "idle"
        kind = parsed.on if is_on else parsed.off
        kind[process, name, state, *reversed(frames)] += 1
    return parsed


def _frame(frame: dict[str, Any]) -> str:
    """A function with its file: `wait (threading.py)`."""
    file = frame.get("short_filename") or frame.get("filename") or "?"
    return f"{frame.get('name', '?')} ({PurePath(str(file)).name})"


def _recognises(program: Program) -> bool:
    is_python = _INTERPRETER.fullmatch(PurePath(program.path).name) is not None
    return is_python and found_tool("py-spy") is not None


def _take(programs: Sequence[Program], seconds: float, runner: Runner) -> Parsed | None:
    del seconds
    spy = found_tool("py-spy")
    if spy is None:
        return None
    parsed = Parsed()
    for one in programs:
        command = [spy, "dump", "--nonblocking", "--json", "--pid", str(one.pid)]
        text = runner.output(command, _LONGEST_S)
        found = None if text is None else parse_py_spy(text, one.name)
        if found is None:
            return None
        parsed.add(found)
    return parsed


PY_SPY = Tool("py-spy", _recognises, _take)
