"""What the logs of the lab's servers say to a level: lines that are known signs of a limit."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from headcount.analyse.diagnosis.log_lines import known
from headcount.bundle.writer import BundleWriter

MOST_BYTES = 4 << 20
"""Read of a log after one level; what is older of a longer one is passed over."""
MOST_CHARACTERS = 500
"""Of a line that is quoted."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Lines that say the same.

    Attributes:
        log: Whose log it is, as the lab calls the server.
        kind: What the lines are called (`analyse/diagnosis/log_lines.toml`).
        limit: What they are a sign of.
        times: How often the line came.
        line: The first of them.
        meaning: What the server says by it.
        knob: The setting that it is about.

    """

    log: str
    kind: str
    limit: str
    times: int
    line: str
    meaning: str
    knob: str


class ServerLogs:
    """Logs that are read from where they were last read to.

    Args:
        logs: Files by what their server is called.

    """

    def __init__(self, logs: Mapping[str, Path]) -> None:
        """Pass over what is in them already: it is of the server's start."""
        self._logs = logs
        self._read_to = {name: _size(path) for name, path in logs.items()}

    def new(self) -> list[Noted]:
        """What the logs say since; a log that cannot be read says nothing."""
        return [noted for name in self._logs for noted in self._of(name)]

    def note(self, bundle: BundleWriter, t_s: float, level: int) -> None:
        """Keep what the logs say as events of a level."""
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
            )
        yield from found.values()

    def _lines(self, name: str) -> list[str]:
        """Whole lines that are new; one that is being written is left for the next time."""
        path, begin = self._logs[name], self._read_to[name]
        size = _size(path)
        if size < begin:  # begun anew by the server
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
