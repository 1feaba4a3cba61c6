"""TOML files that people write: an error for each way in which a file is not what it should be."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from headcount.errors import InputError

MOST_BYTES = 16 << 20
"""No plan, price list or template is longer; a log or a disk image is."""


def toml_values(
    path: Path,
    what: str,
    parse_float: Callable[[str], Any] = float,
    most_bytes: int = MOST_BYTES,
) -> dict[str, Any]:
    """The values of a file; `what` names it in errors, such as "the plan x.toml".

    A byte order mark, which editors of Windows write, is skipped. Raises InputError.
    """
    return toml_of(toml_text(path, what, most_bytes), what, parse_float)


def toml_text(path: Path, what: str, most_bytes: int = MOST_BYTES) -> str:
    """The text of a file."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{what} cannot be read: it is not a file")
        size = path.stat().st_size
        if size > most_bytes:
            raise InputError(
                f"{what} has {size:,} bytes, more than {most_bytes:,}; is it the right file?"
            )
        contents = path.read_bytes()
    except OSError as error:
        raise InputError(f"{what} cannot be read: {error.strerror}") from error
    try:
        return contents.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = contents.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{what} is not valid TOML: line {line} is not UTF-8 text; save the file as UTF-8"
        ) from error


def toml_of(text: str, what: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """The values of a text."""
    try:
        return tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} is not valid TOML: {error}") from error
    except RecursionError as error:
        raise InputError(f"{what} is not valid TOML: it is nested too deeply") from error
