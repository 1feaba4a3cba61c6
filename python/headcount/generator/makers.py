"""Agents that make a data set together, each for its own users."""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from headcount.errors import AgentError
from headcount.generator.exchange import ANSWER_S, Exchange
from headcount.generator.fleet import introduce
from headcount.generator.member import Member
from headcount.generator.opening import lines_to
from headcount.generator.reach import check_reach
from headcount.plan.agents import Agents

Progress = Callable[[str], None]
"""Takes the progress, as the engine reports it (JSON)."""


class Makers:
    """Agents at work on a data set; as a context, they end with it."""

    def __init__(self, agents: Agents, target: str) -> None:
        """Start them. Raises HeadcountError if one cannot be started; none is left then.

        `target` is the plan's.
        """
        lines, cpus = lines_to(agents)
        both = zip(lines, cpus, strict=True)
        self._exchange = Exchange(
            [Member(number, line, workers) for number, (line, workers) in enumerate(both, start=1)]
        )
        try:
            self._exchange.open()
            introduce(self._exchange)
            check_reach(self._exchange.members, target)
            self._exchange.begin()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        """It is ready already."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the agents."""
        self.close()

    def close(self) -> None:
        """End all agents; data that they have made stays."""
        self._exchange.close()

    def make(
        self, protocol: str, target: str, first: int, last: int, progress: Progress, verify: bool
    ) -> str:
        """Make the data of users `first` to `last`, as the engine does; returns the sum (JSON).

        Raises what an agent raised, or AgentError if one was lost.
        """
        what = {"protocol": protocol, "target": target, "verify": verify}
        # The first user's data comes first: making it deletes an earlier data set.
        done = self._round(what, [(first, first)], progress, {})
        if last > first:
            parts = parts_of(first + 1, last, len(self._exchange.members))
            rest = self._round(what, parts, progress, {"users_done": 1})
            done = added([done, rest])
        return json.dumps(done)

    def _round(
        self,
        what: Mapping[str, Any],
        parts: Sequence[tuple[int, int]],
        progress: Progress,
        before: Mapping[str, int],
    ) -> Mapping[str, int]:
        exchange = self._exchange
        exchange.generation += 1
        members = exchange.members[: len(parts)]
        for member, (first, last) in zip(members, parts, strict=True):
            member.answers.clear()
            exchange.order(member, "make", first=first, last=last, **what)
        far: dict[Member, Mapping[str, int]] = {}
        while any("made" not in one.answers for one in members):
            exchange.receive(0.2)
            exchange.check()
            for member in members:
                _check_there(member)
                if (answer := member.answers.pop("making", None)) is not None:
                    far[member] = json.loads(answer.values["far"])
            if far:
                progress(json.dumps(added([before, *far.values()])))
        return added([json.loads(one.answers["made"].values["done"]) for one in members])


def parts_of(first: int, last: int, number: int) -> list[tuple[int, int]]:
    """Users `first` to `last` in at most this many contiguous parts of equal size, if possible."""
    users = last - first + 1
    number = min(number, users)
    ends = [first + users * part // number for part in range(number + 1)]
    return [(ends[part], ends[part + 1] - 1) for part in range(number)]


def added(figures: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """The sums of figures by name."""
    total: Counter[str] = Counter()
    for one in figures:
        total.update({key: value for key, value in one.items() if isinstance(value, int)})
    return dict(total)


def _check_there(member: Member) -> None:
    if "made" in member.answers:
        return
    silent_s = time.monotonic() - member.spoke_s
    if not member.is_open or silent_s > ANSWER_S or "lapsed" in member.answers:
        raise AgentError(
            f"{member.name} was lost; what was made stays: repeat the command to go on from there"
        )
