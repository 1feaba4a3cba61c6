"""What the names of a k6 script stand for."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headcount.importers.journey import Step


class Names:
    """The names that are known at a point of the script, each in one of four tables.

    Attributes:
        replies: Steps, of names of replies: `const res = http.get(...)`.
        bodies: Steps, of names of parsed bodies: `const data = res.json()`.
        captured: Captures, of names of values of a reply: `const id = res.json("id")`.
        values: Expressions and values, of all other names.

    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        """Begin with the names outside all functions."""
        self.replies: dict[str, Step] = {}
        self.bodies: dict[str, Step] = {}
        self.captured: dict[str, str] = {}
        self.values = dict(values)

    @property
    def _tables(self) -> dict[str, dict[str, Any]]:
        return {
            "replies": self.replies,
            "bodies": self.bodies,
            "captured": self.captured,
            "values": self.values,
        }

    def meaning(self, name: str) -> dict[str, Any]:
        """What a name stands for, by its table; empty if it is unknown."""
        return {key: table[name] for key, table in self._tables.items() if name in table}

    def bind(self, name: str, meaning: Mapping[str, Any]) -> None:
        """Let a name stand for this, and for nothing that it stood for before."""
        for key, table in self._tables.items():
            table.pop(name, None)
            if key in meaning:
                table[name] = meaning[key]

    @contextmanager
    def scope(self, local: Iterable[str]) -> Iterator[None]:
        """Within it, these names are new; afterwards they stand for what they did before."""
        before = {name: self.meaning(name) for name in local}
        for name in before:
            self.bind(name, {})
        try:
            yield
        finally:
            for name, meaning in before.items():
                self.bind(name, meaning)
