"""Runs one sort in its own process."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import EngineError, SystemLimitError
from headcount.sort.cage import Cage
from headcount.sort.layout import Layout
from headcount.sort.sort_result import Sorted, SortFailedError

Progress = Callable[[int, int], None]
"""Called with the bytes done and the total."""


@dataclass(frozen=True, slots=True)
class Order:
    """One sort: what, with how much memory, and where.

    Attributes:
        layout: The records.
        records: How many.
        sortsize_bytes: Memory the sort may take.
        threads: Threads that sort.
        work: Folders for runs.
        cold: Whether the cache of the data is dropped before.

    """

    layout: Layout
    records: int
    sortsize_bytes: int
    threads: int
    work: Sequence[Path]
    cold: bool


def run(order: Order, source: int, target: int, cage: Cage | None, progress: Progress) -> Sorted:
    """Sort the file open as `source` into the one open as `target`.

    Raises SortFailedError if the sort fails, and SystemLimitError if the system ends it. When this
    function returns or raises, the process has ended.
    """
    with subprocess.Popen(
        [sys.executable, "-m", "headcount.sort.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=(source, target),
        start_new_session=True,  # Ctrl-C reaches this process, which then ends it
    ) as process:
        try:
            if cage is not None:
                cage.hold(process.pid)
            return _talk(process, _order_text(order, source, target), progress)
        finally:
            process.kill()


def _order_text(order: Order, source: int, target: int) -> str:
    return json.dumps(
        {
            "parent": os.getpid(),
            "source": f"/proc/self/fd/{source}",
            "target": f"/proc/self/fd/{target}",
            "record_bytes": order.layout.record_bytes,
            "keys": order.layout.places,
            "records": order.records,
            "sortsize_bytes": order.sortsize_bytes,
            "threads": order.threads,
            "work": [str(folder) for folder in order.work],
            "cold": order.cold,
        }
    )


def _talk(process: "subprocess.Popen[str]", order: str, progress: Progress) -> Sorted:
    if process.stdin is None or process.stdout is None:
        raise EngineError("the process of the sort has no pipes")
    process.stdin.write(order + "\n")
    process.stdin.close()
    for line in process.stdout:
        message = json.loads(line)
        if "far" in message:
            progress(message["far"]["done_bytes"], message["far"]["total_bytes"])
        elif "error" in message:
            raise SortFailedError(message)
        else:
            return Sorted.model_validate(message["sorted"])
    code = process.wait()
    if code == -signal.SIGKILL:
        raise SystemLimitError(
            "the system ended the process of the sort, most likely because memory ran out; choose "
            "a smaller --sortsize, or more --memory"
        )
    raise EngineError(f"the process of the sort ended with {code} and no message")
