"""Files of a bundle read back. A bundle may come from a stranger and contain anything."""

from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from headcount.bundle.level import SCHEMA_VERSION, Record
from headcount.errors import InputError
from headcount.foreign.file import content, has_regular
from headcount.foreign.json_text import json_value

R = TypeVar("R", bound=Record)

MOST_BYTES = 64 << 20
"""Longest JSON file or report: a hundred levels take a few megabytes."""


def stored_bytes(path: Path) -> bytes | None:
    """The content of a file of a bundle; None if it is missing.

    Raises InputError if it is a link, not a regular file, or too long.
    """
    return content(path, MOST_BYTES, follow=False) if has_regular(path) else None


def stored_record(path: Path, model: type[R]) -> R | None:
    """A JSON file as its record; None if it is missing. Raises InputError if it is damaged."""
    found = stored_bytes(path)
    if found is None:
        return None
    try:
        json_value(found)
        return model.model_validate_json(found)
    except ValidationError as error:
        first = error.errors()[0]
        if first["loc"] == ("schema_version",) and isinstance(first["input"], int):
            raise InputError(
                f"{path} was written by another version of Headcount: its schema version is "
                f"{first['input']}, and this one reads {SCHEMA_VERSION}; upgrade Headcount"
            ) from error
        place = ".".join(str(part) for part in first["loc"]) or "the whole"
        raise InputError(f"{path} is damaged at {place}: {first['msg']}") from error
    except ValueError as error:
        raise InputError(f"{path} is damaged at the whole: no JSON: {error}") from error
