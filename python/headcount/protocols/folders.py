"""What protocols that reach files have in common: the folders of users, names of shares."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator

from headcount.fields.mistakes import as_mistake
from headcount.fields.pattern import check_folder
from headcount.protocols.library import Library
from headcount.protocols.program import Program
from headcount.protocols.protocol import Table
from headcount.protocols.tree import Tree

FAMILY = "files"
"""Its protocols play the same steps on the same [tree]: workloads run on each other's targets."""
TABLES = {
    "tree": Table(Tree, "Folders and files"),
    "library": Table(Library, "Files that all users read and upload"),
    "program": Table(Program, "Operations that users play in order instead of drawing scenarios"),
}
NEEDED = (frozenset({"tree", "library"}),)


def is_own_step(options: Mapping[str, Any]) -> bool:
    """Whether a step needs no file of the data set: each path in it is the workload's own."""
    named = (one["file"] for one in options.values() if isinstance(one, Mapping) and "file" in one)
    return options["op"] != "turn" and all(file == "same" for file in named)


def _folder(text: str) -> str:
    with as_mistake():
        check_folder(text)
    return text


Folder = Annotated[str, AfterValidator(_folder)]
"""Each user's folder, inside a folder that only Headcount uses."""
