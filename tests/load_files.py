"""Load files as the tests count them: with none of Headcount's own code."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

CLIENT = Path("/usr/share/dbench/client.txt")
"""That of Debian's package dbench."""


@dataclass(frozen=True)
class Line:
    """One operation: its word, and the bytes it moves."""

    word: str
    read_bytes: int
    written_bytes: int


def lines(path: Path) -> list[Line]:
    """The operations of a load file, in order."""
    found = []
    for text in path.read_text("utf-8").splitlines():
        words = text.split()
        if not words or words[0].startswith("#"):
            continue
        done = words[-1] == "NT_STATUS_OK"
        moved = int(words[4]) if words[0] in ("ReadX", "WriteX") and done else 0
        reads = words[0] == "ReadX"
        found.append(Line(words[0], moved if reads else 0, 0 if reads else moved))
    return found


def played(program: list[Line], turns: int) -> tuple[Counter[str], int, int]:
    """What one client has done after this many turns: operations by word, bytes read, written."""
    rounds, rest = divmod(turns, len(program))
    counts = Counter({word: rounds * count for word, count in _words(program).items()})
    counts.update(_words(program[:rest]))
    read = sum(line.read_bytes for line in program) * rounds
    written = sum(line.written_bytes for line in program) * rounds
    read += sum(line.read_bytes for line in program[:rest])
    written += sum(line.written_bytes for line in program[:rest])
    return counts, read, written


def _words(program: list[Line]) -> Counter[str]:
    return Counter(line.word for line in program)
