"""The kinds of servers that can be tuned, and which of them runs."""

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from headcount.errors import InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.servers import (
    apache,
    dovecot,
    nginx,
    php_fpm,
    postfix,
    postgresql,
    redis,
    samba,
)
from headcount.tune.servers.server import Running, Server, read_process

KINDS: Mapping[str, Callable[[Host, Running], Server]] = {
    **dict.fromkeys(nginx.NAMES, nginx.Nginx),
    **dict.fromkeys(apache.NAMES, apache.Apache),
    **dict.fromkeys(samba.NAMES, samba.Samba),
    **dict.fromkeys(dovecot.NAMES, dovecot.Dovecot),
    **dict.fromkeys(postfix.NAMES, postfix.Postfix),
    **dict.fromkeys(postgresql.NAMES, postgresql.Postgresql),
    **dict.fromkeys(redis.NAMES, redis.Redis),
    php_fpm.NAME: php_fpm.PhpFpm,
}
"""By the name of the program that runs."""


def find(host: Host, pids: Iterable[int]) -> Server:
    """The first server that some processes are of; raises InputError where none can be tuned."""
    return find_all(host, pids)[0]


def find_all(host: Host, pids: Iterable[int]) -> Sequence[Server]:
    """The servers that some processes are of, each once, in the order of the processes.

    Raises InputError where none can be tuned.
    """
    seen: list[str] = []
    found: dict[str, Server] = {}  # by their programs: one process of each is enough
    for pid in pids:
        exe = host.run(["readlink", f"/proc/{pid}/exe"]).output.strip()
        program = php_fpm.kind_of(posixpath.basename(exe))
        if program in KINDS and program not in found:
            with suppress(TargetError):
                found[program] = KINDS[program](host, read_process(host, pid))
        seen.append(program)
    if found:
        return [*found.values()]
    known = ", ".join(sorted({*KINDS}))
    raise InputError(
        f"no server that can be tuned was found: these programs were seen: "
        f"{', '.join(filter(None, seen)) or 'none'}; these can be: {known}"
    )
