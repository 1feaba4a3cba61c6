"""Whether a target that has fallen silent still answers."""

import threading
import time
from collections.abc import Callable

from headcount.errors import TargetError
from headcount.fields.units import seconds
from headcount.plan.plan import Plan

LEAST_S = 5.0
"""How long any target has, however short its users wait: one that is overloaded answers late, and a
search goes on below."""
HEAR_S = 0.2
"""How often Ctrl-C is looked for: one that comes just before a wait would be heard after it."""


def check_answer(check: Callable[[], None], plan: Plan) -> None:
    """Ask the target with `check`, for as long as the plan's users wait for a connection.

    The question is asked in a thread of its own: nothing interrupts the engine while it waits, and
    Ctrl-C must not wait with it. The thread ends at the latest with this process.

    Raises TargetError when the target does not answer, and what else `check` raises.
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
