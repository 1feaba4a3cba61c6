"""Recompute what documents derive from their own figures.

A check is a claim with the readings under which it could be true, each a formula over what is
printed. Only the formulas decide: a claim that holds under all readings matches, under none it does
not match, under some it is ambiguous. If a formula needs a figure that is not printed, the claim
cannot be recomputed.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from headcount.analyse.published.expression import NotPrintedError, evaluate, exact
from headcount.analyse.published.library import NAMES, documents, read
from headcount.analyse.published.model import Document, Record, System

Verdict = Literal["matches", "does not match", "ambiguous", "not recomputable"]
VERDICTS: tuple[Verdict, ...] = ("matches", "does not match", "ambiguous", "not recomputable")


class Check(Record):
    """A claim of a document.

    Attributes:
        id: Its name among the document's checks.
        place: The section or table.
        claim: What is claimed, in our words.
        let: What follows from what is printed: formulas by name, in order.
        shows: The right value, a format of names.
        readings: Formulas under which the claim would hold, by what they take it to mean.
        note: What else a reader must know.

    """

    id: str
    place: str
    claim: str
    let: dict[str, str] = Field(default={})
    shows: str
    readings: dict[str, str]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A check, recomputed.

    Attributes:
        source: The document's id.
        check: What was checked.
        verdict: The result.
        correct: The right value in words; if it cannot be recomputed, what is not printed.
        held: Whether the claim holds, by reading.

    """

    source: str
    check: Check
    verdict: Verdict
    correct: str
    held: Mapping[str, bool]


class _Part:
    """Figures by name, for formulas; a missing figure was not printed."""

    def __init__(self, of: str, figures: Mapping[str, Any]) -> None:
        self._of = of
        self._figures = figures

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._figures:
            raise NotPrintedError(f"{name} of {self._of}")
        return exact(self._figures[name])


def checks(found: Document) -> list[Check]:
    """The checks of a document."""
    name = NAMES[documents().index(found)]
    return [Check.model_validate(one) for one in _list(read("checks", name)["checks"])]


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def recompute() -> list[Finding]:
    """Every check of every document, from the figures that come with Headcount."""
    return [verdict_on(found, check) for found in documents() for check in checks(found)]


def verdict_on(found: Document, check: Check) -> Finding:
    """One check, from the document's figures."""
    names = names_of(found)
    try:
        for name, formula in check.let.items():
            names[name] = evaluate(formula, names)
        held = {text: bool(evaluate(formula, names)) for text, formula in check.readings.items()}
        correct = check.shows.format(**names)
    except NotPrintedError as missing:
        return Finding(found.id, check, "not recomputable", f"not printed: {missing}", {})
    holds = set(held.values())
    verdict: Verdict = "ambiguous" if len(holds) > 1 else VERDICTS[0 if holds == {True} else 1]
    return Finding(found.id, check, verdict, correct, held)


class _Names(dict[str, Any]):
    """Names in formulas; looking up a figure that is not printed reports that."""

    def __init__(self, names: Mapping[str, Any], absent: Mapping[str, str]) -> None:
        super().__init__(names)
        self._absent = absent

    def __contains__(self, name: object) -> bool:
        if name in self._absent:
            raise NotPrintedError(self._absent[str(name)])
        return super().__contains__(name)


def names_of(found: Document) -> dict[str, Any]:
    """The names that the formulas of a document's checks can use."""
    systems = {system.id: _of(system, found) for system in found.systems}
    plain = {name: exact(value) for name, value in {**found.facts, **found.known}.items()}
    return _Names({**plain, **systems}, found.absent)


def _of(system: System, found: Document) -> _Part:
    tests = {
        name: _Part(f"{system.label}, {found.tests[name].label}", printed.figures)
        for name, printed in system.printed.items()
    }
    own: dict[str, Any] = {**system.parts, **tests}
    if len(found.tests) == 1:  # a figure without a test can only belong to this one
        for printed in system.printed.values():
            own |= printed.figures
    return _Part(system.label, own)
