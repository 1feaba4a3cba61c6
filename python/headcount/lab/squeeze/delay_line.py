"""A delay line of a run's own, which puts any distance between users and their server.

A process carries packets between two TAP devices (`headcount.lab.squeeze.line`), with code of the
engine. It is a separate process so that its CPU time is not the generator's. It ends with the run,
however that ends, and its devices with it.
"""

import contextlib
import fcntl
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from headcount.errors import MachineLimitError, SystemLimitError

START_S = 20.0
"""How long the process may take to make its devices: an interpreter starts first."""
ANSWER_S = 0.5
"""How long its figures may take. It has priority over the process that asks."""
STOP_S = 5.0
"""How long it may take to end."""


@dataclass(frozen=True, slots=True)
class Line:
    """What a line does to packets.

    Attributes:
        latency_s: What it adds to a round trip, in seconds: half of it each way.
        jitter_s: By how much that varies: each packet's delay by up to half of it more or less.
        loss: Share of packets that are lost, each way, from 0 to 1.
        reorder: Share of packets that overtake those before them, from 0 to 1.

    """

    latency_s: float = 0.0
    jitter_s: float = 0.0
    loss: float = 0.0
    reorder: float = 0.0


class DelayLine:
    """A running line.

    Attributes:
        pid: Its process.

    """

    def __init__(self, near: str, far: str, line: Line) -> None:
        """Make two devices of these names; raises SystemLimitError if that fails."""
        words = [f"--{name.replace('_', '-')}={value}" for name, value in asdict(line).items()]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "headcount.lab.squeeze.line", near, far, *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.pid = self._process.pid
        self._is_asked = False
        self._read = b""
        assert self._process.stdin
        assert self._process.stdout
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()
        flags = fcntl.fcntl(self._output, fcntl.F_GETFL)
        fcntl.fcntl(self._output, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        try:
            _check_start(self._answer(START_S))
        except BaseException:
            self.close()
            raise

    def figures(self) -> Mapping[str, float] | None:
        """What it has done so far, its CPU seconds, and the time on the monotonic clock.

        None if they come too late. Raises SystemLimitError if it has ended: users are then cut off
        from their server.
        """
        if not self._is_asked:
            with contextlib.suppress(BrokenPipeError):  # it has ended, which the answer shows
                os.write(self._input, b"\n")
            self._is_asked = True
        found = self._answer(ANSWER_S)
        if found is not None:
            self._is_asked = False
        return found

    def close(self) -> None:
        """End it; safe to call twice."""
        for end in (self._process.stdin, self._process.stdout):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.close()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(STOP_S)

    def _answer(self, longest_s: float) -> dict[str, float] | None:
        """The next line that it prints; None if there is none in time."""
        end_s = time.monotonic() + longest_s
        while b"\n" not in self._read:
            left_s = end_s - time.monotonic()
            if left_s < 0 or not select.select([self._output], [], [], left_s)[0]:
                return None
            data = os.read(self._output, 1 << 16)
            if not data:
                raise SystemLimitError(
                    "the delay line between the users and the server has ended, and the run with "
                    f"it (process {self.pid}, {self._ending()}). See whether somebody killed it or "
                    "the machine is out of memory (dmesg), then run again"
                )
            self._read += data
        text, _, self._read = self._read.partition(b"\n")
        answer: dict[str, float] = json.loads(text)
        return answer

    def _ending(self) -> str:
        """How the process has ended, in words."""
        try:
            code = self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            return "still there"
        return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _check_start(answer: Mapping[str, object] | None) -> None:
    """Raise MachineLimitError unless this is the answer of a line that has its devices."""
    if answer is None or "error" in answer:
        text = f"it says nothing for {START_S:g} s" if answer is None else answer["error"]
        raise MachineLimitError(
            f"cannot make the delay line: {text}; it needs the kernel's TAP devices "
            "(modprobe tun), and in a container --device /dev/net/tun"
        )
