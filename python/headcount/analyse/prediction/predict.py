"""The prediction of a run: pure, and the same for the same bundle."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from headcount.analyse.prediction import change as changing
from headcount.analyse.prediction import checks, interval, sentences
from headcount.analyse.prediction.basis import Basis, basis
from headcount.analyse.prediction.candidates import QUEUEING
from headcount.analyse.prediction.capacity_model import CapacityModel, capacity_model
from headcount.analyse.prediction.change import Change
from headcount.analyse.prediction.figures import demand_figures, for_users
from headcount.analyse.prediction.fit import Capacities, Fitted
from headcount.analyse.prediction.holdout import HeldOutErrors
from headcount.analyse.prediction.interval import Spread
from headcount.analyse.prediction.prediction import Candidate, Check, ModelName, Prediction
from headcount.analyse.prediction.study import Study
from headcount.bundle.reader import Bundle


@dataclass(frozen=True, slots=True)
class Asked:
    """A question about a run.

    Attributes:
        changes: Changes of hardware; none: as it is.
        users: The users whose service and needs are asked for.
        memory_bytes: Memory of the server; None: as it is.
        criterion: Replaces the run's own.

    """

    changes: Sequence[Change] = ()
    users: float | None = None
    memory_bytes: float | None = None
    criterion: str | None = None


def predict(bundle: Bundle, asked: Asked | None = None) -> Prediction:
    """Predict the capacity; raises InputError if the run has nothing to predict it from."""
    asked = asked or Asked()
    spindles = next((c.was for c in asked.changes if c.kind == "disk"), None)
    times = asked.users is not None
    return predict_from(basis(bundle, asked.criterion, spindles, times=times), asked)


def predict_from(run: Basis, asked: Asked) -> Prediction:
    """Answer one question; raises InputError if the run lacks what is asked for."""
    then = changing.capacities(run.found.resources, asked.changes)
    changed = bool(asked.changes) or asked.users is not None
    eligible: tuple[ModelName, ...] = QUEUEING
    if not changed:
        eligible = (*QUEUEING, "exponential")
        if run.fitted.think_s <= 0:
            eligible = (*eligible, "scalability")
    at_least = max(*(p.users for p in run.found.points), asked.users or 0.0)
    model, before, after = _chosen(run.held_out, eligible, run.fitted, (run.now, then), at_least)
    best = next((one for one in run.held_out if one.model == model), None)
    return _prediction(_Made(run, asked, model, before, after, then, best), eligible)


def _chosen(
    errors: Sequence[HeldOutErrors],
    eligible: Sequence[ModelName],
    fitted: Fitted,
    capacities: tuple[Capacities, Capacities],
    at_least: float,
) -> tuple[ModelName, CapacityModel, CapacityModel]:
    """The best model on the levels held out, among those that have an answer at all."""
    able = sorted((one for one in errors if one.model in eligible), key=lambda one: one.worst)
    names: list[ModelName] = [one.model for one in able] or ["exact"]
    made = []
    for name in names:
        before = capacity_model(name, fitted, capacities[0], at_least)
        after = capacity_model(name, fitted, capacities[1], at_least)
        if before.users and after.users:
            return name, before, after
        made.append((name, before, after))
    return made[0]


@dataclass(frozen=True, slots=True)
class _Made:
    """Everything computed on the way to the record of the prediction."""

    run: Basis
    asked: Asked
    model: ModelName
    before: CapacityModel
    after: CapacityModel
    then: Capacities
    best: HeldOutErrors | None


def _prediction(made: _Made, eligible: Sequence[ModelName]) -> Prediction:
    run, found, after = made.run, made.run.found, made.after
    spread = _spread(made)
    made_checks = _checks(made, spread)
    refused = [check for check in made_checks if check.passed is False]
    binds = after.binds.resource.name if after.binds is not None else None
    bound = made.before.binds
    prediction = Prediction(
        outcome="not predictive" if refused else "predicted",
        sentence="",
        criterion=found.criterion.text,
        changes=[
            *changing.change_texts(made.asked.changes, found.resources),
            *sentences.memory(made.asked.memory_bytes),
        ],
        levels_used=[p.index for p in found.points],
        levels_left_out=list(found.left_out),
        published=found.published,
        measured=found.measured,
        now=made.before.expected(),
        capacity=after.expected(spread.half),
        binds=binds,
        bound_now=bound.resource.name if bound is not None else None,
        model=made.model,
        candidates=_candidates(run.held_out, eligible, made.model),
        checks=made_checks,
        demands=demand_figures(made.before, after, run.fits, found.points, found.measured),
        for_users=for_users(made.model, after, run.now, run.fits, made.asked.users, spread),
        unknowable=sentences.unknowable(found, made.asked.changes),
        notes=sentences.notes(found, run.fitted),
        curve_now=made.before.curve(),
        curve=after.curve(),
    )
    return prediction.model_copy(update={"sentence": sentences.sentence(prediction)})


def _spread(made: _Made) -> Spread:
    run, then = made.run, made.then
    resampled = interval.deviation(
        run.fits, lambda each: capacity_model(made.model, each, then).users
    )
    ratio = run.divided.ratio if run.divided is not None else 1.0
    top = max(p.users for p in run.found.points)
    asked = (made.after.users or top) / top
    error = made.best.reach if made.best is not None else 0.0
    pairs = {name: (now, then[name]) for name, now in run.now.items()}
    binds = made.after.binds
    times = interval.doublings(pairs, binds.resource.name if binds is not None else None)
    return Spread(
        resampled=resampled,
        held_out=interval.scaled(error, ratio, asked),
        changed=interval.CHANGED * times,
    )


def _checks(made: _Made, spread: Spread) -> list[Check]:
    run, found, after = made.run, made.run.found, made.after
    base = found.measured or made.before.users or max(p.users for p in found.points)
    binding = [each for each in (made.before.binds, after.binds) if each is not None]
    name = after.binds.resource.name if after.binds is not None else None
    most = max((p.use.get(name or "", 0.0) for p in found.points), default=0.0)
    capacity = made.then.get(name or "")
    busiest = found.busiest()
    changed = bool(made.asked.changes)
    return [
        checks.little(found.levels),
        checks.demands(binding, found.points, base),
        checks.hold_out(made.best, run.divided, _noise(found), _counted(found)),
        checks.reach(found.points, base, busiest),
        checks.measured(name, most / capacity if capacity else None, known=name is not None),
        checks.memory(made.asked.memory_bytes is not None, _harmless(made)),
        checks.interval(spread.half),
        checks.limit(run.diagnosis, busiest[1] if busiest else 0.0, changed=changed),
    ]


def _noise(found: Study) -> float:
    """Relative standard error of the response times, from the levels that have an interval."""
    parts = []
    for level in found.levels:
        bounds, response = level.total.p95_interval_ms, level.total.response
        if bounds is not None and response is not None and response.p95_ms > 0:
            parts.append((bounds[1] - bounds[0]) / 2 / 1.96 / response.p95_ms)
    return sorted(parts)[len(parts) // 2] if parts else 0.0


def _counted(found: Study) -> float:
    """Relative standard error of a level's throughput, treated as a count."""
    counts = sorted(level.total.completed for level in found.levels)
    return 1 / math.sqrt(counts[len(counts) // 2])


def _harmless(made: _Made) -> bool | None:
    """Whether memory surely changes nothing: few disk reads, and no less memory."""
    wanted = made.asked.memory_bytes
    top = max(made.run.found.observations, key=lambda o: o.users)
    there = top.mean("cgroup.memory.limit", "system.memory.limit")
    reads = [
        p.use[each.name] / each.capacity
        for each in made.run.found.resources
        for p in made.run.found.points
        if each.kind == "disk" and each.capacity and each.name in p.use
    ]
    if wanted is None or there is None or not reads:
        return None
    return wanted >= there and max(reads) < 0.05 and not (top.mean("cgroup.memory.refaults") or 0)


def _candidates(
    errors: Sequence[HeldOutErrors], eligible: Sequence[ModelName], model: ModelName
) -> list[Candidate]:
    def finite(value: float | None) -> float | None:
        return value if value is not None and math.isfinite(value) else None

    return [
        Candidate(
            model=one.model,
            throughput_error=finite(one.per_s),
            response_error=finite(one.response),
            capacity_error=finite(one.users),
            eligible=one.model in eligible,
            chosen=one.model == model,
        )
        for one in errors
    ]
