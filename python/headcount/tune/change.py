"""Changes of a server: which knobs have which values."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from headcount.tune.knobs.knob import Knob

Changes = Mapping[Knob, str]
"""Knobs with values other than the present ones."""


@dataclass(frozen=True)
class Configuration:
    """A server as it is, except for some changes.

    Attributes:
        changes: What is changed.
        origin: Where it comes from, for people.

    """

    changes: Changes = field(default_factory=dict)
    origin: str = "as it is"

    @property
    def key(self) -> frozenset[tuple[str, str]]:
        """What distinguishes it from others."""
        return frozenset((knob.name, value) for knob, value in self.changes.items())

    @property
    def text(self) -> str:
        """For people: `worker_processes auto, sendfile on`."""
        parts = [f"{knob.name} {knob.written(value)}" for knob, value in self.changes.items()]
        return ", ".join(parts) or "as it is"

    def without(self, knobs: Collection[Knob], origin: str) -> "Configuration":
        """The same without the changes of some knobs."""
        left = {one: value for one, value in self.changes.items() if one not in knobs}
        return Configuration(left, origin)


AS_IT_IS = Configuration()
