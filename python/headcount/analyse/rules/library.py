"""Rules, advice and sources read from their files, and checked against each other."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from headcount.analyse.rules.condition import unit_of
from headcount.analyse.rules.model import Advice, Condition, Origin, Rule
from headcount.analyse.rules.units import factor
from headcount.counters.catalogue import lookup
from headcount.errors import InputError
from headcount.plan.toml_file import toml_values

_FILES = ("memory", "disk", "network", "cpu", "service", "workload")


@dataclass(frozen=True, slots=True)
class Library:
    """Rules, advice and sources by id.

    Attributes:
        rules: In the order of their files.
        advice: What rules advise.
        sources: Their sources.

    """

    rules: Mapping[str, Rule]
    advice: Mapping[str, Advice]
    sources: Mapping[str, Origin]

    def source(self, of: Rule | Advice) -> str:
        """The source of a rule or an advice, in full."""
        title = self.sources[of.source].title
        return f"{title}, {of.where}" if of.where else title

    def short_source(self, of: Rule | Advice) -> str:
        """The source in a few words."""
        short = self.sources[of.source].short
        return f"{short}, {of.where}" if of.where else short


@cache
def builtin() -> Library:
    """The rules that come with Headcount."""
    folder = files("headcount.analyse.rules").joinpath("data")
    names = (*_FILES, "advice", "sources")
    parts = [tomllib.loads(folder.joinpath(f"{name}.toml").read_text("utf-8")) for name in names]
    return _library(parts, "the rules of Headcount")


def with_file(path: Path) -> Library:
    """The rules of Headcount with those of a user's file.

    A rule, an advice or a source replaces Headcount's of the same id.

    Raises InputError naming the file and what is wrong with it.
    """
    own = toml_values(path, f"the rules file {path}")
    known = builtin()
    parts = [
        {
            "rule": [one.model_dump(by_alias=True) for one in known.rules.values()],
            "advice": [one.model_dump() for one in known.advice.values()],
            "source": {key: one.model_dump() for key, one in known.sources.items()},
        },
        own,
    ]
    return _library(parts, f"the rules {path}")


def _library(parts: list[dict[str, Any]], where: str) -> Library:
    for part in parts:
        unknown = set(part) - {"rule", "advice", "source"}
        if unknown:
            raise InputError(
                f"{where}: unknown key `{min(unknown)}`; a file has rule, advice and source"
            )
        _check_forms(part, where)
    rules = [_record(Rule, one, where) for part in parts for one in part.get("rule", [])]
    advice = [_record(Advice, one, where) for part in parts for one in part.get("advice", [])]
    sources = {
        key: _record(Origin, one, where)
        for part in parts
        for key, one in part.get("source", {}).items()
    }
    library = Library(
        MappingProxyType({one.id: one for one in rules}),
        MappingProxyType({one.id: one for one in advice}),
        MappingProxyType(sources),
    )
    for rule in library.rules.values():
        _check(rule, library, where)
    return library


def _check_forms(part: dict[str, Any], where: str) -> None:
    """Check that rules and advice are lists, and that sources have names."""
    for key in ("rule", "advice"):
        if not isinstance(part.get(key, []), list):
            raise InputError(f"{where}: {key} is not a list; begin each with [[{key}]]")
    if not isinstance(part.get("source", {}), dict):
        raise InputError(f"{where}: source has no names; begin each with [source.NAME]")


_One = TypeVar("_One", bound=BaseModel)


def _record(kind: type[_One], entry: Any, where: str) -> _One:
    try:
        return kind.model_validate(entry)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        name = entry.get("id", "") if isinstance(entry, dict) else ""
        what = " ".join(part for part in (kind.__name__.lower(), str(name), place) if part)
        problem = first["msg"].removeprefix("Value error, ")
        raise InputError(f"{where}: {what}: {problem}") from error


def _check(rule: Rule, library: Library, where: str) -> None:
    """Check everything that a rule names."""
    named = f"{where}: rule {rule.id}"
    if rule.source not in library.sources:
        raise InputError(f"{named}: no source `{rule.source}`; add [source.{rule.source}]")
    for other in (*rule.excepted_by, *rule.conflicts):
        if other not in library.rules:
            raise InputError(f"{named}: no rule `{other}`")
    for advised in rule.advice:
        if advised not in library.advice:
            raise InputError(f"{named}: no advice `{advised}`")
    for counter in rule.when.counters():
        if lookup(counter) is None:
            raise InputError(
                f"{named}: no counter `{counter}` in the catalogue; docs/counters.md lists them"
            )
    for leaf in rule.when.leaves():
        if leaf.least_of is not None and lookup(leaf.least_of) is None:
            raise InputError(
                f"{named}: no counter `{leaf.least_of}` in the catalogue; docs/counters.md lists "
                "them"
            )
        _check_unit(leaf, named)


def _check_unit(leaf: Condition, named: str) -> None:
    if leaf.counter is None:
        return
    to = "1" if leaf.scale == "memory" else unit_of(leaf)
    try:
        factor(leaf.unit, to)
    except InputError as error:
        raise InputError(f"{named}, {leaf.counter}: {error}") from error
