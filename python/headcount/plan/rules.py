"""Rules: named lists of criteria in a workload; a run may be judged by one of them."""

from collections.abc import Callable, Mapping, Sequence

from headcount.errors import InputError
from headcount.fields.mistakes import nearest


def check_rules(rules: Mapping[str, list[str]], read: Callable[[list[str]], object]) -> None:
    """Raises ValueError with the rule whose criteria cannot be read, and why."""
    for rule, texts in rules.items():
        try:
            read(texts)
        except InputError as error:
            raise ValueError(f"rules.{rule}: {error}") from error


def criteria_of(rules: Mapping[str, list[str]], rule: str, workload: str) -> list[str]:
    """The criteria of a rule; raises InputError, with the nearest name, if there is none."""
    if not rules:
        raise InputError(
            f'"{workload}" has no [rules], so there is no rule "{rule}"; give --criteria'
        )
    if rule not in rules:
        raise InputError(
            f'"{workload}" has no rule "{rule}"{nearest(rule, list(rules))}'
            f" (it has: {', '.join(rules)})"
        )
    return rules[rule]


def check_chosen(rules: Mapping[str, list[str]], rule: str | None, used: Sequence[str]) -> None:
    """Raises ValueError if the criteria of a plan are not those of the rule it names."""
    if rule is not None and rules.get(rule) != list(used):
        raise ValueError(
            f'the criteria are not those of the rule "{rule}"; remove rule, or give its criteria'
        )
