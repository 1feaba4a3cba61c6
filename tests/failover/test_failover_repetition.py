"""A repetition of a fault, without a server."""

from dataclasses import replace

import pytest

from headcount.analyse.outage.felt import Limits, felt
from headcount.errors import InputError
from headcount.failover.fault import Command
from headcount.failover.repetition import Questions, Repetition, Timing
from headcount.failover.start import with_lab_recovery

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
