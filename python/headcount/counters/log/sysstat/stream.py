"""The JSON of sadf read a sample at a time: whole, a log of days takes gigabytes as objects."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, TextIO

_BEGIN = re.compile(r'"statistics"\s*:\s*\[')
_CHUNK = 1 << 20
_KEEP = 64
"""How much of the text stays to find a beginning that two chunks share."""
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()

Take = Callable[[int, Mapping[str, Any]], None]


def hosts(file: TextIO, take: Take, *, torn: bool = False) -> list[Mapping[str, Any]]:
    """Every host in the file without its samples; those go to ``take`` with the host's number.

    With ``torn``, the text may end behind a sample, with brackets left open.

    Raises:
        ValueError: It is no JSON, or ends too early.
        KeyError: It has no hosts.

    """
    around: list[str] = []
    text = _Text(file)
    number = 0
    while text.pass_over(_BEGIN, around):
        around.append('"statistics": [')
        while (sample := text.item(torn=torn)) is not None:
            take(number, sample)
        number += 1
    whole = "".join(around)
    try:
        made = json.loads(whole)
    except ValueError:
        if not torn:
            raise
        made = json.loads(f"{whole}]}}]}}}}")
    found: list[Mapping[str, Any]] = made["sysstat"]["hosts"]
    return found


class _Text:
    """The text of a file, of which a part is in memory."""

    def __init__(self, file: TextIO) -> None:
        self._file = file
        self._text = ""
        self._place = 0

    def _more(self) -> bool:
        """Read on; whether there was anything left."""
        chunk = self._file.read(_CHUNK)
        self._text = self._text[self._place :] + chunk
        self._place = 0
        return bool(chunk)

    def pass_over(self, until: re.Pattern[str], passed: list[str]) -> bool:
        """Move behind what matches, and keep the text before it; False at the end of the file."""
        while True:
            found = until.search(self._text, self._place)
            if found is not None:
                passed.append(self._text[self._place : found.start()])
                self._place = found.end()
                return True
            end = max(len(self._text) - _KEEP, self._place)
            passed.append(self._text[self._place : end])
            self._place = end
            if not self._more():
                passed.append(self._text)
                self._text = ""
                return False

    def item(self, *, torn: bool) -> Mapping[str, Any] | None:
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
