"""Bundles whose files were changed, which may explain an unexpected error."""

from collections.abc import Sequence
from pathlib import Path

from headcount.cli.outputs import bundle_folder
from headcount.errors import HeadcountError

CHECKS = ("files", "readable", "totals", "figures", "table")
"""Checks of an audit that fail where a file was altered; others fail on a busy machine, too."""


def damaged_bundle(arguments: Sequence[str]) -> Path | None:
    """The first altered bundle on a command line; None if none was altered."""
    for argument in arguments:
        folder = _folder(argument)
        if folder is not None and _is_altered(folder):
            return folder
    return None


def _folder(argument: str) -> Path | None:
    try:
        folder = bundle_folder(Path(argument.rpartition("=")[2]))
        return folder if (folder / "plan.toml").is_file() else None
    except OSError:  # a name that is too long
        return None


def _is_altered(folder: Path) -> bool:
    from headcount.cli.audit import audited

    try:
        found = audited(folder)
    except HeadcountError:
        return True
    return any(one.outcome == "failed" and one.check in CHECKS for one in found.results)
