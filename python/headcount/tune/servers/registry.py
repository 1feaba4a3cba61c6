"""The kinds of servers that can be tuned, and which of them runs."""

import posixpath
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from headcount.errors import InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.servers import (
    apache,
    dovecot,
    gunicorn,
    nginx,
    php_fpm,
    postfix,
    postgresql,
    redis,
    samba,
)
from headcount.tune.servers.server import Running, Server, executable, read_process

KINDS: Mapping[str, Callable[[Host, Running], Server]] = {
    **dict.fromkeys(nginx.NAMES, nginx.Nginx),
    **dict.fromkeys(apache.NAMES, apache.Apache),
    **dict.fromkeys(samba.NAMES, samba.Samba),
    **dict.fromkeys(dovecot.NAMES, dovecot.Dovecot),
    **dict.fromkeys(postfix.NAMES, postfix.Postfix),
    **dict.fromkeys(postgresql.NAMES, postgresql.Postgresql),
    **dict.fromkeys(redis.NAMES, redis.Redis),
    php_fpm.NAME: php_fpm.PhpFpm,
    gunicorn.NAME: gunicorn.Gunicorn,
}
"""By the name of the running program."""


def _kind(host: Host, pid: int, program: str) -> str:
    """The kind of server that a program is; the program's name if it is none."""
    if gunicorn.is_python(program) and gunicorn.is_gunicorn(host, pid):
        return gunicorn.NAME
    return php_fpm.kind_of(program)


def find(host: Host, pids: Iterable[int]) -> Server:
    """The first server that processes belong to; raises InputError if none can be tuned."""
    return find_all(host, pids)[0]


def find_all(host: Host, pids: Iterable[int]) -> Sequence[Server]:
    """The servers that processes belong to, each once, in the order of the processes.

    Raises InputError where none can be tuned.
    """
    seen: list[str] = []
    found: dict[str, Server] = {}  # by their programs: one process of each is enough
    for pid in pids:
        program = _kind(host, pid, posixpath.basename(executable(host, pid)))
        if program in KINDS and program not in found:
            with suppress(TargetError):
                found[program] = KINDS[program](host, read_process(host, pid))
        seen.append(program)
    if found:
        return [*found.values()]
    known = ", ".join(sorted({*KINDS}))
    raise InputError(
        f"found no server that can be tuned: programs seen: "
        f"{', '.join(filter(None, seen)) or 'none'}; programs that can be tuned: {known}"
    )
