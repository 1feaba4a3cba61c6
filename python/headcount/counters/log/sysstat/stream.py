"""The JSON of sadf: its hosts, and their samples a few at a time."""

import json
import re
from collections.abc import Mapping
from typing import Any, TextIO

from headcount.counters.log import pieces

_BEGIN = re.compile(r'"statistics"\s*:\s*\[')


def hosts(file: TextIO, take: pieces.Take, *, torn: bool = False) -> list[Mapping[str, Any]]:
    """Every host in the file without its samples; those go to ``take`` with the host's number.

    With ``torn``, the text may end after a sample, with brackets left open.

    Raises:
        ValueError: It is not JSON, or ends too early.
        KeyError: It has no hosts.

    """
    whole = pieces.around(file, take, _BEGIN, torn=torn)
    try:
        made = json.loads(whole)
    except ValueError:
        if not torn:
            raise
        made = json.loads(f"{whole}]}}]}}}}")
    found: list[Mapping[str, Any]] = made["sysstat"]["hosts"]
    return found
