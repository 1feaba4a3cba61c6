"""How far a run's data set was shrunk: a small one may be answered from memory."""

from headcount.fields.units import size_bytes
from headcount.plan.plan import Plan
from headcount.text import count, memory, share, storage


def scaling_doubt(plan: Plan) -> str | None:
    """Say how far the data set was shrunk, as a flag does; None where it was not."""
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
