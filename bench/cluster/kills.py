"""Ends agents, machines, networks, Ray and controllers at random moments of a run.

Each time the questions are the same: does anything load an unwatched server, and are the
measurements kept?
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bench.cluster.ground import Ground, wait_for

WORKLOAD = Path(__file__).parents[2] / "tests" / "e2e" / "light.toml"
PORT, USERS = 7000, (20, 30, 40)
LEVEL_S = 4
LEASE_S = 5.0
"""An agent ends its load after this long without a message (`generator/agent.py`)."""
SLACK_S = 2.0
"""Slack for a busy machine, and for this check of the server."""
LONGEST_LOAD_S = LEASE_S + SLACK_S
"""How long an unwatched server may have users."""
END_S = 150.0
"""Longest run: one of its levels is played twice, on a busy machine."""
WATCHED = (0, 1, 3, 4, 5)
"""Exit codes of runs that ended by themselves and said why."""


@dataclass(frozen=True)
class Round:
    """The outcome of one kill.

    Attributes:
        victim: What was killed.
        at_s: When, since the first users.
        code: The run's exit code; None if the controller was the victim.
        loads_s: How long the server had users that nothing watched.
        defects: What went wrong.

    """

    victim: str
    at_s: float
    code: int | None
    loads_s: float
    defects: tuple[str, ...]


class Play:
    """One run, and the end of one of its parts."""

    def __init__(
        self, ground: Ground, folder: Path, pick: random.Random, levels: Sequence[int]
    ) -> None:
        self.ground, self.folder, self.levels = ground, folder, levels
        self.node = pick.choice(ground.nodes)
        with (folder / "out").open("wb") as output, (folder / "err").open("wb") as errors:
            self.process = subprocess.Popen(
                [
                    *(
                        *ground.within("head"),
                        sys.executable,
                        "-m",
                        "headcount",
                        "run",
                        str(WORKLOAD),
                    ),
                    *("--target", f"app://{ground.address('server')}:{PORT}", "--ramp", "0s"),
                    *("--levels", ",".join(map(str, levels)), "--duration", f"{LEVEL_S}s"),
                    *("--agents", str(len(ground.nodes)), "--cluster", ground.cluster),
                    *("--authorised-by", "bench.cluster", "--runs", str(folder / "runs")),
                ],
                env=environment(ground, folder),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=errors,
                start_new_session=True,
            )

    def users(self) -> int:
        """How many users the server has."""
        return self.ground.users(PORT)

    def kill_agent(self) -> None:
        for pid in self.ground.agents(self.node)[:1]:
            _send(pid, signal.SIGKILL)

    def kill_machine(self) -> None:
        self.ground.end_ray(self.node)

    def cut_network(self) -> None:
        self.ground.cut(self.node, is_cut=True)

    def kill_ray(self) -> None:
        self.ground.end_ray("head")

    def kill_controller(self) -> None:
        _send(self.process.pid, signal.SIGKILL)

    def stop_controller(self) -> None:
        _send(self.process.pid, signal.SIGSTOP)


VICTIMS: Mapping[str, Callable[[Play], None]] = {
    "agent": Play.kill_agent,
    "machine": Play.kill_machine,
    "network": Play.cut_network,
    "controller": Play.kill_controller,
    "controller stops": Play.stop_controller,
    "Ray's head": Play.kill_ray,
}


def played(
    ground: Ground, folder: Path, pick: random.Random, victim: str, levels: Sequence[int]
) -> Round:
    """Play a run, kill a part of it, and check what is left."""
    folder.mkdir(parents=True)
    play = Play(ground, folder, pick, levels)
    defects: list[str] = []
    code, loads_s = None, 0.0
    try:
        wait_for(lambda: play.users() or play.process.poll() is not None, 60.0)
        at_s = pick.uniform(0.0, LEVEL_S * (len(levels) + 1.0))
        until_s = time.monotonic() + at_s
        wait_for(lambda: time.monotonic() > until_s or play.process.poll() is not None, 60.0)
        VICTIMS[victim](play)
        if victim.startswith("controller"):
            loads_s = _until_idle(play)
            if victim == "controller stops":
                _send(play.process.pid, signal.SIGCONT)
                code = _ended(play)
        else:
            if victim == "network":
                time.sleep(LONGEST_LOAD_S)  # load after that would be unwatched
                play.ground.cut(play.node, is_cut=False)
            code = _ended(play)
            loads_s = _until_idle(play)
        defects += _judged(play, victim, code)
    except RuntimeError as error:
        defects.append(str(error))
    finally:
        play.ground.cut(play.node, is_cut=False)
        _send(play.process.pid, signal.SIGKILL)
        play.process.wait()
    return Round(victim, at_s, code, loads_s, tuple(defects))


def _judged(play: Play, victim: str, code: int | None) -> Iterator[str]:
    errors = (play.folder / "err").read_text("utf-8", "replace")
    if "Traceback" in errors or code == 70:
        yield f"exit code {code}: {errors[-500:]}"
    if victim != "controller" and code not in WATCHED:
        yield f"the run ended with {code}: {errors[-500:]}"
    bundles = list((play.folder / "runs").iterdir())
    if len(bundles) != 1:
        yield f"{len(bundles)} bundles"
        return
    # A killed controller leaves its bundle open; all others are closed.
    audit = subprocess.run(
        [sys.executable, "-m", "headcount", "audit", str(bundles[0]), "--json"],
        env=environment(play.ground, play.folder),
        cwd=play.folder,
        check=False,
        capture_output=True,
        text=True,
    )
    if victim != "controller" and audit.returncode:
        yield f"the audit of its bundle ends with {audit.returncode}: {audit.stderr[-300:]}"
    levels = bundles[0] / "levels.json"
    found = json.loads(levels.read_text("utf-8"))["levels"] if levels.exists() else []
    counted = [one for one in found if not one.get("agents_lost")]
    if code == 0 and [one["users"] for one in counted] != list(play.levels):
        yield f"it passed with the levels {[one['users'] for one in counted]}"


def _until_idle(play: Play) -> float:
    return wait_for(lambda: not play.users(), 60.0)


def _ended(play: Play) -> int:
    try:
        return play.process.wait(END_S)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"the run still goes on after {END_S:g} s") from error


def _send(pid: int, name: signal.Signals) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, name)


def environment(ground: Ground, folder: Path) -> dict[str, str]:
    """The environment of a command on the head."""
    return {
        **os.environ,
        **ground.environment,
        "HEADCOUNT_TOKEN": "bench-of-the-cluster",
        "XDG_STATE_HOME": str(folder / "state"),
    }


@contextmanager
def server(ground: Ground, folder: Path) -> Iterator[None]:
    """An application server on the machine of that name."""
    process = subprocess.Popen(
        [
            *(*ground.within("server"), sys.executable, "-m", "headcount", "serve", "app"),
            *("--listen", f"{ground.address('server')}:{PORT}", "--data", str(folder / "data")),
        ],
        env=environment(ground, folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(20.0)


def kills(
    number: int,
    seed: int,
    folder: Path,
    note: Callable[[Round], None],
    levels: Sequence[int] = USERS,
) -> list[Round]:
    """Kill that many parts, each kind equally often, each in a run of its own with these levels."""
    pick = random.Random(seed)
    victims = [list(VICTIMS)[nth % len(VICTIMS)] for nth in range(number)]
    pick.shuffle(victims)
    found = []
    with Ground(3, 2) as ground, server(ground, folder):
        for nth, victim in enumerate(victims):
            ground.start_rays()
            found.append(played(ground, folder / f"round-{nth}", pick, victim, levels))
            note(found[-1])
    return found
