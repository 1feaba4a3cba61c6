"""The account of servers that refuse root, or that root should not run."""

import grp
import os
import pwd
from pathlib import Path
from typing import NamedTuple

from headcount.errors import MachineLimitError

NOBODY = 65534
"""The account without rights, on every Linux."""


class Account(NamedTuple):
    """A user with their group."""

    user: str
    group: str
    uid: int
    gid: int

    def own(self, path: Path) -> None:
        """Give this account a file, or a folder with all that is in it; for root only."""
        if self.uid == os.geteuid():
            return
        for one in (path, *path.rglob("*")):
            os.chown(one, self.uid, self.gid)


def of_package(user: str, server: str) -> Account:
    """The user that a package makes if root runs this, else this user; raises SystemLimitError."""
    if os.geteuid() != 0:
        return unprivileged(server)
    try:
        found = pwd.getpwnam(user)
        return Account(user, grp.getgrgid(found.pw_gid).gr_name, found.pw_uid, found.pw_gid)
    except KeyError as error:
        raise MachineLimitError(
            f"{server} as Debian ships it needs the user {user}, which its package makes and this "
            "machine does not have; install the package again"
        ) from error


def unprivileged(server: str) -> Account:
    """`nobody` if root runs this, else this user; raises SystemLimitError if it has no name."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0:
        uid = NOBODY
    try:
        user = pwd.getpwuid(uid)
        gid = user.pw_gid if os.geteuid() == 0 else gid
        return Account(user.pw_name, grp.getgrgid(gid).gr_name, uid, gid)
    except KeyError as error:
        raise MachineLimitError(
            f"{server} runs only for users with a name, and user {uid} or group {gid} has none on "
            "this machine; run Headcount as a user of /etc/passwd"
        ) from error
