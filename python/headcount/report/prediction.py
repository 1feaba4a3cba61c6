"""What more of each resource would hold, in the words of reports."""

from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.prediction.prediction import Expected, Prediction
from headcount.analyse.prediction.resource import resource_name
from headcount.analyse.prediction.sentences import refusal
from headcount.text import DASH, count, plural

TITLE = "Capacity with more hardware"
HEADINGS = ("With", "Users", "95% interval", "Against now", "Full then")
UNKNOWABLE = "What the model cannot know"
HOW = "headcount predict answers for other amounts, and for a number of users."


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """One prediction in cells, in the order of :data:`HEADINGS`."""

    what: str
    users: str
    interval: str
    against: str
    full: str

    def cells(self) -> list[str]:
        """The cells of a prediction's row."""
        return [self.what, self.users, self.interval, self.against, self.full]


def rows(predictions: Sequence[Prediction]) -> list[PredictionRow]:
    """The rows of the predictions that the run supports."""
    return [_row(one, capacity) for one in predictions if (capacity := _capacity(one)) is not None]


def refusals(predictions: Sequence[Prediction]) -> list[str]:
    """What is not predicted and why, in sentences; one if all have the same reason."""
    refused = [one for one in predictions if _capacity(one) is None]
    reasons = list(dict.fromkeys(_reason(one) for one in refused))
    if len(reasons) == 1 and len(refused) == len(predictions):
        return [f"No prediction from this run: {reasons[0]}."]
    return [f"No prediction for {_change(one)}: {_reason(one)}." for one in refused]


def introduction(predictions: Sequence[Prediction]) -> str:
    """How the table came about."""
    one = next(one for one in predictions if _capacity(one) is not None)
    now = _now(one)
    now_text = f" The estimate now is {plural('user', now)}." if now else ""
    if one.published is not None and now:
        now_text = (
            f" The capacity now is {plural('user', one.published)}, the estimate {count(now)}."
        )
    return (
        f"Predicted for {one.criterion} from how much of each resource a scenario uses, with the "
        f"model that predicted this run's highest levels best ({one.model}).{now_text} Nothing in "
        f"the table was measured; {HOW}"
    )


def unknowable(predictions: Sequence[Prediction]) -> list[str]:
    """What those predictions cannot know, in sentences."""
    return list(
        dict.fromkeys(
            sentence
            for one in predictions
            if _capacity(one) is not None
            for sentence in one.unknowable
        )
    )


def _capacity(one: Prediction) -> Expected | None:
    return one.capacity if one.outcome == "predicted" else None


def _now(one: Prediction) -> float | None:
    """The run's estimate of the limit, which a prediction of the limit is compared with."""
    return one.measured or (one.now.users if one.now is not None else None)


def _row(one: Prediction, then: Expected) -> PredictionRow:
    now = _now(one)
    return PredictionRow(
        what=_change(one),
        users=count(then.users),
        interval=f"{count(then.low)} to {count(then.high)}" if then.low is not None else DASH,
        against=f"{100 * (then.users / now - 1):+.0f}%" if now else DASH,
        full=resource_name(one.binds) if one.binds else DASH,
    )


def _change(one: Prediction) -> str:
    return " and ".join(one.changes).replace(" -> ", " to ")


def _reason(one: Prediction) -> str:
    return refusal(one) or f"no number of users breaks {one.criterion}"
