"""Files with Lua code of a workload."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headcount.errors import InputError, Mistake
from headcount.fields.mistakes import LineOf, Place, refused
from headcount.foreign.file import content

MOST_BYTES = 1 << 20
"""Longest file that is read."""


def with_code(
    values: Any,
    folder: Path,
    where: str,
    line_of: LineOf = lambda _place: None,
    at: Place = (),
) -> Any:
    """The values of a workload file, with the names of Lua files replaced by their code.

    `where` is the file of the workload, and `line_of` finds its lines; `at`: the place of the
    values. Raises FileError for a file that cannot be read.
    """
    if isinstance(values, list):
        return [
            with_code(one, folder, where, line_of, (*at, str(number)))
            for number, one in enumerate(values)
        ]
    if not isinstance(values, Mapping) or "op" in values:
        return values  # a step sends what it has, even if that looks like a file
    name = values.get("lua")
    inner = {
        key: with_code(value, folder, where, line_of, (*at, key)) for key, value in values.items()
    }
    if not isinstance(name, str) or not name.endswith(".lua") or "\n" in name:
        return inner
    try:
        code = content(folder / name, MOST_BYTES, what=f"the Lua file {name}")
    except InputError as error:
        place = (*at, "lua")
        raise refused([Mistake(".".join(place), str(error), line_of(place))], where) from error
    # Windows editors write a byte order mark, which Lua does not read.
    text = code.decode("utf-8-sig", errors="replace")
    return {"file": Path(name).name, **inner, "lua": text}
