"""Reads long lists in JSON in pieces: as objects, a whole log of days takes gigabytes."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from pydantic_core import from_json

_CHUNK = 1 << 18
_PIECE = 1 << 17
"""Characters of the text that become objects at a time; objects take ten times their memory."""
_KEEP = 64
"""Characters to keep, in case a beginning spans two chunks."""
_BETWEEN = re.compile(r"[\s,]*")
_FIRST_KEY = '"timestamp"'
"""Every sample of sadf begins with its time."""
_CUT = re.compile(r"\s*,\s*\{\s*$")
_MOST = 1 << 26
"""Most characters of one item, or of everything around the lists: a sample of a machine with a
thousand disks has a hundredth of that."""
_BLANKS = 256
"""The end of a sample is searched for this many characters back from the next one's first key."""
_DECODER = json.JSONDecoder()

Take = Callable[[int, Sequence[Mapping[str, Any]]], None]


def around(file: TextIO, take: Take, begin: re.Pattern[str], *, torn: bool = False) -> str:
    """The text without the objects of the lists that match ``begin``; those go to ``take``.

    Raises ValueError if such a list is not JSON, or ends too early.
    """
    parts: list[str] = []
    text = _Text(file)
    number = 0
    while (mark := text.pass_over(begin, parts)) is not None:
        parts.append(mark)
        while some := text.items(torn=torn):
            take(number, some)
        number += 1
    return "".join(parts)


class _Text:
    """The text of a file, with only a part of it in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._place = 0
        self._singly = 0
        """Up to here, items are read one by one, because together they were not valid JSON."""

    def _more(self) -> bool:
        """Read on; returns whether anything was left."""
        if len(self._text) - self._place > _MOST:
            raise ValueError(f"an item of more than {_MOST:,} characters")
        # Double what is there, so that a long item is not retried at many short steps.
        chunk = self._file.read(max(_CHUNK, len(self._text) - self._place))
        self._text = self._text[self._place :] + chunk
        self._singly -= self._place
        self._place = 0
        return bool(chunk)

    def pass_over(self, until: re.Pattern[str], passed: list[str]) -> str | None:
        """Move past the next match and return it; append the text before it to `passed`.

        Returns None at the end of the file.
        """
        length = 0
        while True:
            found = until.search(self._text, self._place)
            if found is not None:
                passed.append(self._text[self._place : found.start()])
                self._place = found.end()
                return found[0]
            end = max(len(self._text) - _KEEP, self._place)
            passed.append(self._text[self._place : end])
            length += end - self._place
            if length > _MOST:
                raise ValueError(f"more than {_MOST:,} characters without a list of samples")
            self._place = end
            if not self._more():
                passed.append(self._text)
                self._text = ""
                return None

    def items(self, *, torn: bool) -> list[Mapping[str, Any]]:
        """The next objects of a list; none at its end, or at the end of the file."""
        one = self._item(torn=torn)
        return [] if one is None else [one, *self._several()]

    def _several(self) -> list[Mapping[str, Any]]:
        """The objects that follow, as far as they are in memory; none if that is not a valid list.

        The text up to the beginning of an object, closed with a bracket, is a valid list only if
        that beginning is not inside another object or a string, so the cut is between two items.
        """
        between = _BETWEEN.match(self._text, self._place)
        begin = self._place if between is None else between.end()
        if begin < self._singly or self._text.startswith("]", begin):
            return []
        last = self._text.rfind(_FIRST_KEY, begin, begin + _PIECE)
        cut = _CUT.search(self._text, max(begin, last - _BLANKS), last) if last > 0 else None
        if cut is None or cut.start() <= begin:
            return []
        try:
            found: list[Mapping[str, Any]] = from_json(f"[{self._text[begin : cut.start()]}]")
        except ValueError:
            self._singly = cut.start()
            return []
        self._place = cut.start()
        return found

    def _item(self, *, torn: bool) -> Mapping[str, Any] | None:
        """The next object of a list; None at its end, or at the end of the file."""
        while True:
            found = _BETWEEN.match(self._text, self._place)
            at = self._place if found is None else found.end()
            if at < len(self._text):
                if self._text[at] == "]":
                    self._place = at
                    return None
                try:
                    made, self._place = _DECODER.raw_decode(self._text, at)
                except ValueError:
                    if self._more():
                        continue
                    if not torn:
                        raise
                    made = json.loads(f"{self._text.strip().strip(',')}}}")
                    self._text, self._place = "", 0
                sample: Mapping[str, Any] = made
                return sample
            if not self._more():
                self._text, self._place = "", 0
                return None
