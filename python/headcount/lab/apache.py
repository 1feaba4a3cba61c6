"""`lab:apache`: a real Apache httpd of this machine, on a loopback port, with CGI programs.

Apache refuses to serve as root. For root it runs in a user namespace (user_namespaces(7)) in which
it is nobody, and still the owner of its files; as Debian ships it, it serves as www-data.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from headcount.errors import InputError, MachineLimitError, SystemLimitError
from headcount.lab import apache_files, setting, web_settings
from headcount.lab.installed import NotInstalledError, Packages, command_output, find
from headcount.lab.stock import apache as stock_apache
from headcount.lab.web import CONFIGURATION, WebServer

PACKAGES = Packages("apache2-bin", "httpd")
NOBODY = ["--user", "--map-user=65534", "--map-group=65534"]
"""nobody and nogroup on Debian; any number but root's would do."""
LONGEST = 85
"""Longest path of a folder in which a socket's path, with the daemon's process id, still fits
(unix(7): 107 characters)."""


SHELL = '. "$0" && exec "$@"'
"""Starts a program with the variables of a file, as Debian's apachectl does."""


class ApacheServer(WebServer):
    """Apache httpd in the lab, running."""

    name = "apache"
    stock = stock_apache.STOCK
    stock_log = stock_apache.LOG
    stock_status = stock_apache.STATUS

    @staticmethod
    def check_settings(settings: Mapping[str, str]) -> None:
        """Raise InputError for settings that it does not have; starts nothing."""
        setting.complete("apache", web_settings.APACHE, settings)

    def __init__(self, settings: Mapping[str, str]) -> None:
        """Start it; raises InputError for settings it does not have, else SystemLimitError."""
        complete = setting.complete(self.name, web_settings.APACHE, settings)
        if complete.get("http2") == "on" and complete["mpm"] == "prefork":
            raise InputError("Apache speaks HTTP/2 with mpm = event only; leave out one of them")
        self._program = program()
        is_stock = complete["profile"] == setting.STOCK
        self._around = namespace_command() if os.geteuid() == 0 and not is_stock else []
        version = re.search(r"Apache/(\S+)", command_output([self._program, "-v"]))
        self._modules = apache_files.modules(self._program)
        super().__init__(complete, {"apache": version[1] if version else "unknown"})

    def place(self, alias: Path) -> Path:
        """The home itself if Apache runs for root: its namespace cannot use the alias."""
        if not self._around or alias == self.home:
            return alias
        if len(str(self.home)) > LONGEST or not apache_files.PLAIN.fullmatch(str(self.home)):
            raise SystemLimitError(
                f"lab:apache cannot keep its files in {self.home}: the path is too long, or not "
                "of plain letters; choose another folder: "
                "XDG_CACHE_HOME=/some/folder headcount run ..."
            )
        return self.home

    def configuration(self, place: Path, number: int) -> str:
        """One server, one folder, the CGI program in it, and its own figures."""
        return apache_files.configuration(place, number, self.settings, self._modules)

    @property
    def most(self) -> Mapping[str, int]:
        """How many requests it serves at a time."""
        if self.is_stock:
            text = (self.home / CONFIGURATION / stock_apache.MPM).read_text("utf-8")
            found = re.search(r"^\s*MaxRequestWorkers\s+([0-9]+)", text, re.MULTILINE)
            return {"workers": int(found[1])} if found else {}
        return {"workers": apache_files.most_workers(self.settings)}

    def command(self, place: Path) -> list[str]:
        """In the foreground, all of its files in the home."""
        if self.is_stock:
            etc = place / CONFIGURATION
            environment = ["sh", "-c", SHELL, str(etc / stock_apache.ENVIRONMENT)]
            return [*environment, self._program, "-d", str(etc), "-DFOREGROUND"]
        where = ["-d", str(place), "-f", str(place / "configuration")]
        return [*self._around, self._program, *where, "-DFOREGROUND"]


def program() -> str:
    """The path of Apache, by Debian's name or by its own; raises NotInstalledError."""
    advice = PACKAGES.advice("lab:apache needs Apache")
    try:
        return find("apache2", advice)
    except NotInstalledError:
        return find("httpd", advice)


def namespace_command() -> list[str]:
    """The prefix of the command of root's Apache; raises SystemLimitError if it does not work."""
    unshare = find("unshare", "lab:apache needs unshare of util-linux when it is run by root")
    try:
        command_output([unshare, *NOBODY, "true"])
    except SystemLimitError as error:
        raise MachineLimitError(
            "Apache refuses to serve as root, and this system allows no user namespace to serve "
            f"as nobody in ({error}); run lab:apache as another user than root"
        ) from error
    return [unshare, *NOBODY, "--"]
