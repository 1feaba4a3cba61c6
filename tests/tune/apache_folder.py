"""Folders with a configuration of Apache, and servers that would have been started with them."""

import os
from collections.abc import Mapping
from pathlib import Path

from headcount.lab import apache_files, web_settings
from headcount.lab.apache import program
from headcount.lab.setting import complete
from headcount.tune.host import ThisHost
from headcount.tune.servers.apache import Apache
from headcount.tune.servers.server import Running

HOST = ThisHost()
MODULES = apache_files.modules(program())


def environment(folder: Path) -> Mapping[str, str]:
    """The variables of Debian's envvars, and one that no command line may show."""
    return {
        "APACHE_RUN_DIR": str(folder),
        "APACHE_PID_FILE": str(folder / "pid"),
        "APACHE_RUN_USER": "nobody",
        "APACHE_RUN_GROUP": "nogroup",
        "APACHE_LOG_DIR": str(folder),
        "PATH": os.environ["PATH"],
        "SECRET": "hidden",
    }


def apache_of(
    folder: Path, *options: str, file: str | None = None, given: Mapping[str, str] | None = None
) -> Apache:
    """A server that would have been started with a folder."""
    words = [program(), "-d", str(folder), *(("-f", file) if file else ()), *options]
    found = Apache(HOST, Running(os.getpid(), 0, words, "/", given or environment(folder)))
    found._program = program()  # the process is not Apache's
    return found


def plain(folder: Path, mpm: str = "event", workers: str = "400") -> str:
    """The lab's configuration."""
    settings = complete("apache", web_settings.APACHE, {"mpm": mpm, "workers": workers})
    (folder / "run").mkdir(exist_ok=True)
    (folder / "pages").mkdir(exist_ok=True)
    return apache_files.configuration(folder, 48123, settings, MODULES)
