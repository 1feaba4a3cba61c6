"""Rivals of the tuner, with as many turns as it took: they believe each turn."""

from collections.abc import Sequence
from typing import Any

import optuna

from bench.tuning.gains import score
from bench.tuning.stage import Stage
from headcount.bundle.tuning import Measure
from headcount.tune.change import AS_IT_IS, Configuration
from headcount.tune.pairs import mean
from headcount.tune.tunable import NotAccepted
from headcount.tune.values import Values

WORST = -100.0
"""The logarithm of a figure that no server has: of what did not run."""
RIVALS = ("default", "rules", "random", "optuna")


def rules(values: Sequence[Values]) -> Configuration:
    """The first rule of thumb of all knobs together, without a test."""
    first = {one.knob: one.rules[0] for one in values if one.rules}
    return Configuration(first, "rules of thumb")


def random(
    stage: Stage, values: Sequence[Values], users: int, measure: Measure, turns: int, seed: int
) -> Configuration:
    """The best of configurations at random."""
    sampler = optuna.samplers.RandomSampler(seed=seed)
    return _searched(stage, values, users, measure, turns, sampler)


def plain(
    stage: Stage, values: Sequence[Values], users: int, measure: Measure, turns: int, seed: int
) -> Configuration:
    """The best of what Optuna proposes with its own defaults."""
    sampler = optuna.samplers.TPESampler(seed=seed)
    return _searched(stage, values, users, measure, turns, sampler)


def _searched(
    stage: Stage,
    values: Sequence[Values],
    users: int,
    measure: Measure,
    turns: int,
    sampler: Any,
) -> Configuration:
    """The configuration with the best mean of its single turns; the first is the server as is."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(direction="maximize", sampler=sampler)
    space = {one.knob.name: _distribution(one) for one in values}
    found: dict[frozenset[tuple[str, str]], list[float]] = {}
    by_key = {AS_IT_IS.key: AS_IT_IS}
    for number in range(turns):
        trial = study.ask(space) if number else None
        one = AS_IT_IS if trial is None else _configuration(values, trial.params)
        by_key.setdefault(one.key, one)
        try:
            value = score(stage, one, users, measure)
        except NotAccepted:
            value = None
        if value is not None:
            found.setdefault(one.key, []).append(value)
        if trial is not None:
            study.tell(trial, WORST if value is None else value)
    if not found:
        return AS_IT_IS
    return by_key[max(found, key=lambda key: mean(found[key]))]


def _configuration(values: Sequence[Values], params: dict[str, Any]) -> Configuration:
    drawn = [(one, str(params[one.knob.name])) for one in values]
    return Configuration(
        {one.knob: value for one, value in drawn if not one.is_now(value)}, "searched"
    )


NUMBERS = 8
"""Of a knob that has words, too: choices from the least to the most in equal ratios."""


def _distribution(values: Values) -> Any:
    present = [] if values.present is None else [values.present]
    words = list(dict.fromkeys([*values.knob.words, *present]))
    if values.bounds is None:
        return optuna.distributions.CategoricalDistribution(words)
    low, high = values.bounds
    if not values.knob.words:
        return optuna.distributions.IntDistribution(low, high, log=low > 0)
    start = max(low, 1)
    steps = [round(start * (high / start) ** (step / NUMBERS)) for step in range(NUMBERS + 1)]
    choices = dict.fromkeys([*words, *map(str, [low, *steps])])
    return optuna.distributions.CategoricalDistribution(list(choices))
