"""Names of Windows' counters in English, whatever the language of the Windows that wrote them."""

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict

LANGUAGES = ("german", "french", "spanish", "italian", "portuguese")


class English(NamedTuple):
    """An object and one of its counters, as English Windows calls them."""

    object: str
    counter: str


class Meaning(BaseModel):
    """The counter of the catalogue for one of Windows. counters.toml explains the fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    objects: tuple[str, ...]
    counter: str
    gives: str | None = None
    instances: Literal["none", "host", "device", "interface"] = "none"
    without_total: Literal["mean", "sum", "one", "never"] = "one"
    scale: float = 1.0
    complement: bool = False
    positive: bool = False
    rate: str | None = None
    highest: str | None = None
    count: str | None = None
    together: bool = False


@cache
def meanings() -> tuple[Meaning, ...]:
    """The Windows counters that have a name in the catalogue, the better ones first."""
    text = files("headcount.counters.log.perfmon").joinpath("counters.toml").read_text("utf-8")
    return tuple(Meaning.model_validate(entry) for entry in tomllib.loads(text)["counter"])


def families() -> frozenset[str]:
    """All families of the catalogue that a Windows log can contain."""
    return frozenset(
        name
        for meaning in meanings()
        for name in (meaning.gives, meaning.rate, meaning.highest, meaning.count)
        if name is not None
    )


def english(name: str, counter: str) -> English | None:
    """Translate an object and its counter; None if they are unknown in all languages.

    >>> english("Prozessor", "Prozessorzeit (%)")
    English(object='Processor', counter='% Processor Time')
    """
    known = _known_names()
    objects, counters = _dictionary()
    for one in objects.get(_plain(name), ()):
        for other in counters.get(_plain(counter), ()):
            if (one, other) in known:
                return English(one, other)
    return None


@cache
def _known_names() -> frozenset[tuple[str, str]]:
    return frozenset((name, entry.counter) for entry in meanings() for name in entry.objects)


@cache
def _dictionary() -> tuple[Mapping[str, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """Plain names of objects and of counters, each with the English names it may stand for."""
    objects: dict[str, set[str]] = {}
    counters: dict[str, set[str]] = {}
    for name, counter in _known_names():
        objects.setdefault(_plain(name), set()).add(name)
        counters.setdefault(_plain(counter), set()).add(counter)
    folder = files("headcount.counters.log.perfmon").joinpath("languages")
    for language in LANGUAGES:
        words = tomllib.loads(folder.joinpath(f"{language}.toml").read_text("utf-8"))
        for table, found in ((words["objects"], objects), (words["counters"], counters)):
            for local, name in table.items():
                found.setdefault(_plain(local), set()).add(name)
    return _frozen(objects), _frozen(counters)


def _frozen(words: Mapping[str, set[str]]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({word: tuple(sorted(names)) for word, names in words.items()})


def _plain(name: str) -> str:
    """A name normalised for what programs write differently: case, spaces, apostrophes, accents.

    PowerShell writes names in lower case, Windows' French uses two kinds of apostrophes.
    """
    name = (
        unicodedata.normalize("NFC", name)
        .replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
        .replace("\xa0", " ")
    )
    return re.sub(r"\s+", " ", name).strip().casefold()
