"""Testing the diagnosis of a run by experiments, right after it."""

from dataclasses import replace
from pathlib import Path

from headcount.analyse.experiments.limits import PROGRAM
from headcount.bundle import confirmation, reader
from headcount.bundle.confirmation import Confirmation
from headcount.bundle.diagnosis import Limit
from headcount.bundle.reader import Bundle
from headcount.controller.access import Secrets
from headcount.controller.confirm import confirm
from headcount.controller.experiments.stage import Options
from headcount.controller.listener import Listener
from headcount.errors import HeadcountError, InputError
from headcount.fields.units import seconds
from headcount.plan.consent import with_consent
from headcount.plan.target import parse
from headcount.protocols.registry import protocol_of

TESTED: frozenset[Limit] = PROGRAM | {"delay", "unknown"}
"""Limits that no counter of the system shows, and that experiments tell apart without changing the
server: a search tests these by default."""
LONGEST_S = 120.0
"""Limit for all experiments; an interval hardly gets narrower with more time."""
SHORTEST_S = 30.0
"""Time for experiments after a search without a budget of its own."""


def confirm_run(
    folder: Path,
    secrets: Secrets,
    listener: Listener,
    *,
    wanted: bool | None = None,
    authorised_by: str | None = None,
) -> Confirmation | None:
    """Test the diagnosis of a finished run, and keep the answer in its bundle.

    `wanted` is the user's choice. With None, a search of the user's own server tests what only
    experiments can tell, in the time that it has left, if its users leave nothing behind there.
    `authorised_by` is the owner of the target who agreed, as this command line says.

    Returns None if nothing was tested. Errors are noted: the run's own answer stands.
    """
    bundle = reader.load(folder)
    found = bundle.verdict.diagnosis if bundle.verdict is not None else None
    if wanted is False or found is None or not is_finished(bundle):
        return None
    if wanted is None and not (may_test(bundle) and found.limit in TESTED):
        return None
    try:
        bundle = replace(bundle, plan=with_consent(bundle.plan, authorised_by))
        proof = confirm(bundle, found, secrets, listener, Options(time_left_s(bundle, wanted)))
        confirmation.write(proof, folder)
    except KeyboardInterrupt:
        listener.noted("no experiments: interrupted")
        return None
    except HeadcountError as error:
        # Too little time, or a limit that nothing can test: not worth a note by default.
        if wanted or not isinstance(error, InputError):
            listener.noted(f"no experiments: {error}")
        return None
    return proof


def is_finished(bundle: Bundle) -> bool:
    """Whether a run came to an answer."""
    return bundle.verdict is not None and bundle.verdict.outcome in ("passed", "failed")


def may_test(bundle: Bundle) -> bool:
    """Whether a run tests its diagnosis by default."""
    plan = bundle.plan
    is_of_somebody = parse(plan.target).lab is None
    return plan.mode == "search" and is_of_somebody and protocol_of(plan.protocol).is_clean


def time_left_s(bundle: Bundle, wanted: bool | None) -> float:
    """How long experiments may take: what is left of a budget, or as long as is useful."""
    budget = bundle.plan.search.budget
    if wanted or bundle.verdict is None:
        return LONGEST_S
    if budget is None:
        return SHORTEST_S if bundle.plan.search.quick else LONGEST_S
    return min(seconds(budget) - bundle.verdict.cost.seconds, LONGEST_S)
