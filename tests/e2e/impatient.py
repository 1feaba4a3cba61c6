"""Workloads of the library with users who do not wait for long, for servers that never answer."""

import re
from importlib import resources
from pathlib import Path


def impatient(workload: str, folder: Path, step_timeout: str) -> str:
    """The file of a workload whose users wait no longer than so for a step or a connection.

    A server that has fallen silent is asked for no longer either whether it is there.
    """
    text = (resources.files("headcount.workloads") / f"{workload}.toml").read_text("utf-8")
    text = re.sub(r"(?m)^step_timeout = .*\n", "", text)
    before, run, after = text.partition("\n[run]\n")
    assert run, f"{workload} has no [run]"
    path = folder / f"{workload}.toml"
    path.write_text(f'{before}{run}step_timeout = "{step_timeout}"\n{after}', "utf-8")
    return str(path)
