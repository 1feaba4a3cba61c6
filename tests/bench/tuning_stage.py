"""A server in numbers: its throughput follows from its knobs, each turn a little more or less."""

import math
from collections.abc import Mapping
from random import Random

from headcount.bundle.level import LevelResult
from headcount.tune.change import Configuration
from headcount.tune.durations import Durations
from headcount.tune.knobs.knob import Knob
from headcount.tune.tunable import NotAccepted
from headcount.tune.values import Values
from versus_levels import level

MACHINE = {"cpus": 4, "memory_mib": 8000, "users": 100}


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


def number(name: str) -> Knob:
    numbers = {"words": [], "default": "1", "least": "1", "most": "1000", "rules": ["8"]}
    return Knob.model_validate({**switch(name).model_dump(), **numbers})


def values(knob: Knob) -> Values:
    return Values(knob, knob.default, MACHINE)


class Stage:
    """`effects` are factors of throughput by knob and value; one of 0 is refused."""

    def __init__(
        self,
        effects: Mapping[tuple[str, str], float],
        *,
        seed: int = 1,
        noise: float = 0.02,
        holds: int = 0,
    ) -> None:
        self._effects = effects
        self._random = Random(seed)
        self._noise = noise
        self._holds = holds
        self.durations = Durations()
        self.turns: list[tuple[Configuration, int]] = []

    def turn(
        self, configuration: Configuration, users: int, *, is_fresh: bool = False
    ) -> LevelResult:
        del is_fresh
        factor = 1.0
        for knob, value in configuration.changes.items():
            factor *= self._effects.get((knob.name, value), 1.0)
        if not factor:
            raise NotAccepted("it does not start")
        self.turns.append((configuration, users))
        rate = 1000 * factor * math.exp(self._random.gauss(0, self._noise))
        outcome = "passed" if users <= self._holds else "failed"
        found = level(len(self.turns), users, 500, outcome=outcome, rate_per_s=rate)
        self.durations.add(configuration, found)
        return found
