"""Writing to the files of control groups, with errors that say what to do."""

import errno
import os
from pathlib import Path

from headcount.errors import MachineLimitError

ADVICE = {
    errno.EACCES: "run as root, or in a group that is delegated to you: systemd-run --user --scope "
    "-p Delegate=yes headcount run ...",
    errno.EPERM: "run as root",
    errno.EROFS: "the file system of control groups is mounted read-only, as in a container that "
    "may not create groups; start it with --privileged, or run on the machine itself",
    errno.ENOENT: "this system does not offer the controller; see /proc/cgroups",
    errno.EBUSY: "the group has processes of its own and cannot pass on its controllers (start "
    "Headcount in a group below it), or its processes use more memory than the limit",
}
"""What to do about an error of the system."""


def refusal(what: str, error: OSError) -> MachineLimitError:
    """The user's error for one of the system: what was not possible, and what to do."""
    advice = ADVICE.get(error.errno or 0)
    where = f" ({error.filename})" if error.filename else ""
    return MachineLimitError(
        f"cannot {what}{where}: {error.strerror}" + (f"; {advice}" if advice else "")
    )


def put(path: Path, text: str) -> None:
    """Write a value to a file of a control group that must be there; raises OSError."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)  # without O_CREAT
        try:
            os.write(handle, text.encode("ascii"))
        finally:
            os.close(handle)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error


def numbers(path: Path) -> list[int]:
    """The whole numbers in a file, one a line; raises OSError."""
    return [int(line) for line in path.read_text("ascii").split()]
