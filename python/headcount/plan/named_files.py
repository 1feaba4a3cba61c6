"""Whether the data set has the files that steps name."""

from collections.abc import Mapping
from typing import Any

from headcount.fields.mistakes import nearest
from headcount.protocols.library import Library

IN_LIBRARY = ("library", "upload")
IN_TREE = ("static", "volatile", "new", "shared", "shared-folder")
"""Names of files in steps, by the table that defines the files; the others need none."""


def check_named(
    options: Mapping[str, Any], library: Library | None, *, has_tree: bool
) -> str | None:
    """What is wrong with the names of files in a step's options; None if nothing is."""
    for option in options.values():
        if not isinstance(option, Mapping) or "file" not in option:
            continue
        file = option["file"]
        if file in IN_TREE and not has_tree:
            return f'it names a file of the group "{file}", and the workload has no [tree]'
        if file not in IN_LIBRARY:
            continue
        if library is None:
            return f'it names a file of the group "{file}", and the workload has no [library]'
        wrong = _wrong_class(option, library)
        if wrong:
            return wrong
    return None


def _wrong_class(option: Mapping[str, Any], library: Library) -> str | None:
    known = {each.name: each for each in library.classes}
    named = option.get("class", list(known))
    classes = [named] if isinstance(named, str) else named
    if not isinstance(classes, list) or not classes:
        return "class must be the name of a class of the [library], or a list of names"
    for name in classes:
        if name not in known:
            return (
                f'the [library] has no class "{name}"{nearest(str(name), list(known))} (it has: '
                f"{', '.join(known)})"
            )
    if option["file"] == "upload" and not any(known[name].uploads for name in classes):
        return f'no user uploads files of the class "{classes[0]}": give it uploads'
    return None
