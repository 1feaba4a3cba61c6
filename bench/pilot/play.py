"""Turns of the proof: users by `headcount run`, beside `headcount pilot` or without it."""

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

from bench.pilot.disturbers import disturbers
from bench.pilot.log import CALM, PAIR, Record
from bench.pilot.quiet import others_cpus
from bench.pilot.server import HEADCOUNT, WORKLOAD, Server
from headcount.bundle import reader
from headcount.bundle.level import LevelResult
from headcount.errors import SystemLimitError
from headcount.pilot.work import descendants, times

BUSY = 0.1
"""CPUs that the server uses once its users are there."""
BUSY_S = 120.0
"""Until they are, at most: beside disturbers a program takes long to start."""
STEPS = ("try", "on", "off")
"""Kinds of events between which modules are switched on and off."""
LONGER_S = 120.0
"""Than its load a command may take."""


@dataclass(frozen=True)
class Lengths:
    """How a turn is played.

    Attributes:
        users: Of its only level.
        settle_s: Before the measured part: the pilot tries its modules meanwhile.
        measured_s: The measured part.
        calm_s: That of a check without a disturber, for which the pilot tries its modules.
        pilot_turn: Its `--turn`.
        patience_s: How long to wait for a quiet machine before it.

    """

    users: int
    settle_s: float
    measured_s: float
    calm_s: float
    pilot_turn: str
    patience_s: float


@dataclass(frozen=True)
class Piloted:
    """What a pilot has said: the moment and the event of each line."""

    events: list[tuple[float, dict[str, Any]]] = field(default_factory=list)

    @property
    def kept(self) -> list[str]:
        """Modules that it switched on for good at some time."""
        return [one["module"] for _, one in self.events if one["kind"] == "on"]

    @property
    def trials(self) -> list[Record]:
        """Each module that was tried to the end, with what came of it."""
        done = (one for _, one in self.events if one["kind"] in ("on", "off"))
        return [{"module": one["module"], **one["verdict"]} for one in done]

    @property
    def reasons(self) -> list[str]:
        """Why it tried what it tried."""
        return [one["text"] for _, one in self.events if one["kind"] == "try"]

    @property
    def looked(self) -> str:
        """What it saw first."""
        return next((one["text"] for _, one in self.events if one["kind"] == "look"), "")

    def is_done_by(self, at_s: float) -> bool:
        """Whether it had looked, and tried all that it tried, at a moment."""
        kinds = [one["kind"] for _, one in self.events]
        is_early = all(moment <= at_s for moment, one in self.events if one["kind"] in STEPS)
        tried, ended = kinds.count("try"), kinds.count("on") + kinds.count("off")
        return "look" in kinds and is_early and tried == ended


def pair(number: int, server: Server, lengths: Lengths, runs: Path) -> Record:
    """A turn without the pilot and one with it, both disturbed; every second pair begins with it.

    Raises HeadcountError where a turn comes to nothing.
    """
    order = (False, True) if number % 2 == 0 else (True, False)
    turns = {one: _turn(server, lengths, runs, with_pilot=one) for one in order}
    return {"kind": PAIR, "number": number, "without": turns[False], "with": turns[True]}


def _turn(server: Server, lengths: Lengths, runs: Path, *, with_pilot: bool) -> Record:
    longest_s = lengths.settle_s + lengths.measured_s + BUSY_S + LONGER_S
    others = others_cpus([server.pid], lengths.patience_s)
    with disturbers(server.pages, longest_s):
        level, piloted = _played(
            server, lengths, runs, lengths.settle_s, lengths.measured_s, with_pilot=with_pilot
        )
    begun_s = datetime.fromisoformat(level.started_at).timestamp()
    measured_s = begun_s + level.ramp_s + level.settle_s
    return {
        **_figures(level),
        "kept": piloted.kept,
        "trials": piloted.trials,
        "still_trying": with_pilot and not piloted.is_done_by(measured_s),
        "others_cpus": others,
    }


def calm(number: int, server: Server, lengths: Lengths, runs: Path) -> Record:
    """What a pilot claims of a server that nothing disturbs."""
    others = others_cpus([server.pid], lengths.patience_s)
    level, piloted = _played(server, lengths, runs, 0.0, lengths.calm_s, with_pilot=True)
    return {
        "kind": CALM,
        "number": number,
        **_figures(level),
        "kept": piloted.kept,
        "trials": piloted.trials,
        "looked": piloted.looked,
        "reasons_to_try": piloted.reasons,
        "others_cpus": others,
    }


def _figures(level: LevelResult) -> Record:
    response, total = level.total.response, level.total
    return {
        "p95_ms": None if response is None else response.p95_ms,
        "per_s": total.rate_per_s,
        "completed": total.completed,
        "failed": total.failed,
        "outcome": level.outcome,
        "reasons": level.reasons,
    }


def _played(
    server: Server,
    lengths: Lengths,
    runs: Path,
    settle_s: float,
    measured_s: float,
    *,
    with_pilot: bool,
) -> tuple[LevelResult, Piloted]:
    command = [HEADCOUNT, "run", WORKLOAD, "--target", server.url, "--pid", str(server.pid)]
    command += ["--users", str(lengths.users), "--ramp", "2s", "--settle", f"{settle_s:g}s"]
    command += ["--duration", f"{measured_s:g}s", "--client", "accept_gzip=on", "--json"]
    command += ["--stacks", "off", "--runs", str(runs)]
    longest_s = settle_s + measured_s + LONGER_S
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        try:
            _wait_until_busy(server, run)
            with _pilot(server, lengths, longest_s) if with_pilot else nullcontext() as piloted:
                printed, _ = run.communicate(timeout=longest_s)
        finally:
            run.terminate()  # no effect once it has ended
    bundle = reader.load(Path(json.loads(printed)["bundle"]))
    if len(bundle.levels) != 1:
        raise SystemLimitError(f"{bundle.folder} has {len(bundle.levels)} levels, not 1")
    return bundle.levels[0], piloted or Piloted()


def _wait_until_busy(server: Server, run: "subprocess.Popen[str]") -> None:
    """Wait for the users: a pilot that sees an idle server looks again only after a minute."""
    end_s = time.monotonic() + BUSY_S
    used_ns = _used_ns(server)
    while time.monotonic() < end_s and run.poll() is None:
        time.sleep(1.0)
        before_ns, used_ns = used_ns, _used_ns(server)
        if used_ns - before_ns > BUSY * 1e9:
            return
    raise SystemLimitError("no users came to the server")


def _used_ns(server: Server) -> int:
    return sum(one.run_ns for one in times(descendants([server.pid])).values())


@contextmanager
def _pilot(server: Server, lengths: Lengths, longest_s: float) -> Iterator[Piloted]:
    """A pilot on the server until the block ends; raises where it fails."""
    command = [HEADCOUNT, "pilot", "--pid", str(server.pid), "--json"]
    command += ["--turn", lengths.pilot_turn, "--for", f"{longest_s:g}s"]
    piloted = Piloted()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:

        def read() -> None:
            assert process.stdout is not None
            for line in process.stdout:
                piloted.events.append((time.time(), json.loads(line)))

        reading = Thread(target=read)
        reading.start()
        try:
            yield piloted
        finally:
            process.send_signal(signal.SIGINT)
            code = process.wait()
            reading.join()
    if code != 0:
        raise SystemLimitError(f"headcount pilot ended with {code}")
