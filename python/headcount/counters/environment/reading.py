"""Reads small files that may not exist."""

import os
from pathlib import Path

from headcount.counters.proc.files import integer, read_text


def first_line(path: Path) -> str | None:
    """Return a file's first line without blanks around it; None where missing or empty."""
    lines = (read_text(os.fspath(path)) or "").splitlines()
    return (lines[0].strip() or None) if lines else None


def number(path: Path) -> int | None:
    """Return the number in a file's first line; None where there is no such number."""
    line = first_line(path)
    return integer(line) if line is not None else None


def selected_option(path: Path) -> str | None:
    """Return the word in brackets of a list such as ``none [mq-deadline] kyber``.

    A list of one word has it without brackets.
    """
    words = (first_line(path) or "").split()
    marked = [word.strip("[]") for word in words if word.startswith("[")]
    return marked[0] if marked else (words[0] if len(words) == 1 else None)


def folders(path: Path) -> list[Path]:
    """Return a folder's entries by name; empty where there is no such folder."""
    try:
        return sorted(path.iterdir())
    except OSError:
        return []


def link_name(path: Path) -> str | None:
    """Return the last part of what a symbolic link points to; None where there is none."""
    try:
        return path.readlink().name or None
    except OSError:
        return None


def key_values(text: str, separator: str) -> dict[str, str]:
    """Parse lines of ``key separator value``; of repeated keys the first counts."""
    values: dict[str, str] = {}
    for line in text.splitlines():
        key, found, value = line.partition(separator)
        if found:
            values.setdefault(key.strip(), value.strip())
    return values
