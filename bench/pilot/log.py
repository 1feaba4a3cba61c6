"""What has been played, a line of JSON each, so that a proof can be played in parts."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Record = Mapping[str, Any]
OPTIONS, PAIR, CALM = "options", "pair", "calm"
"""Kinds of records: how it was played, a pair of turns, a check without a disturber."""


def records(file: Path) -> list[Record]:
    """All that is finished; a line that was cut off is left out."""
    found = []
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        try:
            found.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return found


def of_kind(played: list[Record], kind: str) -> list[Record]:
    """Those of one kind, in the order in which they were played."""
    return [one for one in played if one["kind"] == kind]


def append(file: Path, record: Record) -> None:
    """Write one, below a line that was cut off if there is one."""
    text = file.read_text("utf-8") if file.exists() else ""
    begin = "\n" if text and not text.endswith("\n") else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f"{begin}{json.dumps(record)}\n")
