"""Lines in the logs of the lab's servers during a level that are known signs of a limit."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from headcount.analyse.diagnosis.log_lines import known
from headcount.bundle.writer import BundleWriter

MOST_BYTES = 4 << 20
"""Bytes read of a log after one level; older ones are skipped."""
MOST_CHARACTERS = 500
"""Characters of a line that are quoted."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Equivalent lines.

    Attributes:
        log: Whose log it is, by the lab's name for the server.
        kind: The name of such lines (`analyse/diagnosis/log_lines.toml`).
        limit: The limit that they indicate.
        times: How often the line came.
        line: The first of them.
        meaning: What the server means by it.
        knob: The setting that it concerns.
        knobs: Settings that any of them names, as `headcount tune` knows them.

    """

    log: str
    kind: str
    limit: str
    times: int
    line: str
    meaning: str
    knob: str
    knobs: tuple[str, ...]


class ServerLogs:
    """Logs that are read from where the last read ended.

    Args:
        logs: Files by the name of their server.

    """

    def __init__(self, logs: Mapping[str, Path]) -> None:
        """Skip existing content: it belongs to the server's start."""
        self._logs = logs
        self._read_to = {name: _size(path) for name, path in logs.items()}

    def new(self) -> list[Noted]:
        """New known lines in the logs; a log that cannot be read gives none."""
        return [noted for name in self._logs for noted in self._of(name)]

    def note(self, bundle: BundleWriter, t_s: float, level: int) -> None:
        """Record new known lines as events of a level."""
        for noted in self.new():
            bundle.event("server-log", t_s, level=level, **asdict(noted))

    def _of(self, name: str) -> Iterator[Noted]:
        found: dict[str, Noted] = {}
        for line in self._lines(name):
            one = known(line)
            if one is None:
                continue
            before = found.get(one.name)
            found[one.name] = Noted(
                name,
                one.name,
                one.limit,
                1 if before is None else before.times + 1,
                line[:MOST_CHARACTERS] if before is None else before.line,
                one.meaning,
                one.knob,
                tuple(dict.fromkeys([*(before.knobs if before else ()), *one.knobs_in(line)])),
            )
        yield from found.values()

    def _lines(self, name: str) -> list[str]:
        """New whole lines; one that is being written is left for the next time."""
        path, begin = self._logs[name], self._read_to[name]
        size = _size(path)
        if size < begin:  # the server started it again
            begin = 0
        begin = max(begin, size - MOST_BYTES)
        try:
            with path.open("rb") as file:
                file.seek(begin)
                text = file.read(size - begin)
        except OSError:
            return []
        whole = text[: text.rfind(b"\n") + 1]
        self._read_to[name] = begin + len(whole)
        return whole.decode("utf-8", "replace").splitlines()


def _size(path: Path) -> int:
    try:
        return os.stat(path).st_size  # noqa: PTH116 - follows the links of /proc/self/fd
    except OSError:
        return 0
