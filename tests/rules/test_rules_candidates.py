"""The windows that are looked at: all in which a rule holds."""

import math
import random

import pytest
from recordings import frame

from headcount.analyse.rules.candidates import candidates
from headcount.analyse.rules.condition import evaluate
from headcount.analyse.rules.facts import Facts
from headcount.analyse.rules.library import builtin
from headcount.analyse.rules.model import Rule
from headcount.analyse.rules.windows import granular
from headcount.counters.naming import DEVICE, instance_name

SAMPLES = 600


def course(rule: Rule, seed: int) -> dict[str, list[float]]:
    """The figures of a rule's examples in turns of half a minute to five, some per device."""
    rng = random.Random(seed)
    examples = [one for one in rule.vector if one.given]
    if seed > 1:  # without those of other counters
        named = next(one for one in rule.vector if one.fires is True).given
        examples = [one for one in examples if set(one.given) == set(named)]
    given: dict[str, list[float]] = {}
    while len(next(iter(given.values()), ())) < SAMPLES:
        example = rng.choice(examples)
        length = rng.randint(10, 90)
        for name in {name for one in examples for name in one.given}:
            value = example.given.get(name, math.nan)
            number = value if isinstance(value, int | float) else max(value)
            values = [number * rng.choice([*[1] * 12, 0.2]) for _ in range(length)]
            given.setdefault(name, []).extend(values)
    if rule.when.each and seed % 2:
        given = {
            name if DEVICE in name else instance_name(name, DEVICE, "sda"): values
            for name, values in given.items()
        }
    return given


@pytest.mark.parametrize("rule", builtin().rules.values(), ids=lambda rule: rule.id)
def test_no_window_in_which_a_rule_holds_is_left_out(rule: Rule) -> None:
    held = 0
    firing = next(one for one in rule.vector if one.fires is True)
    facts = Facts(firing.cpus or 4, firing.memory_bytes or 10e9, firing.spindles or 1)
    for seed in range(4):
        log = frame(course(rule, seed), SAMPLES, 10.0)
        windows = granular(log.at_s)
        assert len(windows) > 30
        looked_at = set(candidates(rule.when, log, facts, windows))
        holding = {one for one in windows if evaluate(rule.when, log, facts, one).holds}
        assert holding <= looked_at, rule.id
        held += len(holding)
    trends = {leaf.is_ for leaf in rule.when.leaves()} & {"rises", "falls"}
    assert held or trends, "the test shows nothing"


def test_quiet_windows_are_not_looked_at() -> None:
    quiet = frame({"system.cpu.utilization": [0.1] * 300 + [0.99] * 60 + [0.1] * 300}, every_s=10.0)
    windows = granular(quiet.at_s)
    rule = builtin().rules["C-01"]
    looked_at = candidates(rule.when, quiet, Facts(4), windows)
    assert 0 < len(looked_at) < len(windows) / 4
