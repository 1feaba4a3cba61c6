"""The result of a tuning, as its record and in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from headcount.bundle import tuning as record
from headcount.bundle.diagnosis import Diagnosis
from headcount.bundle.tuning import MEASURES, ChangeKept, KnobState, Measure, Noise, Ratio
from headcount.bundle.writer import now
from headcount.plan.plan import Plan
from headcount.text import plural
from headcount.tune.change import Changes
from headcount.tune.choose import Choice
from headcount.tune.goal import Goal
from headcount.tune.install import install_files
from headcount.tune.knobs.knob import Knob
from headcount.tune.ladder import recorded
from headcount.tune.pairs import mean_figure, ratio_of
from headcount.tune.race import Race
from headcount.tune.servers.joint import Joint
from headcount.tune.tunable import Tunable
from headcount.tune.tuning import Tuning

Ending = Literal["finished", "interrupted", "failed"]


@dataclass(frozen=True)
class Known:
    """What was known before the first trial."""

    plan: Plan
    goal: Goal
    measure: Measure
    diagnosis: Diagnosis
    baseline: Path
    server: Joint
    choices: Sequence[Choice]
    best_per_s: float | None = None
    """The greatest throughput that the search saw."""


def answer(known: Known, tuning: Tuning, tunable: Tunable, ending: Ending) -> record.Tuning:
    """The record of a tuning whose changes have not been put back yet."""
    results = tuning.results
    ratio = tuning.proven()
    is_proven = tuning.is_proven
    changes = [
        ChangeKept(
            knob=knob.name,
            server=_choice(knob, known.choices).server,
            before=_choice(knob, known.choices).setting.value,
            after=value,
            ratio=_loss(results.knocked_out.get(knob)),
        )
        for knob, value in results.winner.changes.items()
    ]
    noise = None
    if results.spread is not None:
        noise = Noise(
            pairs=len(results.noise.gains),
            spread=results.spread.value,
            smallest_gain=results.smallest,
        )
    return record.Tuning(
        at=now(),
        target=known.plan.target,
        server=known.server.name,
        goal=known.goal.kind,
        measure=MEASURES[tuning.measure],
        users=tuning.users,
        limit=known.diagnosis.limit,
        diagnosis=known.diagnosis.sentence,
        baseline=known.baseline.name,
        noise=noise,
        knobs=[
            KnobState(
                name=one.knob.name,
                server=one.server,
                value=one.setting.value,
                is_set=one.setting.is_set,
                place=one.setting.place,
                tried=one.obstacle is None,
                obstacle=one.obstacle,
            )
            for one in known.choices
        ],
        races=[_race(one) for one in results.races],
        changes=changes if is_proven else [],
        ratio=ratio,
        proof=tuning.proof_pairs,
        restarts=results.restarts,
        pilot=None if results.pilot is None else [*results.pilot],
        ladder=[recorded(one) for one in results.ladder],
        before=mean_figure([one for one, _ in results.proof], tuning.measure),
        after=mean_figure([one for _, one in results.proof], tuning.measure),
        files=_files(tunable, results.winner.changes) if is_proven else {},
        ending=ending,
        restored=False,
        kept=False,
        sentence=_sentence(tuning, ratio, is_proven=is_proven, ending=ending),
    )


def _choice(knob: Knob, choices: Sequence[Choice]) -> Choice:
    return next(one for one in choices if one.knob == knob)


def _loss(race: Race | None) -> Ratio | None:
    """A change's gain on top of the others: the inverse of the loss when it is taken back."""
    if race is None:
        return None
    return ratio_of([-gain for gain in race.gains])


def _race(race: Race) -> record.Race:
    return record.Race(
        configuration=_by_name(race.challenger.changes),
        origin=race.challenger.origin,
        against=_by_name(race.incumbent.changes),
        outcome=race.outcome,
        why=race.why,
        pairs=race.corrected,
    )


def _by_name(changes: Changes) -> dict[str, str]:
    return {knob.name: knob.written(value) for knob, value in changes.items()}


def _files(tunable: Tunable, changes: Changes) -> dict[str, str]:
    files = tunable.files(changes)
    kernel = tunable.kernel_values(changes)
    services, drop_ins = tunable.services(changes), tunable.drop_ins(changes)
    return install_files(tunable.originals, files, kernel, services, drop_ins)


def _sentence(tuning: Tuning, ratio: Ratio | None, *, is_proven: bool, ending: Ending) -> str:
    if ending != "finished":
        return f"No claim: the tuning was {ending} before a gain was proved."
    if not tuning.results.races:
        return "No trial: the budget was spent on the noise. Give more time: --budget 30m"
    if ratio is None:
        tried = plural("trial", len(tuning.results.races))
        smallest = tuning.results.smallest
        bound = f" of {smallest - 1:.0%} or more" if smallest is not None else ""
        return f"No gain{bound} was found in {tried}: leave the settings as they are."
    if not is_proven:
        return (
            f"No proof: with {tuning.results.winner.text} it was {_words(tuning.measure, ratio)}, "
            "which may be chance. More time (--budget) or longer turns (--turn) would show."
        )
    gain = _words(tuning.measure, ratio)
    changes = tuning.results.winner.text
    more = " It may be more: with the changes, the load generator was the limit."
    return f"{changes}: {gain}, at {tuning.users:,} users.{more if tuning.is_at_least else ''}"


def _words(measure: Measure, ratio: Ratio) -> str:
    interval = f"({ratio.low:.2f} to {ratio.high:.2f})"
    of = {
        "rate": "the throughput",
        "p95": "better at the 95th percentile",
        "cpu": "better in CPU time per scenario",
        "log_on": "as fast to log on",
    }[measure]
    return f"{ratio.value:.2f} times {of} {interval}"
