"""The experiment from start to end; what was measured is on disk after every start."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Literal, Protocol

from headcount import __version__
from headcount.analyse import shares as analysis
from headcount.analyse.costs import Holding
from headcount.bundle.files import replace
from headcount.bundle.shares import LeftOut, ShareCapacity, SharesFile, SharesPoint
from headcount.bundle.writer import new_folder, now
from headcount.controller.access import Secrets
from headcount.controller.shares.design import Experiment, chains
from headcount.controller.shares.hold import hold, left_out_point
from headcount.controller.sut import Sut, connect
from headcount.errors import HeadcountError, InputError
from headcount.generator.handles import ensure_handles
from headcount.plan import target as targets
from headcount.plan.plan import Plan
from headcount.plan.resolve import Overrides, resolve

FILE = "shares.json"
Outcome = Literal["finished", "interrupted"]


class Listener(Protocol):
    """The observer of the experiment's progress."""

    def began(self, folder: Path, starts: int) -> None:
        """The experiment begins, with this many starts of the server."""
        ...

    def holding(self, start: int, point: Holding, connected: int) -> None:
        """A point is being set up; `connected` of its connections are ready."""
        ...

    def ended(self, start: int, points: list[SharesPoint], left: list[LeftOut]) -> None:
        """The points of a start have been held, or left out."""
        ...


def shares_plan(experiment: Experiment, shares: int, **wanted: object) -> Plan:
    """The plan with this many shares; raises InputError if that is impossible."""
    target = targets.parse(experiment.target)
    given = {
        "seed": experiment.seed,
        "shares": shares if target.lab is not None or shares > 1 else None,
        "server": experiment.server,
        "client": experiment.client,
        "authorised_by": experiment.authorised_by,
        **wanted,
    }
    return resolve(experiment.workload, experiment.target, Overrides(**given))  # type: ignore[arg-type]


class Run:
    """The running experiment and its results.

    Attributes:
        folder: Where they are stored; None before there is anything.

    """

    def __init__(self, experiment: Experiment, secrets: Secrets, listener: Listener) -> None:
        """Check in advance what can be: the options, and what this machine allows."""
        self.folder: Path | None = None
        self._experiment = experiment
        self._secrets = secrets
        self._listener = listener
        self._points: list[SharesPoint] = []
        self._left: list[LeftOut] = []
        self._capacities: list[ShareCapacity] = []
        self._programs: Mapping[str, str] = {}
        self._started_at = now()
        ensure_handles("smb", max(experiment.connections, default=1))
        for shares in experiment.shares:
            shares_plan(experiment, shares)

    def measure(self) -> SharesFile:
        """Hold all points. Ctrl-C ends it early: the answer is what was measured until then.

        Raises HeadcountError if the first start fails, InputError if nothing could be held.
        """
        outcome: Outcome = "finished"
        starts = chains(self._experiment)
        try:
            for start, points in enumerate(starts):
                self._hold(start, points, len(starts))
        except KeyboardInterrupt:
            if not self._points:
                raise
            outcome = "interrupted"
        if not any(point.connections for point in self._points) and outcome == "finished":
            raise InputError(
                f"no point could be measured; the first failed: {self._left[0].reason}"
            )
        return self.keep(outcome)

    def add(self, capacities: list[ShareCapacity], outcome: Outcome) -> SharesFile:
        """Add the capacities that were found."""
        self._capacities = capacities
        return self.keep(outcome)

    def keep(self, outcome: Outcome) -> SharesFile:
        """Write what is known now."""
        fits, doubts = (
            analysis.fits(self._points) if self._held() else ([], [analysis.NOT_OBSERVED])
        )
        if self._left:
            doubts.append(f"{len(self._left)} of the points could not be held and were left out")
        if targets.parse(self._experiment.target).lab is None and self._points:
            doubts.append(analysis.NOT_RESTARTED)
        known = SharesFile(
            headcount=__version__,
            started_at=self._started_at,
            target=self._experiment.target,
            programs=dict(self._programs),
            outcome=outcome,
            counted=analysis.COUNTED,
            not_counted=analysis.NOT_COUNTED,
            points=self._points,
            left_out=self._left,
            fits=fits,
            sentences=analysis.sentences(fits),
            doubts=doubts,
            capacities=self._capacities,
        )
        if self.folder is None:
            self.folder = new_folder(self._experiment.runs, "shares-memory", known.target)
        replace(self.folder / FILE, known.model_dump_json(indent=1))
        return known

    def _hold(self, start: int, points: list[Holding], starts: int) -> None:
        kept: list[SharesPoint] = []
        lost: list[LeftOut] = []
        plan = shares_plan(self._experiment, points[0].shares)
        try:
            with connect(plan, self._secrets) as sut:
                pids = self._pids(sut)
                if self.folder is None:
                    self._begin(sut, plan, starts)
                on_progress = partial(self._listener.holding, start)
                lost = hold(sut, pids, start, points, on_progress, kept)
        except HeadcountError as error:
            if not start:
                raise
            lost = [left_out_point(point, str(error)) for point in points[len(kept) :]]
        finally:
            self._points += kept
            self._left += lost
        self._listener.ended(start, kept, lost)
        self.keep("interrupted")

    def _begin(self, sut: Sut, plan: Plan, starts: int) -> None:
        """Make the folder and keep the disclosure in it."""
        self.folder = new_folder(self._experiment.runs, "shares-memory", plan.target)
        environment = sut.environment(plan.target)
        self._programs = environment.sides[0].programs
        replace(self.folder / "environment.json", environment.model_dump_json(indent=1))
        self._listener.began(self.folder, starts)

    def _held(self) -> bool:
        """Whether anything was to be held: not if the server's memory cannot be read."""
        lab = targets.parse(self._experiment.target).lab
        return lab is not None or self._experiment.pid is not None

    def _pids(self, sut: Sut) -> list[int]:
        if self._experiment.pid is None:
            return list(sut.pids or [])
        if not sut.local:
            raise InputError(
                f"--pid is for a server on this machine, and {self._experiment.target} is not"
            )
        return [self._experiment.pid]
