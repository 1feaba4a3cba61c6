"""Which values a knob can have on a machine, and which are tried first."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from headcount.tune.host import Host
from headcount.tune.knobs.formula import number
from headcount.tune.knobs.knob import Knob

FEW_WORDS = 3
"""A knob with at most so many words, and without a rule of thumb, is tried with each of them."""


@dataclass(frozen=True)
class Values:
    """The values of a knob.

    Attributes:
        knob: The knob.
        present: Its value now; None where that is not known.
        names: What formulas may use: `cpus`, `memory_mib`, `users`, and present values of others.

    """

    knob: Knob
    present: str | None
    names: Mapping[str, int]

    @cached_property
    def bounds(self) -> tuple[int, int] | None:
        """Least and largest number; None if the knob is not a number."""
        if self.knob.least is None or self.knob.most is None:
            return None
        low, high = number(self.knob.least, self.names), number(self.knob.most, self.names)
        return min(low, high), max(low, high)

    @cached_property
    def rules(self) -> Sequence[str]:
        """Values by rules of thumb other than the present one, the best first."""
        found = [self._value(text) for text in self.knob.rules]
        return [one for one in dict.fromkeys(found) if one is not None and not self.is_now(one)]

    @cached_property
    def single(self) -> Sequence[str]:
        """Values that are tried one at a time: those by rules, or the other ones of a few words."""
        others = [word for word in self.knob.words if not self.is_now(word)]
        is_few = self.bounds is None and len(self.knob.words) <= FEW_WORDS
        return self.rules or (others if is_few and len(others) < len(self.knob.words) else [])

    def _value(self, text: str) -> str | None:
        if text in self.knob.words or self.bounds is None:
            return text
        low, high = self.bounds
        return str(min(max(number(text, self.names), low), high))

    def is_now(self, value: str) -> bool:
        """Whether it is the present value, under whichever of its names."""
        return self.present is not None and self._plain(value) == self._plain(self.present)

    def _plain(self, value: str) -> str:
        formula = self.knob.means.get(value)
        return str(number(formula, self.names)) if formula is not None else value.strip().lower()


def names_of(host: Host, users: int, present: Mapping[str, int]) -> Mapping[str, int]:
    """What formulas may use: the machine, the load, and the server's numbers."""
    return {**present, "cpus": host.cpus, "memory_mib": host.memory_mib, "users": users}
