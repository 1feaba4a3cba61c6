"""Files with Lua code of a workload."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headcount.foreign.file import content

MOST_BYTES = 1 << 20
"""Longest file that is read."""


def with_code(values: Any, folder: Path) -> Any:
    """The values of a workload file, with the names of Lua files replaced by their code.

    Raises InputError for a file that cannot be read.
    """
    if isinstance(values, list):
        return [with_code(one, folder) for one in values]
    if not isinstance(values, Mapping) or "op" in values:
        return values  # a step sends what it has, even if that looks like a file
    name = values.get("lua")
    inner = {key: with_code(value, folder) for key, value in values.items()}
    if not isinstance(name, str) or not name.endswith(".lua") or "\n" in name:
        return inner
    code = content(folder / name, MOST_BYTES, what=f"the Lua file {name}")
    # Windows editors write a byte order mark, which Lua does not read.
    text = code.decode("utf-8-sig", errors="replace")
    return {"file": Path(name).name, **inner, "lua": text}
