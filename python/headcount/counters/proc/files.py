"""Reads the kernel's virtual files, and turns two readings into a rate."""

import os

_CHUNK_BYTES = 65_536


def read_text(path: str) -> str | None:
    """Return a whole virtual file, or None where it is missing, denied or its process has gone.

    Unbuffered, because a sample reads dozens of these files, and buffered files cost three times as
    much CPU time.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        chunks = []
        while chunk := os.read(descriptor, _CHUNK_BYTES):
            chunks.append(chunk)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return b"".join(chunks).decode("utf-8", "replace")


def read_int(path: str) -> int | None:
    """Return the number in a virtual file of one line, or None where there is no such number."""
    text = read_text(path)
    return integer(text) if text is not None else None


def field_bytes(text: str | None, key: str) -> int | None:
    """Return a field of a file of ``key: value kB`` lines, in bytes; None where it is missing."""
    for line in (text or "").splitlines():
        if line.startswith(key):
            kib = integer(line.split()[1])
            return None if kib is None else kib * 1024
    return None


def integer(word: str) -> int | None:
    """Return a counter's value, or None where the word is not a plain decimal number."""
    word = word.strip()
    return int(word) if word.isascii() and word.isdigit() else None


def integers(words: list[str]) -> list[int] | None:
    """Return all words as numbers, or None where one is not a number."""
    joined = "".join(words)
    if not (joined.isascii() and joined.isdigit()):
        return None if words else []
    try:
        return [*map(int, words)]
    except ValueError:  # an empty word
        return None


def rate(previous: int | None, current: int | None, elapsed_s: float) -> float | None:
    """Return the growth of a counter per second.

    None where a reading is missing, and where the counter went backwards: it wrapped or was reset,
    and how far it really went is unknown.
    """
    if previous is None or current is None or current < previous or elapsed_s <= 0:
        return None
    return (current - previous) / elapsed_s


def put(values: dict[str, float], name: str, value: float | None) -> None:
    """Set a counter, or leave it absent."""
    if value is not None:
        values[name] = value
