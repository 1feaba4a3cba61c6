"""The pilot at work: it looks, tries what may help, keeps what does, and looks again."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from headcount.pilot.machine import Places
from headcount.pilot.modules import MODULES, Module, Server
from headcount.pilot.treatment import Treatment
from headcount.pilot.trial import PAIRS, Verdict, gain, is_harmful, judge
from headcount.pilot.work import Work, descendants, watch
from headcount.text import percent

BLOCK_S = 5.0
"""Half of a pair: long enough for hundreds of requests, short enough to meet the same load."""
AGAIN_S = 60.0
"""Pause until the next look if nothing helps."""
CHECK_S = 300.0
"""Time until a kept module is tried again: what it helped against may have gone."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that the pilot did or found.

    Attributes:
        kind: `look`, `try`, `skip`, `on`, `off` or `end`.
        module: Which module, if it is about one.
        text: A sentence.
        verdict: The figures of a trial.

    """

    kind: str
    text: str
    module: str | None = None
    verdict: Verdict | None = None


class Ended(Exception):  # noqa: N818 - an order, not a failure
    """The pilot is to end."""


class Pilot:
    """One server, for as long as the pilot is on."""

    def __init__(
        self,
        name: str,
        roots: Sequence[int],
        treatment: Treatment,
        stop: Callable[[float], bool],
        happened: Callable[[Event], None],
        *,
        modules: Sequence[Module] = tuple(MODULES.values()),
        scheduler: str | None = None,
        block_s: float = BLOCK_S,
        places: Places = Places(),  # noqa: B008 - it never changes
        obstacles: Mapping[str, str] | None = None,
    ) -> None:
        """`stop` waits for some seconds and says whether to end; `happened` takes events.

        `roots` are the server's first processes, `scheduler` is that of its disk, `places` are
        where to look beside it, `obstacles` are why modules cannot help on this machine.
        """
        self._name = name
        self._roots = roots
        self._treatment = treatment
        self._stop = stop
        self._happened = happened
        self._modules = modules
        self._scheduler = scheduler
        self._block_s = block_s
        self._places = places
        self._obstacles = dict(obstacles or {})
        self._skipped: set[str] = set()
        self.kept: list[Module] = []

    def run(self) -> None:
        """Look, try and keep until it is to end; then the caller puts everything back."""
        with suppress(Ended):
            while True:
                self._try_all()
                self._pause(CHECK_S if self.kept else AGAIN_S)

    def once(self) -> None:
        """Look, try and keep, each module once at most."""
        with suppress(Ended):
            self._try_all()

    def _try_all(self) -> None:
        work = self._observe(2 * self._block_s)
        self._report("look", look_text(self._name, work))
        for module in self._modules:
            if self._consider(module, work):
                work = self._observe(self._block_s)  # what helps next is another question

    def _consider(self, module: Module, work: Work) -> bool:
        """Try a module that may help, and one that is on again; returns whether it was tried."""
        is_on = module in self.kept
        reason = None
        if work.stretch is not None:  # an idle server waits for nothing
            reason = module.reason(work, self._server)
        if reason is None and not is_on:
            return False
        obstacle = self._obstacles.get(module.name)
        if obstacle is not None:
            self._skip(module, f"{module.name}: {reason}, but {obstacle}")
            return False
        why = f"is it still worth it? {module.done}" if is_on else f"{reason}: {module.done}"
        self._report("try", f"{module.name}: {why}", module)
        verdict = self._run_trial(module)
        if verdict.helps and not is_on:
            self.kept.append(module)
        if not verdict.helps and is_on:
            self.kept.remove(module)
        self._apply(self.kept)
        kind = "on" if verdict.helps else "off"
        self._report(kind, verdict_text(self._name, module, verdict), module, verdict)
        return True

    def _skip(self, module: Module, text: str) -> None:
        """Report once why a module is not tried."""
        if module.name not in self._skipped:
            self._skipped.add(module.name)
            self._report("skip", text, module)

    def _run_trial(self, module: Module) -> Verdict:
        others = [one for one in self.kept if one is not module]
        gains: list[float] = []
        for number in range(PAIRS):
            halves = ([], [module]) if number % 2 == 0 else ([module], [])
            found = [self._half([*others, *own], module.settle_s) for own in halves]
            without, with_it = found if number % 2 == 0 else reversed(found)
            one = gain(without, with_it)
            if one is not None:
                gains.append(one)
            if is_harmful(gains):
                break
        return judge(gains)

    def _half(self, modules: Sequence[Module], settle_s: float) -> Work:
        self._apply(modules)
        self._pause(settle_s)
        return self._observe(self._block_s)

    def _apply(self, modules: Sequence[Module]) -> None:
        self._treatment.apply(modules, self._server)

    def _observe(self, length_s: float) -> Work:
        work = watch(self._roots, length_s, self._stop, places=self._places)
        if work is None:
            raise Ended
        return work

    def _pause(self, length_s: float) -> None:
        if self._stop(length_s):
            raise Ended

    @property
    def _server(self) -> Server:
        return server_of(self._name, self._roots, self._scheduler)

    def _report(
        self, kind: str, text: str, module: Module | None = None, verdict: Verdict | None = None
    ) -> None:
        self._happened(Event(kind, text, module.name if module is not None else None, verdict))


def server_of(name: str, roots: Sequence[int], scheduler: str | None) -> Server:
    """What is known of a server at present."""
    cpus = sorted(os.sched_getaffinity(0))
    return Server(name, cpus, len(descendants(roots)), scheduler)


def look_text(name: str, work: Work) -> str:
    """A server's CPU use and waits, as a sentence."""
    if work.stretch is None:
        return f"{name} is idle: nothing to help with"
    return (
        f"{name} uses {work.cpu_s / work.length_s:.2f} CPUs; a second of its work takes "
        f"{work.stretch:.2f} s: {percent(work.share(work.wait_s))} waiting for a CPU, "
        f"{percent(work.share(work.disk_s))} for a disk"
    )


def verdict_text(name: str, module: Module, verdict: Verdict) -> str:
    """The result of a trial, as a sentence."""
    if verdict.value is None or verdict.low is None or verdict.high is None:
        return f"{module.name}: off, {name} did too little to tell"
    times = f"{verdict.value:.2f} times ({verdict.low:.2f} to {verdict.high:.2f})"
    if verdict.helps:
        return f"{module.name}: on, {name}'s work was {times} as fast with it"
    return f"{module.name}: off, {name}'s work was {times} as fast with it: not enough"
