"""Whether a run could have control groups here: makes one as a run does, and removes it."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from headcount.lab.squeeze import group, hierarchy
from headcount.lab.squeeze.files import put
from headcount.lab.squeeze.group import up_to
from headcount.lab.squeeze.hierarchy import Hierarchies
from headcount.lab.squeeze.v2 import SUBTREE


def group_version(needed: frozenset[str], where: Hierarchies | None = None) -> int:
    """The version of control groups that enforces limits of these controllers (version 2's names).

    Raises SystemLimitError that says why a run could not have such a group. Nothing is left of it.
    """
    found = where or hierarchy.find()
    with _restored(found):
        made = group.make("doctor", found, needed)
        made.remove()
    return made.version


@contextlib.contextmanager
def _restored(where: Hierarchies) -> Iterator[None]:
    """Restore which controllers groups of version 2 delegate."""
    if where.v2 is None or where.v2_root is None:
        yield
        return
    before = {folder: _handed_on(folder) for folder in up_to(where.v2, where.v2_root)}
    try:
        yield
    finally:
        for folder, controllers in before.items():
            for controller in sorted(_handed_on(folder) - controllers):
                with contextlib.suppress(OSError):  # another program uses it by now
                    put(folder / SUBTREE, f"-{controller}")


def _handed_on(folder: Path) -> set[str]:
    try:
        return set((folder / SUBTREE).read_text("ascii").split())
    except OSError:
        return set()
