"""`headcount tune` as users run it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.tuning.case import Server
from bench.tuning.log import Log, Record
from bench.tuning.planning import options_of
from bench.tuning.rivals import RIVALS
from headcount.bundle import reader
from headcount.fields.units import seconds

TRIALS = "20"
LONGER = 4
"""Times its budget, and a search before it: a tuning that takes longer has failed."""
SEARCH_S = 900.0
SETTLING_S = 4.0
"""Of a turn beside what is measured, about: to guess how many a budget has."""


@dataclass(frozen=True)
class Asked:
    """How long tunings may take.

    Attributes:
        seed: Draws strengths, and what the tuner proposes.
        turn: Measured part of a turn.
        budget: Of a tuning.
        rivals: What else answers.

    """

    seed: int
    turn: str
    budget: str
    rivals: Sequence[str] = RIVALS

    @property
    def turn_s(self) -> float:
        """The measured part in seconds."""
        return seconds(self.turn)

    @property
    def turns(self) -> int:
        """About how many turns the budget has."""
        return max(int(seconds(self.budget) / (self.turn_s + SETTLING_S)), 1)


def tune(server: Server, asked: Asked, log: Log, before: Path | None = None) -> Record:
    """What it claims; `before` is the search to begin with, instead of a new one."""
    command = [str(Path(sys.executable).with_name("headcount")), "tune"]
    command += [*options_of(server, asked.seed), "--trials", TRIALS, "--turn", asked.turn]
    command += ["--budget", asked.budget, "--runs", str(log.runs), "--json"]
    command += ["--from", str(before)] if before is not None else []
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGER * seconds(asked.budget) + SEARCH_S,
    )
    if done.returncode != 0:
        return refused(done.returncode, done.stderr, asked)
    found = json.loads(done.stdout)
    return {
        "changes": {one["knob"]: one["after"] for one in found["changes"]},
        "ratio": found["ratio"],
        "limit": found["limit"],
        "users": found["users"],
        "tried": [one["name"] for one in found["knobs"] if one["tried"]],
        "trials": len(found["races"]),
        "sentence": found["sentence"],
        "turns": len(reader.load(Path(found["bundle"])).levels),
        "bundle": log.relative(Path(found["bundle"])),
    }


def refused(code: int, text: str, asked: Asked) -> Record:
    """An answer without changes, with what it printed; rivals get the turns it might have had."""
    lines: Sequence[str] = text.strip().splitlines()
    return {
        "changes": {},
        "ratio": None,
        "code": code,
        "sentence": " ".join(lines[-4:]),
        "turns": asked.turns,
    }
