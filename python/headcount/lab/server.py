"""The seam of the lab: a real server that Headcount starts, points at, and stops."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from headcount.errors import InputError


class Server(Protocol):
    """A lab server, running.

    Attributes:
        address: Where it listens, as `ip:port`; of files, their folder.
        home: The folder of its data.
        logs: What it writes about itself, by the program that does.
        pids: The processes at the root of its tree, for the counters; none where the kernel serves.
        programs: Program and version, for the disclosure.
        settings: How it was configured, for the disclosure.

    """

    address: str
    home: Path
    logs: Mapping[str, Path]
    pids: list[int]
    programs: Mapping[str, str]
    settings: Mapping[str, str]

    def stop(self) -> None:
        """End it and delete what it stored; safe to call twice."""
        ...


def start(name: str, settings: Mapping[str, str]) -> Server:
    """Start the lab's server `name` on a free loopback port.

    Raises InputError for settings it does not have, SystemLimitError when it cannot run here.
    """
    from headcount.lab.apache import ApacheServer
    from headcount.lab.app import AppServer
    from headcount.lab.files import FilesServer
    from headcount.lab.mail import MailServer
    from headcount.lab.nginx import NginxServer
    from headcount.lab.postgresql import PostgresqlServer
    from headcount.lab.samba import SambaServer

    known: Mapping[str, Callable[[Mapping[str, str]], Server]] = {
        "app": AppServer,
        "samba": SambaServer,
        "apache": ApacheServer,
        "nginx": NginxServer,
        "files": FilesServer,
        "mail": MailServer,
        "postgresql": PostgresqlServer,
    }
    if name not in known:
        raise InputError(f'the lab has no server "{name}"; it has: {", ".join(known)}')
    return known[name](settings)


def check_settings(name: str, settings: Mapping[str, str]) -> None:
    """Raise InputError for settings that the lab's server `name` does not have; starts nothing."""
    from headcount.lab import (
        app,
        files,
        mail_settings,
        postgresql_settings,
        samba_settings,
        setting,
        web_settings,
    )

    known = {
        "apache": web_settings.APACHE,
        "nginx": web_settings.NGINX,
        "mail": mail_settings.MAIL,
        "postgresql": postgresql_settings.POSTGRESQL,
    }
    if name == "app":
        for key, value in settings.items():
            app.check(key, value)
    elif name == "samba":
        samba_settings.complete(settings)
    elif name == "files":
        files.check(settings)
    else:
        setting.complete(name, known[name], settings)
