"""What is tried next: rules of thumb first, then what Optuna proposes."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import optuna

from headcount.tune.change import Changes, Configuration
from headcount.tune.knobs.knob import Knob
from headcount.tune.values import Values

ALL_RULES = "all rules of thumb together"
REFUSED = -1.0
"""The gain that Optuna learns for a configuration that did not run."""
STALE = 12
"""After this many proposals in a row that were tried before, nothing is left to try."""
MOST_CHOICES = 6
"""A number with at most this many values is a choice among them."""


class Proposals:
    """Configurations to try, each once."""

    def __init__(self, values: Sequence[Values], seed: int) -> None:
        """Propose values of these knobs, the weightiest first."""
        self._values = {one.knob: one for one in values}
        self._tried: set[frozenset[tuple[str, str]]] = {frozenset()}
        self._gains: dict[frozenset[tuple[str, str]], float] = {frozenset(): 0.0}
        self._rules = list(self._by_rule())
        self._fewer_rules: list[Configuration] = []
        """All rules but one, where the server refuses all of them together."""
        self._study = _study(seed)
        self._open: dict[frozenset[tuple[str, str]], optuna.trial.Trial | None] = {}
        present = {
            one.knob.name: value
            for one in values
            if (value := _choice(one, one.present)) is not None
        }
        self._study.enqueue_trial(present)

    def _by_rule(self) -> Iterator[Configuration]:
        """All rules of thumb together, then one at a time; between them, words without one."""
        first = {one.knob: one.rules[0] for one in self._values.values() if one.rules}
        if len(first) > 1:
            yield Configuration(first, ALL_RULES)
        for knob, values in self._values.items():
            for value in values.single:
                other = "the other value of" if len(values.single) == 1 else "another value of"
                origin = "a rule of thumb for" if values.rules else other
                yield Configuration({knob: value}, f"{origin} {knob.name}")

    def next(self, best: Configuration) -> Configuration | None:
        """What to try against the best so far; None where all has been tried."""
        while self._fewer_rules or self._rules:
            found = (self._fewer_rules or self._rules).pop(0)
            merged = Configuration({**best.changes, **found.changes}, found.origin)
            if self._is_new(merged):
                self._open[merged.key] = None
                return merged
        for _ in range(STALE):
            trial = self._study.ask(self._distributions())
            changes = self._changes(trial.params)
            found = Configuration(changes, "proposed by the optimiser")
            if self._is_new(found):
                self._open[found.key] = trial
                return found
            self._study.tell(trial, self._gains.get(found.key, REFUSED))
        return None

    def _is_new(self, one: Configuration) -> bool:
        known = one.key in self._tried
        self._tried.add(one.key)
        return not known

    def learn(self, tried: Configuration, gain: float | None) -> None:
        """Take the gain over the server as it is; None if the configuration did not run."""
        if gain is not None:
            self._fewer_rules.clear()
        elif tried.origin == ALL_RULES:
            self._fewer_rules += _each_without_one(tried)
        trial = self._open.pop(tried.key, None)
        value = REFUSED if gain is None else gain
        self._gains[tried.key] = value
        if trial is not None:
            self._study.tell(trial, value)
            return
        distributions = self._distributions()
        params = {
            name: choice
            for knob, one in self._values.items()
            if (name := knob.name) in distributions
            and (choice := _choice(one, tried.changes.get(knob, one.present))) is not None
        }
        if params.keys() == distributions.keys():
            self._study.add_trial(
                optuna.trial.create_trial(
                    params=params, distributions=distributions, values=[value]
                )
            )

    def _distributions(self) -> dict[str, Any]:
        return {knob.name: _distribution(one) for knob, one in self._values.items()}

    def _changes(self, params: Mapping[str, Any]) -> Changes:
        names: Mapping[str, Knob] = {knob.name: knob for knob in self._values}
        found = {names[name]: str(value) for name, value in params.items()}
        return {
            knob: value for knob, value in found.items() if not self._values[knob].is_now(value)
        }


def _each_without_one(rules: Configuration) -> list[Configuration]:
    if len(rules.changes) < 3:
        return []  # what is left is a single one, which is tried anyway
    return [
        rules.without([knob], f"all rules of thumb but that for {knob.name}")
        for knob in rules.changes
    ]


def _study(seed: int) -> Any:
    """The optimiser: tree-structured Parzen estimators, from the present setting on."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=4)
    return optuna.create_study(direction="maximize", sampler=sampler)


def _distribution(values: Values) -> Any:
    if values.bounds is None:
        return optuna.distributions.CategoricalDistribution(_words(values))
    low, high = values.bounds
    if values.knob.words or high - low < MOST_CHOICES:
        return optuna.distributions.CategoricalDistribution(_choices(values))
    return optuna.distributions.IntDistribution(low, high, log=low > 0)


def _words(values: Values) -> list[str]:
    present = [] if values.present is None else [values.present]
    return list(dict.fromkeys([*values.knob.words, *present]))


def _choices(values: Values) -> list[str]:
    """Words and a few numbers, from the least to the most in equal ratios."""
    low, high = values.bounds or (0, 0)
    steps = max(min(high - low, MOST_CHOICES - 1), 1)
    start = max(low, 1)
    numbers = [round(start * (high / start) ** (step / steps)) for step in range(steps + 1)]
    return list(dict.fromkeys([*_words(values), *map(str, [low, *numbers])]))


def _choice(values: Values, value: str | None) -> Any:
    """A value in the optimiser's form; None if it is not among those it can propose."""
    if value is None:
        return None
    distribution = _distribution(values)
    if hasattr(distribution, "choices"):
        return value if value in distribution.choices else None
    number = int(value) if value.lstrip("-").isdigit() else None
    return (
        number if number is not None and distribution.low <= number <= distribution.high else None
    )
