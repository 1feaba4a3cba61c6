"""Values as TOML, as a person would write them."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
LARGEST = 2**63 - 1


def key_text(key: str) -> str:
    """A key, with quotes where it needs them."""
    return key if _BARE.fullmatch(key) else quoted(key)


def quoted(text: str) -> str:
    """A text in quotes: in single ones if that avoids escapes, as for patterns."""
    if ('"' in text or "\\" in text) and "'" not in text and not _CONTROL.search(text):
        return f"'{text}'"
    return _CONTROL.sub(_escape, json.dumps(text, ensure_ascii=False))


def value_text(value: Any) -> str:
    """A value in one line; raises ValueError for what TOML cannot express, such as null."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise ValueError("a number that is too large for TOML")
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = ", ".join(f"{key_text(key)} = {value_text(one)}" for key, one in value.items())
        return f"{{ {pairs} }}" if pairs else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(value_text(one) for one in value)}]"
    raise ValueError(f"TOML has no {type(value).__name__}")


def can_be_toml(value: Any) -> bool:
    """Whether TOML can express a JSON value."""
    try:
        value_text(value)
    except ValueError:
        return False
    return True


def comment(text: str) -> str:
    """A comment in one line: text after a line end would be read as keys."""
    return "# " + _CONTROL.sub(" ", text).rstrip()


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
