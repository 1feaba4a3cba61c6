"""What protocols that reach files have in common: the folders of users, names of shares."""

from typing import Annotated

from pydantic import AfterValidator

from headcount.fields.mistakes import as_mistake
from headcount.fields.pattern import check_folder
from headcount.protocols.library import Library
from headcount.protocols.program import Program
from headcount.protocols.protocol import Table
from headcount.protocols.tree import Tree

FAMILY = "files"
"""They play the same steps on the same [tree], so a workload of one runs on the others' targets."""
TABLES = {
    "tree": Table(Tree, "Folders and files"),
    "library": Table(Library, "Files that all users read and upload"),
    "program": Table(Program, "Operations that users play in order instead of drawing scenarios"),
}
NEEDED = (frozenset({"tree", "library"}),)


def _folder(text: str) -> str:
    with as_mistake():
        check_folder(text)
    return text


Folder = Annotated[str, AfterValidator(_folder)]
"""Each user's folder, inside a folder that only Headcount uses."""
