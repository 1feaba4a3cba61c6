"""Contents of reports of tunings: with a claim, without one, interrupted, and without a race."""

import random
from dataclasses import replace
from pathlib import Path

from report_bundle import bundle_of
from report_cases import HOSTILE
from report_factory import content

from headcount.bundle import tuning as record
from headcount.bundle.tuning import KnobState, Pair, Race, Tuning
from headcount.report.content import ReportContent
from tuning_file import complete_tuning


def race(
    seed: int, pairs: int, outcome: str = "not better", mean: float = 0.1, **update: object
) -> Race:
    """A race whose gains scatter around a mean."""
    drawn = random.Random(seed)
    return Race(
        configuration={"worker_processes": str(seed)},
        origin="a trial",
        against={"keepalive_timeout": "75"},
        outcome=outcome,
        why=None,
        pairs=[
            Pair(
                incumbent=2 * number,
                challenger=2 * number + 1,
                users=400 + 100 * (number // 3),
                log_gain=drawn.gauss(mean, 0.04),
            )
            for number in range(pairs)
        ],
    ).model_copy(update=update)


def tuned() -> Tuning:
    """A claim after five races, one of them refused, and a knob that was left alone."""
    left = KnobState(
        name="ssl_protocols",
        server="nginx",
        value="TLSv1.3",
        is_set=True,
        place="/etc/nginx/nginx.conf",
        tried=False,
        obstacle="it risks security; allow it with --allow ssl_protocols",
    )
    plain = complete_tuning()
    races = [
        race(1, 4, "better", 0.35),
        race(2, 2),
        race(3, 8, mean=-0.02),
        race(4, 1, "refused", -0.5, why="2.0% of scenarios failed, 0.0% without it"),
        race(5, 0, "refused", why="nginx: [emerg] invalid value"),
    ]
    return plain.model_copy(update={"races": races, "knobs": [*plain.knobs, left]})


def without_claim() -> Tuning:
    weak = complete_tuning().ratio
    assert weak is not None
    return tuned().model_copy(
        update={
            "changes": [],
            "files": {},
            "ratio": weak.model_copy(update={"value": 1.05, "low": 0.94, "high": 1.17}),
            "sentence": "No proof: it was 1.05 times the throughput, which may be chance.",
        }
    )


def interrupted() -> Tuning:
    return tuned().model_copy(
        update={
            "changes": [],
            "files": {},
            "ratio": None,
            "before": None,
            "after": None,
            "ending": "interrupted",
            "restored": False,
            "sentence": "No claim: the tuning was interrupted before a gain was proved.",
        }
    )


def without_races() -> Tuning:
    update = {
        "races": [],
        "noise": None,
        "sentence": "No trial: the budget was spent on the noise. Give more time: --budget 30m",
    }
    return interrupted().model_copy(update={"ending": "finished", "restored": True, **update})


ALL = {
    "claim": tuned,
    "no claim": without_claim,
    "interrupted": interrupted,
    "no race": without_races,
}


def of_times(measure: str = "95th percentile of response times") -> Tuning:
    """A claim about a time, in ms, or about CPU time, in seconds."""
    ms = measure.startswith("95th")
    before, after = (290.0, 200.0) if ms else (0.0029, 0.002)
    return tuned().model_copy(
        update={"measure": measure, "goal": "p95", "before": before, "after": after}
    )


def hostile() -> Tuning:
    """Every text of a record is one that no report may obey."""
    plain = tuned()
    knob = plain.knobs[-1].model_copy(
        update=dict.fromkeys(("name", "server", "value", "place", "obstacle"), HOSTILE)
    )
    change = plain.changes[0].model_copy(
        update=dict.fromkeys(("knob", "server", "before", "after"), HOSTILE)
    )
    races = [
        one.model_copy(
            update={
                "configuration": {HOSTILE: HOSTILE},
                "against": {HOSTILE: "1"},
                "origin": HOSTILE,
                "why": HOSTILE,
            }
        )
        for one in plain.races
    ]
    texts = ("target", "server", "goal", "measure", "diagnosis", "sentence")
    return plain.model_copy(
        update=dict.fromkeys(texts, HOSTILE)
        | {"knobs": [knob], "changes": [change], "races": races, "files": {HOSTILE: HOSTILE}}
    )


def content_of(found: Tuning) -> ReportContent:
    return replace(content(), tuning=found, repeat_command="headcount tune --target lab:nginx")


def bundle_with(found: Tuning, folder: Path) -> Path:
    """A bundle on disk whose levels are the turns of a tuning."""
    record.write(found, bundle_of(content(), folder))
    return folder
