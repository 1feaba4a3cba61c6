"""What a run scaled down: its data set, and the pauses of its users."""

from headcount.fields.units import size_bytes
from headcount.plan.plan import Plan
from headcount.text import count, memory, share, storage


def scaling_doubt(plan: Plan) -> str | None:
    """How far the data set was scaled down, as a doubt; None if it was not.

    A small data set may be served from memory.
    """
    if plan.scale == 1:
        return None
    sentence = f"the data set was scaled to {share(plan.scale)} of the original"
    data, tree = plan.workload.data, plan.tree
    if data is not None:
        whole = memory(size_bytes(data.file_size))
        sentence += f": a file of {memory(plan.file_bytes)} for each user instead of {whole}"
    if tree is not None:
        files = count(tree.static_files + tree.volatile_files)
        sentence += f": {files} files, {storage(round(tree.user_bytes))} for each user"
    if plan.pages is not None:
        sentence += f": {plan.pages.text.partition(';')[0]}"
    return f"{sentence}; it may fit into the server's memory where the whole would not"


def compression_doubt(plan: Plan) -> str | None:
    """How much the pauses were shortened, as a doubt; None if they were not.

    Shorter pauses change what a user stands for.
    """
    faster = plan.workload.run.compress
    if faster == 1:
        return None
    text = f"{faster:g}"
    return (
        f"played {text} times faster than life: every pause was divided by {text}, so a user here "
        f"asks for up to {text} times as much as a person would"
    )
