"""A `confirmation.json` as experiments write it."""

from headcount.bundle.confirmation import Confirmation, Estimate, Finding, LeftOut, Turn
from headcount.bundle.diagnosis import Limit


def confirmation(limit: Limit = "pool") -> Confirmation:
    """Two experiments that refuted a limit and support a lock, and one that was not played."""
    estimate = Estimate(
        name="load.places", value=1.02, low=0.9, high=1.14, unit="{scenario}", sentence="one"
    )
    turn = Turn(
        round=1,
        arm="one user",
        users=1,
        seconds=1.0,
        completed=50,
        failed=0,
        rate_per_s=50.0,
        service_ms=20.0,
    )
    finding = Finding(
        experiment="concurrency",
        supports=["lock"],
        contradicts=[limit],
        direct=[],
        size=1.02,
        size_unit="{scenario}",
        estimates=[estimate],
        sentence="one is served at a time",
        turns=[turn],
    )
    return Confirmation(
        at="2026-11-24T10:00:00.000+00:00",
        target="lab:app",
        limit=limit,
        detail=None,
        answer="refuted",
        experiments=["concurrency", "kinds"],
        supported="lock",
        seconds=60.0,
        ending="finished",
        sentence="Refuted by experiment `concurrency`: the limit is another.",
        next_step="Look for a lock.",
        findings=[finding, finding.model_copy(update={"experiment": "kinds"})],
        left_out=[LeftOut(experiment="beside", reason="no second target was named (--beside)")],
    )
