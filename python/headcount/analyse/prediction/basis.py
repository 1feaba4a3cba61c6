"""The common start of every prediction from a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.diagnosis.diagnose import diagnose
from headcount.analyse.diagnosis.sight import sight
from headcount.analyse.prediction import holdout, interval
from headcount.analyse.prediction.fit import Capacities, Fitted, fit
from headcount.analyse.prediction.holdout import HeldOutErrors, Split
from headcount.analyse.prediction.study import Study, study
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.reader import Bundle
from headcount.errors import InputError


@dataclass(frozen=True, slots=True)
class Basis:
    """What every prediction from a run starts from, whatever the question.

    Attributes:
        found: The prepared run.
        fitted: The fit to all of its levels.
        fits: The fits to resampled levels, for intervals.
        divided: The levels held out and the others; None if there are too few.
        held_out: The errors of each model on the levels held out.
        diagnosis: What stopped the run; None if unknown.

    """

    found: Study
    fitted: Fitted
    fits: Sequence[Fitted]
    divided: Split | None
    held_out: Sequence[HeldOutErrors]
    diagnosis: Diagnosis | None

    @property
    def now(self) -> Capacities:
        """The run's capacity of each resource."""
        return {each.name: each.capacity for each in self.found.resources}


def basis(
    bundle: Bundle,
    criterion: str | None = None,
    spindles: float | None = None,
    *,
    times: bool = False,
) -> Basis:
    """Prepare a run for predictions; raises InputError if there is nothing to predict from.

    `criterion` replaces the run's own, `spindles` is the number of its disks, `times` says whether
    response times will be asked for as well as users.
    """
    found = study(bundle, criterion, spindles)
    fitted = fit(found.points, found.resources)
    if fitted is None:
        raise InputError(f"no prediction from {bundle.folder}: {_reason(found)}")
    divided = holdout.split(found.points, found.measured)
    usable = {each.resource.name: each.usable for each in fitted.demands}
    now = {each.name: each.capacity for each in found.resources}
    held_out: list[HeldOutErrors] = []
    if divided is not None:
        held_out = holdout.held_out_errors(
            divided, found.resources, now, found.measured, usable, times=times
        )
    fits = interval.refits(
        found.observations, found.points, found.resources, found.seconds, fitted.tail.slope
    )
    return Basis(found, fitted, fits, divided, held_out, _diagnosis(bundle))


def _reason(found: Study) -> str:
    """Why no resource explains the users of a run, and what may help."""
    if sight(found.observations) == "nothing":
        return (
            "it has no counters of the server's machine. Run again there, or with --source "
            "ssh://USER@HOST"
        )
    return (
        "its use of CPU, disks and network does not clearly grow with the users. Measure more "
        "levels, further apart (--levels), without other programs on the machine; headcount "
        "diagnose says what else limits the server"
    )


def _diagnosis(bundle: Bundle) -> Diagnosis | None:
    """The run's own diagnosis; computed now for runs from before it was stored."""
    if bundle.verdict is not None and bundle.verdict.diagnosis is not None:
        return bundle.verdict.diagnosis
    return diagnose(bundle)
