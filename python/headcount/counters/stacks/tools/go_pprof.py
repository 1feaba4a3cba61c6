"""Go's own profiler over HTTP: the stacks of all goroutines, where a server shows them.

Format: runtime/pprof, the profile `goroutine` with `debug=2`, which is that of a panic. CPU use
is left to perf, which knows Go's functions.
"""

import http.client
import mmap
import re
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from headcount.counters.proc.netlink import own_namespace
from headcount.counters.proc.sockets import Outgoing, inodes, open_table
from headcount.counters.proc.upstream import peer_name
from headcount.counters.stacks.tools.tool import Parsed, Program, Runner, Tool

_BUILD = b"\xff Go buildinf:"
"""In every program that Go's linker made (debug/buildinfo)."""
_PATH = "/debug/pprof/goroutine?debug=2"
_PATIENCE_S = 2.0
_MOST_BYTES = 16 << 20
_ADDRESSES = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104 - any address means loopback here
_HEAD = re.compile(r"goroutine \d+ (?:gp=\S+ m=\S+ (?:mp=\S+ )?)?\[([^\],]+)[^\]]*\]:")
_ON = frozenset({"running", "runnable"})
_PROC = "/proc"


def parse_goroutines(text: str, process: str) -> Parsed:
    """Parse goroutines, without the one that serves this request."""
    parsed = Parsed()
    for block in text.split("\n\n"):
        lines = block.strip("\n").splitlines()
        found = _HEAD.match(lines[0]) if lines else None
        if found is None:
            continue
        frames = [
            line.rpartition("(")[0]
            for line in lines[1:]
            if line and not line[0].isspace() and not line.startswith("created by ")
        ]
        if not frames or any(one.startswith("runtime/pprof.") for one in frames):
            continue
        state = found[1]
        kind = parsed.on if state in _ON else parsed.off
        kind[process, "goroutine", state, *reversed(frames)] += 1
    return parsed


@cache
def _is_go(path: str) -> bool:
    with (
        suppress(OSError, ValueError),
        Path(path).open("rb") as file,
        closing(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)) as content,
    ):
        return content.find(_BUILD) >= 0
    return False


def _addresses(program: Program) -> list[str]:
    """Where a process listens, as `ip:port`, if it is in our network namespace."""
    if own_namespace(_PROC, program.pid) is not None:
        return []
    own = inodes(_PROC, [program.pid])
    with suppress(OSError), closing(open_table(_PROC, program.pid, None)) as table:
        return [
            peer_name(Outgoing(0, one.family, one.address, one.port, is_waiting=False))
            for one in table.listeners()
            if one.inode in own
        ]
    return []


def _asked(address: str) -> str | None:
    """The goroutines that a server shows at an address; None if it shows none."""
    host, _, port = address.rpartition(":")
    host = _ADDRESSES.get(host, host).strip("[]")
    connection = http.client.HTTPConnection(host, int(port), timeout=_PATIENCE_S)
    with closing(connection):
        try:
            connection.request("GET", _PATH)
            answer = connection.getresponse()
            text = answer.read(_MOST_BYTES).decode("utf-8", "replace")
        except (OSError, http.client.HTTPException):
            return None
    return text if answer.status == http.client.OK and text.startswith("goroutine ") else None


def _take(programs: Sequence[Program], seconds: float, runner: Runner) -> Parsed | None:
    del seconds
    parsed, is_any = Parsed(), False
    for one in programs:
        for address in _addresses(one):
            if runner.stopped.is_set():
                return None
            if (text := _asked(address)) is not None:
                parsed.add(parse_goroutines(text, one.name))
                is_any = True
                break
    return parsed if is_any else None


GO = Tool("go", lambda program: _is_go(program.path), _take)
