"""Journals of earlier tunings of a machine: what they left changed, and how that is undone."""

import posixpath
import secrets as random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.journal import DONE, GUARD, KEPT, RESTORE_S, SCRIPT

BY_HAND = "by-hand"
"""Argument of the script if a person reads what it prints."""
FOLDER = """
if [ -n "$XDG_STATE_HOME" ]; then base=$XDG_STATE_HOME
elif [ "$(id -u)" = 0 ]; then base=/var/lib
else base=$HOME/.local/state; fi
printf '%s\\n' "$base/headcount"
"""
# The pattern comes from a pipe: in a command line, `grep` would find itself.
LIST = f"""
for one in "$1"/*/; do
    one=${{one%/}}
    [ -e "$one/{SCRIPT}" ] || continue
    kept=0 done=0 guarded=0
    [ -e "$one/{KEPT}" ] && kept=1
    [ -e "$one/{DONE}" ] && done=1
    printf %s "$one/{GUARD}" | grep -qsaFf - /proc/[0-9]*/cmdline && guarded=1
    printf '%s %s %s %s\\n' $kept $done $guarded "$one"
done
"""


@dataclass(frozen=True)
class Left:
    """A journal.

    Attributes:
        folder: Where it is.
        is_kept: Whether its changes were to stay.
        is_guarded: Whether its tuning is under way, or its guard is about to undo it.

    """

    folder: str
    is_kept: bool
    is_guarded: bool


def journals_folder(host: Host, kind: str = "tune") -> str:
    """Where journals are: a folder of this user's that outlives a restart of the machine.

    `kind` is the command that keeps them.
    """
    ended = host.run(["sh", "-c", FOLDER])
    if ended.code != 0:
        raise InputError(f"{host.name}: no folder for what was there before: {ended.output}")
    return posixpath.join(ended.output.rstrip("\n"), kind)


def new_folder_of_journal(host: Host) -> str:
    """The folder of a journal that begins now; raises InputError if another is not undone.

    Another tuning may have begun since the last check: a search takes minutes.
    """
    check_nothing_left(host)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    return f"{journals_folder(host)}/{stamp}-{random.token_hex(3)}"


def left(host: Host, kind: str = "tune") -> Sequence[Left]:
    """Journals whose changes are not undone, the newest first."""
    ended = host.run(["sh", "-c", LIST, "sh", journals_folder(host, kind)])
    found = []
    for line in ended.output.splitlines():
        kept, done, guarded, folder = line.split(" ", 3)
        if kept == "1" or done == "0":
            found.append(Left(folder, kept == "1", guarded == "1"))
    return sorted(found, key=lambda one: one.folder, reverse=True)


def check_nothing_left(host: Host) -> None:
    """Raise InputError if an interrupted tuning has left changes behind."""
    for one in left(host):
        if one.is_kept:
            continue
        if one.is_guarded:
            raise _under_way(host, one)
        raise InputError(
            f"an earlier tuning of {host.name} was cut off and its changes are still there; undo "
            f"them first: headcount tune --restore{host.login}"
        )


def to_undo(host: Host) -> Sequence[Left]:
    """Journals to undo, the newest first; raises InputError if a tuning is under way."""
    found = left(host)
    for one in found:
        if one.is_guarded and not one.is_kept:
            raise _under_way(host, one)
    return found


def _under_way(host: Host, one: Left) -> InputError:
    return InputError(
        f"another tuning is under way on {host.name}, or has just been cut off; wait until it has "
        f"ended: {one.folder}"
    )


def restore(host: Host, one: Left, noted: Callable[[str], None] = lambda _: None) -> str | None:
    """Undo what a tuning has changed; returns what could not be, if anything.

    What somebody else has changed is named once. What fails is there to be undone again. `noted`
    takes what is left to do by hand.
    """
    kept, done = (posixpath.join(one.folder, name) for name in (KEPT, DONE))
    host.run(["rm", "-f", done])
    ended = host.run(["sh", posixpath.join(one.folder, SCRIPT), BY_HAND], RESTORE_S)
    if host.read(done) is not None:
        host.run(["rm", "-f", kept])
    if ended.code != 0:
        return ended.output.strip()
    for line in ended.output.splitlines():
        noted(line)
    return None
