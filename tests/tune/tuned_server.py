"""A server in numbers: its throughput follows from its knobs, each turn a little more or less."""

import math
from collections.abc import Mapping
from random import Random

from headcount.bundle.level import LevelResult
from headcount.controller.listener import Silent
from headcount.tune.change import Configuration
from headcount.tune.durations import Durations
from headcount.tune.knobs.knob import Knob
from headcount.tune.piloting import Piloting
from headcount.tune.proposals import Proposals
from headcount.tune.tunable import NotAccepted
from headcount.tune.tuning import Tuning
from headcount.tune.values import Values
from versus_levels import level

NAMES = {"cpus": 4, "memory_mib": 8000, "users": 100}
BASE_PER_S = 1000.0


def switch(name: str, rules: tuple[str, ...] = ("on",)) -> Knob:
    return Knob.model_validate(
        {
            "name": name,
            "about": "x",
            "limits": ["cpu"],
            "default": "off",
            "words": ["on", "off"],
            "rules": list(rules),
            "apply": "reload",
            "source": "x",
        }
    )


class Stage:
    """What `Tuning` needs of a stage.

    `effects` are factors of throughput by knob and value; one of 0 is refused by the server.
    """

    def __init__(
        self, effects: Mapping[tuple[str, str], float], seed: int, noise: float = 0.05
    ) -> None:
        self._effects = effects
        self._random = Random(seed)
        self._noise = noise
        self._drift = 1.0
        self.turns: list[tuple[Configuration, int]] = []
        self.can_restart = False
        self.factor = 1.0
        self.durations = Durations()
        self.fresh: list[bool] = []

    def rest(self) -> None:
        """Nobody has to leave."""

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        factor = self.factor
        for knob, value in configuration.changes.items():
            factor *= self._effects.get((knob.name, value), 1.0)
        if not factor:
            raise NotAccepted("it does not start")
        self.turns.append((configuration, users))
        self.fresh.append(is_fresh)
        self._drift *= math.exp(self._random.gauss(0, self._noise / 3))
        rate = BASE_PER_S * factor * self._drift * math.exp(self._random.gauss(0, self._noise))
        found = level(len(self.turns), users, 500, outcome="failed", rate_per_s=rate)
        self.durations.add(configuration, found)
        return found


def tuned(
    stage: Stage,
    knobs: list[Knob],
    seed: int = 1,
    trials: int = 20,
    pilot: Piloting | None = None,
    users: int = 100,
    most_users: int = 1_000_000,
    best_per_s: float | None = None,
) -> Tuning:
    values = [Values(knob, "off", NAMES) for knob in knobs]
    tuning = Tuning(
        stage,  # type: ignore[arg-type]
        Proposals(values, seed),
        "rate",
        users,
        3600.0,
        Silent(),
        pilot=pilot,
        most_users=most_users,
        best_per_s=best_per_s,
    )
    tuning.play(trials)
    return tuning
