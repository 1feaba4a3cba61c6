"""Whether a target that stopped answering is still there."""

import threading
import time
from collections.abc import Callable

from headcount.analyse.failures import is_full
from headcount.errors import TargetError
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

LEAST_S = 5.0
"""Shortest timeout, however short the users' own: an overloaded target answers late, and a search
continues below."""
HEAR_S = 0.2
"""Interval for checking Ctrl-C: just before a wait, it would only be noticed after it."""


def check_alive(check: Callable[[], None], plan: Plan, rest: Callable[[], bool]) -> None:
    """Check that a target is alive while users are on it.

    One that refuses the check for lack of a place is alive. One that only disconnects may have no
    place because of the users, so it is checked again after `rest`, which sends them away and
    returns whether they are gone. Raises TargetError if it does not answer then either.
    """
    has_rested = False
    while True:
        try:
            check_answer(check, plan)
        except TargetError as error:
            if is_full(str(error)):
                return
            if has_rested or not rest():
                raise
            has_rested = True
        else:
            return


def check_answer(check: Callable[[], None], plan: Plan) -> None:
    """Ask the target with `check`, for as long as the plan's users wait for a connection.

    The check runs in a thread of its own: nothing interrupts the engine while it waits, and Ctrl-C
    must not wait with it. The thread ends with this process at the latest.

    Raises TargetError if the target does not answer, and whatever else `check` raises.
    """
    longest_s = max(seconds(plan.workload.run.step_timeout), LEAST_S)
    errors: list[Exception] = []

    def ask() -> None:
        try:
            check()
        except Exception as error:  # noqa: BLE001 - raised again by who waits
            errors.append(error)

    thread = threading.Thread(target=ask, name="check", daemon=True)
    thread.start()
    deadline_s = time.monotonic() + longest_s
    while thread.is_alive() and (left_s := deadline_s - time.monotonic()) > 0:
        thread.join(min(HEAR_S, left_s))
    if errors:
        raise errors[0]
    if thread.is_alive():
        raise TargetError(f"no answer within {longest_s:g} s")
