"""What became of a tip, a formula or a threshold of the documents of the nineties, by its id."""

from dataclasses import dataclass
from typing import Literal, cast

from headcount.analyse.rules.library import Library, builtin
from headcount.analyse.rules.model import Rule
from headcount.analyse.rules.reference import ids

Kind = Literal["rule", "advice", "knob", "formula", "program", "of its time"]

KINDS: dict[Kind, str] = {
    "rule": "a rule that examines counters",
    "advice": "advice that rules give",
    "knob": "a setting of today's servers",
    "formula": "a formula",
    "program": "a part of Headcount",
    "of its time": "of its time",
}
"""Names of the kinds, for people."""


@dataclass(frozen=True, slots=True)
class Tip:
    """An id, explained.

    Attributes:
        id: For example `A-05`.
        kind: What became of it; None: advice that no document of the nineties has.
        text: What it was, in Headcount's words.
        today: What has replaced it, or why nothing does; empty for formulas and modern advice.
        source: Its document and place; empty for parts of Headcount.
        command: The command that uses it, if there is one.
        at: The page or file that has it, if there is one.
        rules: The rules that give it as advice.

    """

    id: str
    kind: Kind | None
    text: str
    today: str = ""
    source: str = ""
    command: str = ""
    at: str = ""
    rules: tuple[Rule, ...] = ()


def tip(name: str, library: Library | None = None) -> Tip | None:
    """Explain an id that is not a rule, in upper or lower case; None if it is unknown."""
    known = library or builtin()
    name = name if name in known.advice else name.upper()
    place = ids().get(name)
    advice = known.advice.get(name)
    if advice is None and (place is None or place["as"] == "rule"):
        return None
    place = place or {}
    kind = cast(Kind | None, place.get("as"))
    at, command = place.get("at", ""), place.get("command", "")
    if advice is None:
        return Tip(name, kind, _sentence(place["does"]), command=command, at=at)
    rules = tuple(rule for rule in known.rules.values() if name in rule.advice)
    source = known.source(advice)
    return Tip(name, kind, advice.text, advice.today, source, command, at, rules)


def names(library: Library | None = None) -> list[str]:
    """Every id that can be explained: rules, advice, and ids of the documents."""
    known = library or builtin()
    return list(dict.fromkeys([*known.rules, *known.advice, *ids()]))


def _sentence(text: str) -> str:
    """A text as a sentence: with a capital first letter and a full stop.

    >>> _sentence("the size of NT 4's pools")
    "The size of NT 4's pools."
    """
    return f"{text[0].upper()}{text[1:].removesuffix('.')}."
