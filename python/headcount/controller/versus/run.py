"""Two targets from start to end; each level is stored as it ends, whatever happens after it."""

import os
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from headcount.analyse.verdict import Ending
from headcount.bundle import versus as record
from headcount.bundle.level import LevelResult
from headcount.bundle.verdict import Verdict
from headcount.bundle.versus import SIDES, SideName, Versus, VersusPair, VersusSide, VersusTurn
from headcount.bundle.writer import new_folder
from headcount.controller.listener import Listener
from headcount.controller.run import check_engine
from headcount.controller.versus.ask import Ask, Schedule
from headcount.controller.versus.asked import SideAsked
from headcount.controller.versus.capacity import CapacityPairs
from headcount.controller.versus.fixed import FixedPairs
from headcount.controller.versus.order import Order
from headcount.controller.versus.side import Side, connect_side
from headcount.errors import HeadcountError
from headcount.generator.handles import ensure_handles
from headcount.plan.plan import Plan

PAIRS = 6
"""The fewest with which ranks can show anything at 95%: 2/2^6 is 3%."""
FLUSH_S = 10.0
"""Longest wait until what one side has written is on the disk; on a busy machine that includes the
writes of others."""


class TurnListener(Listener, Protocol):
    """Learns whose turn it is, too."""

    def turn(self, side: SideName) -> None:
        """What follows belongs to this side."""
        ...


@dataclass(frozen=True)
class Compared:
    """The result of a comparison: the bundles' folders, their verdicts, and the pairing."""

    folders: Mapping[SideName, Path]
    verdicts: Mapping[SideName, Verdict]
    versus: Versus


@dataclass(frozen=True)
class Wanted:
    """How two targets are to be compared."""

    pairs: int = PAIRS
    order: Order = "abba"


def start(
    targets: Mapping[SideName, SideAsked],
    wanted: Wanted,
    runs: Path,
    listener: TurnListener,
) -> Compared:
    """Measure two targets in turn; returns their bundles and which levels are pairs.

    Raises HeadcountError if it cannot start or continue; what was measured is then in both bundles
    all the same. KeyboardInterrupt does not leave this function.
    """
    check_engine()
    for plan in (asked.plan for asked in targets.values()):
        if plan.agents is None:
            users = max(plan.levels, default=plan.search.start_users)
            ensure_handles(plan.protocol, users, plan.local_ips)
    with ExitStack() as stack:
        suts = {name: stack.enter_context(connect_side(name, targets[name])) for name in SIDES}
        sides = {}
        for name in SIDES:
            plan = _repeated_plan(targets[name].plan, wanted)
            folder = new_folder(runs, plan.workload.name, f"{name}-{plan.target}")
            sides[name] = Side(name, plan, suts[name], folder, listener)
        return Run(targets["A"].plan, sides, wanted, listener).play()


def _repeated_plan(plan: Plan, wanted: Wanted) -> Plan:
    """The plan as a bundle's levels follow it: each level repeated."""
    if plan.mode == "search":
        return plan
    return plan.model_copy(update={"mode": "ladder", "levels": plan.levels * wanted.pairs})


class Run:
    """Two sides, only one of which has users at a time."""

    def __init__(
        self, plan: Plan, sides: Mapping[SideName, Side], wanted: Wanted, listener: TurnListener
    ) -> None:
        """`plan` is that of either side before its levels were repeated."""
        self._sides = sides
        self._listener = listener
        self._plan = plan
        schedule = CapacityPairs if plan.mode == "search" else FixedPairs
        self._schedule: Schedule = schedule(plan, wanted.pairs, wanted.order)
        self._versus = Versus(
            id=uuid.uuid4().hex,
            here="A",
            kind="capacity" if plan.mode == "search" else "levels",
            order=wanted.order,
            seed=plan.seed,
            wanted_pairs=wanted.pairs,
            sides=[
                VersusSide(name=name, target=side.plan.target, bundle=side.folder.name)
                for name, side in sides.items()
            ],
        )
        self._write()

    def play(self) -> Compared:
        """Run the levels, and write both verdicts, whatever ends the run."""
        ending: Ending = "unfinished"
        try:
            self._play()
            ending = "finished"
        except KeyboardInterrupt:
            ending = "interrupted"
            for side in self._sides.values():
                side.event("interrupted")
        except HeadcountError as error:
            for side in self._sides.values():
                side.event("error", message=str(error))
            raise
        finally:
            verdicts = self._finish(ending)
        return Compared(
            {name: side.folder for name, side in self._sides.items()}, verdicts, self._versus
        )

    def _finish(self, ending: Ending) -> dict[SideName, Verdict]:
        """Write what is known now and close both bundles, the second even if the first fails."""
        self._versus = self._versus.model_copy(update={"ending": ending})
        verdicts: dict[SideName, Verdict] = {}
        with ExitStack() as stack:
            for name, side in self._sides.items():
                stack.callback(self._close, name, side, ending, verdicts)
            self._write()
        return verdicts

    def _close(
        self, name: SideName, side: Side, ending: Ending, verdicts: dict[SideName, Verdict]
    ) -> None:
        verdicts[name] = side.close(self._versus.kind, ending)

    def _play(self) -> None:
        self._listener.outlook(self._schedule.outlook())
        asks = self._schedule.next()
        if not asks:
            return
        users = max(ask.users for ask in asks)
        for name, side in self._sides.items():
            self._listener.turn(name)
            side.prepare(users)
        self._sides["A"].open()
        self._sides["B"].open(self._sides["A"].session.now_s)
        while asks:
            self._play_one(asks)
            self._listener.outlook(self._schedule.outlook())
            asks = self._schedule.next()
        for side in self._sides.values():
            side.drain()

    def _play_one(self, asks: Sequence[Ask]) -> None:
        """Run a pair, or a single level."""
        turns: list[VersusTurn] = []
        for ask in asks:
            self._listener.turn(ask.side)
            with self._undisturbed():
                result, turn = self._sides[ask.side].play(ask)
            turns.append(turn)
            self._keep(asks, turns, ask, result)

    @contextmanager
    def _undisturbed(self) -> Iterator[None]:
        """Flush what the last turn left to be written, if the sides may share the disk."""
        if all(side.is_here for side in self._sides.values()):
            flush()
        yield

    def _keep(
        self, asks: Sequence[Ask], turns: Sequence[VersusTurn], ask: Ask, result: LevelResult
    ) -> None:
        pairs = self._versus.pairs
        if ask.round is not None:
            if len(turns) > 1:
                pairs = pairs[:-1]
            pair = VersusPair(
                number=len(pairs) + 1,
                round=ask.round,
                order="AB" if asks[0].side == "A" else "BA",
                turns=list(turns),
            )
            pairs = [*pairs, pair]
        self._versus = self._versus.model_copy(update={"pairs": pairs})
        self._write()
        self._schedule.take(ask, result)

    def _write(self) -> None:
        rests = [rest for side in self._sides.values() for rest in side.rests]
        self._versus = self._versus.model_copy(
            update={"rests": sorted(rests, key=lambda rest: rest.began_s)}
        )
        for name, side in self._sides.items():
            record.write(self._versus.model_copy(update={"here": name}), side.folder)


def flush(longest_s: float = FLUSH_S) -> bool:
    """Have the system write its dirty pages; returns whether it finished in time."""
    writing = threading.Thread(target=os.sync, name="headcount-flush", daemon=True)
    writing.start()
    writing.join(longest_s)
    return not writing.is_alive()
