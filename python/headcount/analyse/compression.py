"""How much faster than life a run was played: it changes what a user stands for."""

from headcount.plan.plan import Plan


def compression_doubt(plan: Plan) -> str | None:
    """Say how much faster pauses passed, as a flag does; None where they passed as in life."""
    faster = plan.workload.run.compress
    if faster == 1:
        return None
    text = f"{faster:g}"
    return (
        f"played {text} times faster than life: every pause was divided by {text}, so a user here "
        f"asks for up to {text} times as much as a person would"
    )
