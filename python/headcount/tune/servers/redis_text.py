"""redis.conf as text: its directives, and the lines that a tuning puts at its end."""

import shlex
from collections.abc import Iterator

MARK = "# Set by headcount tune; what comes later in the file counts."


def directives(text: str) -> Iterator[tuple[str, str]]:
    """Names in lower case and values of all directives in their order."""
    for line in text.splitlines():
        words = line.strip().split(maxsplit=1)
        if words and not words[0].startswith("#"):
            yield words[0].lower(), words[1].strip() if len(words) > 1 else ""


def plain(value: str) -> str:
    """A value without quotation marks; a badly quoted one stays as it is."""
    try:
        return " ".join(shlex.split(value))
    except ValueError:
        return value


def appended(text: str, lines: list[str]) -> str:
    """The text with directives at its end, below a mark that a reload looks for."""
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else end_of_line
    return text + gap + "".join(line + end_of_line for line in [MARK, *lines])
