"""A short text that a pattern of an API description matches."""

import re
from collections.abc import Iterable
from re import _parser as parser  # type: ignore[attr-defined]  # the tree that re compiles
from typing import Any

LONGEST_PATTERN = 1000
LONGEST_TEXT = 1000
MOST_STEPS = 10_000
"""Parts of a pattern visited for one text: repetitions within each other multiply."""
MORE_REPETITIONS = (*range(65), 128, 256, 512, LONGEST_TEXT)
"""Beyond the fewest that the pattern asks for; tried in turn until the text is long enough."""
CANDIDATES = "a1-A _.:/" + "".join(map(chr, range(33, 127))) + "\u00e9\t\n"
"""Characters to choose from where a set excludes or only describes some."""
_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
_STARTS = {"AT_BEGINNING", "AT_BEGINNING_STRING"}
_ENDS = {"AT_END", "AT_END_STRING"}


def pattern_sample(pattern: str, least: int = 0, most: int = LONGEST_TEXT) -> str | None:
    r"""A text of `least` to `most` characters that the pattern matches.

    None for a pattern that Python cannot read, that looks around or back, or that asks for more
    than LONGEST_TEXT characters.

    >>> pattern_sample(r"^[A-Z]{2}-\d{4}$")
    'AA-1111'
    >>> pattern_sample("^[a-z]+$", least=3)
    'aaa'
    """
    if len(pattern) > LONGEST_PATTERN:
        return None
    try:
        tree = parser.parse(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    for more in MORE_REPETITIONS:
        writer = _Writer(more)
        try:
            writer.put_all(tree)
        except (_Unwritable, RecursionError):
            return None
        if len(writer.text) >= max(least, min(1, most)) or not _can_grow(tree):
            return writer.text if least <= len(writer.text) <= most else None
    return None


class _Unwritable(Exception):  # noqa: N818  # a signal within this file
    """No text can be written for this part of a pattern."""


class _Writer:
    """Writes the text from left to right."""

    def __init__(self, more: int) -> None:
        self.more = more
        self.text = ""
        self.steps = 0
        self.is_ended = False
        """Whether the pattern said that nothing follows."""

    def put_all(self, parts: Iterable[tuple[Any, Any]]) -> None:
        for kind, argument in parts:
            self.put(str(kind), argument)

    def put(self, kind: str, argument: Any) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise _Unwritable
        if kind in ("LITERAL", "NOT_LITERAL", "ANY", "IN"):
            self._put_character(kind, argument)
        elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            self._put_repeatedly(*argument)
        elif kind in ("SUBPATTERN", "ATOMIC_GROUP"):
            self.put_all(argument[3] if kind == "SUBPATTERN" else argument)
        elif kind == "BRANCH":
            self._put_branch(argument[1])
        elif kind == "AT" and str(argument) in _STARTS and not self.text:
            pass
        elif kind == "AT" and str(argument) in _ENDS:
            self.is_ended = True
        else:
            raise _Unwritable

    def _put_repeatedly(self, fewest: int, most: int, parts: Any) -> None:
        for _ in range(min(int(most), int(fewest) + self.more)):
            self.put_all(parts)
            if len(self.text) > LONGEST_TEXT:
                return

    def _put_branch(self, branches: list[Any]) -> None:
        """The first branch that can be written."""
        before = self.text, self.is_ended
        for branch in branches:
            try:
                self.put_all(branch)
            except _Unwritable:
                self.text, self.is_ended = before
            else:
                return
        raise _Unwritable

    def _put_character(self, kind: str, argument: Any) -> None:
        if self.is_ended or len(self.text) > LONGEST_TEXT:
            raise _Unwritable
        if kind == "LITERAL":
            self.text += chr(argument)
        elif kind == "NOT_LITERAL":
            self.text += next(one for one in CANDIDATES if one != chr(argument))
        elif kind == "ANY":
            self.text += CANDIDATES[0]
        else:
            self.text += _of_set([(str(name), value) for name, value in argument])


def _of_set(members: list[tuple[str, Any]]) -> str:
    """A character of a set: its first where the set names some."""
    excludes = members[0][0] == "NEGATE"
    if not excludes:
        kind, value = members[0]
        if kind == "LITERAL":
            return chr(value)
        if kind == "RANGE":
            return chr(value[0])
    for one in CANDIDATES:
        if any(_is_in(one, kind, value) for kind, value in members) != excludes:
            return one
    raise _Unwritable


def _is_in(character: str, kind: str, value: Any) -> bool:
    if kind == "LITERAL":
        return ord(character) == int(value)
    if kind == "RANGE":
        return int(value[0]) <= ord(character) <= int(value[1])
    if kind == "CATEGORY":
        return re.fullmatch(_CATEGORIES[str(value)], character) is not None
    return False  # NEGATE itself


def _can_grow(tree: Any) -> bool:
    """Whether more repetitions make a longer text."""
    shortest, longest = tree.getwidth()
    return bool(longest > shortest)
