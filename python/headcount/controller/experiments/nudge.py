"""`nudge`: cut the CPU of a server on this machine that somebody else runs, and give it back.

Only with `--allow-nudge`, and only if the server has a control group of its own. It is cut to a
part of what the server could have: its quota, or its use plus the idle CPUs. Less than it uses
would always hurt, whatever the limit is (utilisation law: X = U / D).
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from headcount.analyse.experiments import cut
from headcount.bundle.confirmation import Finding, Turn
from headcount.controller.experiments.experiment import Experiment, NotPlayable
from headcount.controller.experiments.player import Player, loaded_values
from headcount.controller.experiments.stage import Arm, Stage, play_rounds
from headcount.counters.proc import cgroup
from headcount.errors import SystemLimitError
from headcount.lab.squeeze.quota import quota_of, restored

NAME = "nudge"
CUT = 0.7
"""As for lab servers: enough to be told from noise, and little for a server's users."""
LEAST_LOOK_S = 1.0
"""How long the CPU is sampled before it is cut."""
MOST_OF_OTHERS = 0.25
"""Share of the machine from which other programs are a limit of their own, as in the diagnosis."""
SYS = Path("/sys")
STAT = Path("/proc/stat")
IDLE = (3, 4)
"""Idle and waiting for a disk, as fields of a line of /proc/stat (proc(5))."""


@dataclass(frozen=True)
class Usage:
    """CPU time so far, in seconds: of the group, idle, and of Headcount itself."""

    at_s: float
    used_s: float
    idle_s: float
    own_s: float


def _obstacle(stage: Stage) -> str | None:
    if not stage.options.allow_nudge:
        return "it was not allowed (--allow-nudge, as root on the server's machine)"
    return "only root may change a server's control group" if os.geteuid() != 0 else None


def _play(stage: Stage, rounds: int) -> Iterator[Turn]:
    where = _folders(stage)
    quota = quota_of(where)
    if quota is None:
        raise NotPlayable(
            "the server is not on this machine, or has no control group of its own whose CPU can "
            "be limited (a systemd service or a container has one)"
        )
    try:
        quota.restore()  # shows whether it may be written, and changes nothing
    except SystemLimitError as error:
        raise NotPlayable(str(error)) from error
    values = loaded_values(stage.plan, stage.load.compress)
    with restored(quota), closing(stage.player(values)) as player:
        whole = _available_cores(stage, player, where)
        arms = [
            Arm(cut.WHOLE, player, stage.load.users, terms=quota.restore),
            Arm(cut.PART, player, stage.load.users, terms=partial(quota.cut, CUT * whole)),
        ]
        before, turns = _usage(where), list[Turn]()
        for turn in play_rounds(stage, NAME, arms, rounds):
            turns.append(turn)
            yield turn
        _check_refutation(stage, turns, before, _usage(where))


def _check_refutation(
    stage: Stage, turns: Sequence[Turn], before: Usage | None, after: Usage | None
) -> None:
    """Refuse a refutation that other programs may have caused.

    If they keep the server below its allowance, a lower allowance changes nothing although the
    server lacks CPU. Raises NotPlayable.
    """
    finding = _judge(stage, turns)
    if finding is None or "cpu" not in finding.contradicts or before is None or after is None:
        return
    machine = len(os.sched_getaffinity(0))
    others = machine - _cores(before, after, "used_s", "idle_s", "own_s")
    if others > MOST_OF_OTHERS * machine:
        raise NotPlayable(
            f"other programs use {others:.1f} of {machine} CPUs, so less CPU for the server shows "
            "nothing; stop them and try again"
        )


def _cores(before: Usage, after: Usage, *names: str) -> float:
    """Mean CPUs used between two readings, by these kinds together."""
    used_s = sum(getattr(after, name) - getattr(before, name) for name in names)
    return float(used_s / max(after.at_s - before.at_s, 1e-9))


def _folders(stage: Stage) -> dict[str, str]:
    """The folders of the server's own control group; empty if it has none."""
    server = stage.sut.server
    return cgroup.folders(SYS, server.first.control_group) if server is not None else {}


def _available_cores(stage: Stage, player: Player, where: Mapping[str, str]) -> float:
    """The CPUs that the group could have under load: its quota, or its use plus the idle ones.

    Raises NotPlayable if other programs use so much that this is unknown.
    """
    machine = len(os.sched_getaffinity(0))
    server = stage.sut.server
    limit = server.first.limits.get("cpu", machine) if server is not None else machine
    lengths = stage.lengths(stage.load.users)
    player.bring(stage.load.users, lengths)
    player.pass_over(lengths.settle_s)
    before = _usage(where)
    player.pass_over(max(LEAST_LOOK_S, stage.turn_s))
    after = _usage(where)
    if before is None or after is None:
        raise NotPlayable("the CPU time of the server's control group cannot be read")
    others = machine - _cores(before, after, "used_s", "idle_s", "own_s")
    could = _cores(before, after, "used_s", "idle_s")
    if limit < machine and could >= CUT * limit:
        return limit
    if others > MOST_OF_OTHERS * machine:
        raise NotPlayable(
            f"other programs use {others:.1f} of {machine} CPUs, so it is not known what the "
            "server could have; stop them and try again"
        )
    return min(could, limit)


def _usage(where: Mapping[str, str]) -> Usage | None:
    reading = cgroup.read(where)
    if reading.cpu_ns is None:
        return None
    first, *_ = STAT.read_text("ascii").splitlines()
    ticks = [int(word) for word in first.split()[1:]]
    idle_s = sum(ticks[place] for place in IDLE) / os.sysconf("SC_CLK_TCK")
    return Usage(time.monotonic(), reading.cpu_ns / 1e9, idle_s, time.process_time())


def _judge(stage: Stage, turns: Sequence[Turn]) -> Finding | None:
    del stage
    return cut.judge(turns, NAME, "cpu", "the server's CPU", CUT)


NUDGE = Experiment(
    name=NAME,
    does=f"gives the running server all and {CUT:.0%} of its CPU in turn",
    about=frozenset({"cpu", "thread", "pool", "lock", "limiter", "delay", "unknown"}),
    arms=2,
    obstacle=_obstacle,
    play=_play,
    judge=_judge,
)
