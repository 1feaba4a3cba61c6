"""What every prediction from a run starts from."""

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
    """What every prediction from a run starts from, whatever is asked.

    Attributes:
        found: The run made ready.
        fitted: What scenarios take, from all of its levels.
        fits: The same of levels drawn again, for intervals.
        divided: The levels held out and the others; None if they are too few.
        held_out: How each model does on those held out.
        diagnosis: What stopped the run; None where that is not known.

    """

    found: Study
    fitted: Fitted
    fits: Sequence[Fitted]
    divided: Split | None
    held_out: Sequence[HeldOutErrors]
    diagnosis: Diagnosis | None

    @property
    def now(self) -> Capacities:
        """What there was of each resource."""
        return {each.name: each.capacity for each in self.found.resources}


def basis(
    bundle: Bundle,
    criterion: str | None = None,
    spindles: float | None = None,
    *,
    times: bool = False,
) -> Basis:
    """Make a run ready to be asked; raises InputError where there is nothing to predict from.

    `criterion` is another than the run's, `spindles` the number of its disks, `times` whether
    response times will be asked for and not only users.
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
    """The run's own; for runs from before it was kept, made now."""
    if bundle.verdict is not None and bundle.verdict.diagnosis is not None:
        return bundle.verdict.diagnosis
    return diagnose(bundle)
