"""What Headcount itself records about how a run was made, for the disclosure."""

from headcount.bundle.reader import Bundle
from headcount.plan.plan import Plan
from headcount.text import count, plural, span


def recorded_facts(bundle: Bundle) -> list[tuple[str, str]]:
    """Names and facts, in the order in which they are printed."""
    if bundle.tuning is not None:
        return [*_of_plan(bundle.plan), ("Turns", _turns(bundle))]
    return [*_of_plan(bundle.plan), ("Levels", _windows(bundle) or "none was finished")]


def _turns(bundle: Bundle) -> str:
    """The number of turns, and the lengths of their measured parts."""
    lengths = sorted({round(level.steady_s) for level in bundle.levels})
    measured = " to ".join(span(one) for one in dict.fromkeys([*lengths[:1], *lengths[-1:]]))
    return f"{count(len(bundle.levels))}, measured {measured}" if lengths else "none was finished"


def _of_plan(plan: Plan) -> list[tuple[str, str]]:
    run = plan.workload.run
    facts = [
        ("Workload", plan.workload.name),
        ("Workload file, SHA-256", plan.workload_sha256 or "not recorded"),
        ("Seed", str(plan.seed)),
        ("Workers of the load engine", count(plan.workers)),
        ("Pace", f"{plan.workload.pace.kind}, {plan.workload.pace.time.text}"),
        ("Faster than life", f"{run.compress:g} times" if run.compress != 1 else "no"),
        ("Scale of the data set", f"{plan.scale:g}"),
        ("Criteria", " ".join(plan.workload.criteria) + (f" ({plan.rule})" if plan.rule else "")),
    ]
    facts += [(f"Client: {key}", value) for key, value in sorted(plan.client.items())]
    return facts


def _windows(bundle: Bundle) -> str:
    """Ramp, settling and measured part of each level."""
    return "; ".join(
        f"{plural('user', level.users)}: ramp {span(level.ramp_s)}, settling "
        f"{span(level.settle_s)}, measured {span(level.steady_s)}"
        for level in bundle.levels
    )
