"""TOML files that people write, with an error for each way in which a file can be wrong."""

import math
import re
import tomllib
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from headcount.errors import FileError, InputError, Mistake
from headcount.foreign.file import content

MOST_BYTES = 16 << 20
"""Longest file: no plan, price list or template is longer, but a log or a disk image is."""
DEEPEST = 64
"""Deepest nesting of tables and lists. Headcount's own files have seven levels."""
_MOST_DOTS = 1000
"""Most parts of one key: they take the parser quadratic time."""
_LINE = re.compile(r"\(at line (\d+), column \d+\)")
_HINTS = (
    ("Invalid value", 'text needs quotes, as in key = "text"'),
    ("Cannot overwrite", "the key is set twice: remove one, or write [[scenarios]] for each"),
    ("Cannot declare", "the table is defined twice: put its keys together, or write [[scenarios]]"),
    ("Cannot mutate", "the table is complete already: put its keys together"),
    ("Expected '='", "write key = value"),
    ("Unescaped", "write regular expressions in single quotes, or double each \\"),
    ("Unclosed", "add the bracket that closes it"),
    ("Unterminated string", "add the quote that closes it"),
    ("Expected ']'", "add the bracket that closes the table's header"),
    ("Expected newline", "write one key a line; a text is in one pair of quotes"),
    ("Illegal character", "a text of several lines is in three quotes on either side"),
    ("Found invalid character", "text is in quotes, and a comment begins with #"),
    ("Invalid initial character", "a key consists of letters, digits, _ and -, or is in quotes"),
    ("Invalid statement", "a line is key = value, [table], or a comment that begins with #"),
)
"""What to do, by the text of the parser's error."""
_BETWEEN_KEYS = re.compile("[,=]")


def toml_values(
    path: Path,
    what: str,
    parse_float: Callable[[str], Any] = float,
    most_bytes: int = MOST_BYTES,
    *,
    follow: bool = True,
) -> dict[str, Any]:
    """The values of a file; `what` names it in errors, such as "the plan x.toml".

    Skips a byte order mark, which Windows editors write. `follow`: whether it may be a symbolic
    link. Raises InputError.
    """
    return toml_of(toml_text(path, what, most_bytes, follow=follow), what, parse_float)


def toml_text(path: Path, what: str, most_bytes: int = MOST_BYTES, *, follow: bool = True) -> str:
    """The text of a file; raises InputError."""
    written = content(path, most_bytes, follow=follow, what=what)
    try:
        return written.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{what} is not valid TOML: line {line} is not UTF-8 text; save the file as UTF-8"
        ) from error


def toml_of(text: str, what: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """The values of a text; raises InputError."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > _MOST_DOTS and any(
            part.count(".") > _MOST_DOTS for part in _BETWEEN_KEYS.split(line)
        ):
            raise InputError(f"{what} is not valid TOML: line {number} is nested too deeply")
    try:
        found = tomllib.loads(text, parse_float=parse_float)
        _check(found)
    except ValueError as error:
        raise _invalid(text, str(error), what) from error
    except RecursionError as error:
        raise InputError(f"{what} is not valid TOML: it is nested too deeply") from error
    return found


def _invalid(text: str, message: str, what: str) -> FileError:
    """The error for a text that is not TOML, with its line and what to do."""
    hint = next((f"; {hint}" for words, hint in _HINTS if message.startswith(words)), "")
    at = _LINE.search(message)
    line = int(at[1]) if at else text.count("\n") + 1 if "end of document" in message else None
    mistake = Mistake("", f"not valid TOML: {message}{hint}", line)
    return FileError(f"{what} is {mistake.message}", [mistake])


def _check(values: dict[str, Any]) -> None:
    """Raise ValueError if values are nested too deeply, or cannot be computed with."""
    level: list[Any] = [values]
    for _ in range(DEEPEST):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, dict):
                inner += one.values()
            elif isinstance(one, list):
                inner += one
            elif isinstance(one, float | Decimal) and not math.isfinite(one):
                raise ValueError(f"{one} is not a number")
            elif isinstance(one, int) and not -(2**63) <= one < 2**63:
                raise ValueError("a whole number of more than 64 bits")
        if not inner:
            return
        level = inner
    raise ValueError("it is nested too deeply")
