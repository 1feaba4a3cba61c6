"""`--loadfile`: a load file of dbench, read before the run."""

import json
import os
from pathlib import Path

from headcount import _engine
from headcount.errors import InputError
from headcount.protocols.program import LoadFile, Program, sha256_of
from headcount.protocols.tree import Tree


def load_file(path: Path, *, ignore_times: bool) -> LoadFile:
    """The parsed load file; raises InputError that names the line it cannot read."""
    # Path.expanduser raises for a user who does not exist.
    path = Path(os.path.expanduser(path)).absolute()  # noqa: PTH111
    if not path.is_file():
        raise InputError(
            f"there is no load file {path}; Debian's package dbench has one: "
            "/usr/share/dbench/client.txt"
        )
    program = Program(
        kind="load-file", path=str(path), sha256=sha256_of(str(path)), ignore_times=ignore_times
    )
    facts = _engine.program_facts(json.dumps(program.engine_form()), json.dumps(NO_TREE))
    return LoadFile(program=program, operations=json.loads(facts)["operations"])


NO_TREE = Tree(
    folders=1,
    static_files=1,
    volatile_files=1,
    new_files=1,
    shared_files=1,
    median_size=4096,
    sigma=0,
    most_size=4096,
).engine_form()
"""A load file makes its files itself."""
