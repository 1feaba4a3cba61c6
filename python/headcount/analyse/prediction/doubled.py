"""What twice of each resource would hold: the question that every run's report answers."""

from headcount.analyse.prediction.basis import basis
from headcount.analyse.prediction.change import parse
from headcount.analyse.prediction.predict import Asked, predict_from
from headcount.analyse.prediction.prediction import Prediction
from headcount.analyse.prediction.resource import KINDS, of_kind
from headcount.bundle.reader import Bundle
from headcount.errors import InputError


def doubled_predictions(bundle: Bundle) -> list[Prediction]:
    """Predict the capacity with twice the CPUs, the disks and the network, one at a time.

    Empty if the run has nothing to predict from; without the kinds whose amount the run does not
    record.
    """
    try:
        run = basis(bundle)
    except InputError:
        return []
    parts = []
    for kind in KINDS:
        of_it = of_kind(run.found.resources, kind)
        if of_it and all(each.capacity is not None for each in of_it):
            parts.append(predict_from(run, Asked([parse(kind, "2x")])))
    return parts
