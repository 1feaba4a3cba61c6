"""Workloads of the library with values of `[run]` that no option of `run` can change."""

import re
from importlib import resources
from pathlib import Path


def altered(workload: str, folder: Path, **run: str) -> str:
    """The file of a workload with other values of keys of its `[run]`.

    With a short `step_timeout` a server that never answers is soon given up.
    """
    text = (resources.files("headcount.workloads") / f"{workload}.toml").read_text("utf-8")
    before, heading, after = text.partition("\n[run]\n")
    assert heading, f"{workload} has no [run]"
    for key in run:
        after = re.sub(rf"(?m)\A((?:\w+ = .*\n)*){key} = .*\n", r"\1", after)
    lines = "".join(f'{key} = "{value}"\n' for key, value in run.items())
    path = folder / f"{workload}.toml"
    path.write_text(f"{before}{heading}{lines}{after}", "utf-8")
    return str(path)
