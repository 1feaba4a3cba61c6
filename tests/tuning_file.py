"""A tuning that found one change, with every part of its record."""

from headcount.bundle.tuning import (
    Cell,
    ChangeKept,
    KnobState,
    Noise,
    Pair,
    Piloted,
    Race,
    Ratio,
    Rung,
    Tuning,
)


def complete_tuning() -> Tuning:
    proof = [Pair(incumbent=9, challenger=10, users=400, log_gain=gain) for gain in (0.3, 0.37)]
    cells = [
        Cell(
            turns=[21, 22],
            passed=2,
            rate_per_s=rate,
            p95_ms=p95,
            p95_interval_ms=(p95 - 0.05, p95 + 0.05),
        )
        for rate, p95 in ((100.0, 0.513), (101.0, 0.323), (102.0, 0.258))
    ]
    time = Ratio(value=1.59, low=1.4, high=1.8, confidence=0.95, pairs=2)
    rate = Ratio(value=1.01, low=0.9, high=1.1, confidence=0.95, pairs=2)
    more = Ratio(value=1.25, low=1.1, high=1.42, confidence=0.95, pairs=2)
    pilot = Piloted(cell=cells[2], time=time, rate=rate, time_over_after=more)
    ratio = Ratio(value=1.4, low=1.2, high=1.6, confidence=0.99, pairs=6)
    return Tuning(
        at="2026-11-24T10:00:00.000+00:00",
        target="lab:nginx",
        server="nginx",
        goal="capacity",
        measure="scenarios per second",
        users=400,
        limit="cpu",
        diagnosis="The CPU.",
        baseline="20261124T095000-web-mix-lab-nginx",
        noise=Noise(pairs=4, spread=0.04, smallest_gain=1.09),
        knobs=[
            KnobState(
                name="keepalive_timeout",
                server="nginx",
                value="0",
                is_set=True,
                place="/etc/nginx/nginx.conf",
                tried=True,
                obstacle=None,
            )
        ],
        races=[
            Race(
                configuration={"keepalive_timeout": "75"},
                origin="a rule of thumb for keepalive_timeout",
                against={},
                outcome="better",
                why=None,
                pairs=[Pair(incumbent=9, challenger=10, users=400, log_gain=0.3)],
            )
        ],
        changes=[
            ChangeKept(
                knob="keepalive_timeout", server="nginx", before="0", after="75", ratio=ratio
            )
        ],
        ratio=ratio,
        proof=proof,
        restarts=2,
        pilot=["priority"],
        ladder=[
            Rung(users=100, before=cells[0], after=cells[1], time=time, rate=rate, pilot=pilot)
        ],
        limit_after="disk",
        diagnosis_after="The disk.",
        before=1000.0,
        after=1400.0,
        files={"changes.diff": "--- a\n+++ b\n"},
        ending="finished",
        restored=True,
        kept=False,
        sentence="keepalive_timeout 75: 1.40 times the throughput (1.20 to 1.60), at 400 users.",
    )
