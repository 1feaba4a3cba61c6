"""A repetition of a fault, without a server."""

from dataclasses import replace
from pathlib import Path

import pytest

from headcount import workloads
from headcount.analyse.outage.felt import Limits, felt
from headcount.errors import InputError
from headcount.failover.fault import Command
from headcount.failover.repetition import Questions, Repetition, Timing
from headcount.failover.start import with_lab_recovery, writers_of
from headcount.failover.wanted import Wanted
from headcount.plan.resolve import Overrides, resolve

JOURNEYS = Path(__file__).parents[2] / "examples" / "journeys"
TIMING = Timing(2.0, 2.0, 10.0, 1.0, None)
LIMITS = Limits(10, 0.05, 1.0)


def test_a_level_that_ends_before_its_first_second_felt_nothing() -> None:
    one = Repetition(Command("true", None), TIMING, Questions(), LIMITS, 0.01, lambda: 7.0)
    one.end()
    assert (one.injected_s, one.error, one.rows, one.users_lost) == (None, None, [], 0)
    assert one.seen == (7.0, 7.0)
    found = felt([], one.seen[1], one.seen, 0.01, LIMITS)
    assert (found.rate_per_s, found.silent_s, found.lost, found.served_s) == (0.0, 0.0, 0, None)


def test_a_lab_server_is_started_again_while_users_are_watched() -> None:
    assert with_lab_recovery(TIMING) == replace(TIMING, recover_s=5.0)
    with pytest.raises(InputError, match="give --longest 6s"):
        with_lab_recovery(replace(TIMING, longest_s=5.5))


def test_rows_are_written_only_beside_a_data_set() -> None:
    asked = Wanted("kill", "start", None, TIMING, 1)
    own = workloads.load(str(JOURNEYS / "pgbench-tpcb.toml"))
    plan = resolve(own, "postgresql://127.0.0.1/bench", Overrides(users=5))
    assert writers_of(plan, asked) == 0
    assert writers_of(plan, replace(asked, writers=0)) == 0
    with pytest.raises(InputError, match=r"--writers 2: rows are written beside a data set"):
        writers_of(plan, replace(asked, writers=2))
    for name, target in (
        ("ycsb-a", "redis://127.0.0.1"),
        ("home-folders", "smb://127.0.0.1/share"),
    ):
        plan = resolve(workloads.load(name), target, Overrides(users=5))
        assert writers_of(plan, asked) == 4
