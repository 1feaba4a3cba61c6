"""Postfix: parameters in main.cf, numbers of processes in master.cf, read again on a reload."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import absolute, program, real_path, with_block
from headcount.tune.servers.postfix_text import parameters, services, with_limits, with_parameters
from headcount.tune.servers.server import Running, Setting, as_bytes, option, text_of

NAMES = ("master",)
"""Programs that are this server: the first process; services have names of their own."""
MAXPROC = " maxproc"
"""Suffix of knobs that are a column of master.cf: `smtpd maxproc` is for all that run smtpd."""
LIMIT = "default_process_limit"
"""What `-` in that column stands for."""
_NOISE = re.compile(r"^\S*post\S+ (?:warning|error|fatal|info): ")
"""How messages begin that postconf prints among values."""


class Postfix:
    """A running Postfix."""

    name = "postfix"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises TargetError where it is another program's `master`."""
        self._host = host
        self.running = running
        daemons = posixpath.dirname(host.run(["readlink", f"/proc/{running.pid}/exe"]).output)
        if host.run(["test", "-e", f"{daemons}/qmgr"]).code != 0:
            raise TargetError(f"process {running.pid} is not the first of a Postfix")
        self._asked_before: dict[str, str] = {}
        # More than a signal: it has postsuper move messages to where queues are now.
        self.reload_command: Sequence[str] = (
            program(host, "postfix"),
            "-c",
            self._folder,
            "reload",
        )

    @cached_property
    def _folder(self) -> str:
        """Where main.cf and master.cf are."""
        given = option(self.running.command[1:], "-c")
        given = given or self.running.environment.get("MAIL_CONFIG")
        if given is None:
            return self._asked("-d", "-h", "config_directory", folder=None)
        return absolute(given, self.running.directory)

    @cached_property
    def _postconf(self) -> str:
        return program(self._host, "postconf")

    def _asked(self, *options: str, folder: str | None) -> str:
        where = () if folder is None else ("-c", folder)
        ended = self._host.run([self._postconf, *where, *options])
        lines = ended.output.splitlines()
        if ended.code != 0:
            raise InputError(f"Postfix refuses its configuration: {_objection(lines)}")
        return " ".join(line for line in lines if not _NOISE.match(line)).strip()

    def _value(self, name: str) -> str:
        """The value of a parameter of main.cf, with references to other parameters expanded."""
        if name not in self._asked_before:
            self._asked_before[name] = self._asked("-x", "-h", name, folder=self._folder)
        return self._asked_before[name]

    @cached_property
    def _main(self) -> str:
        return real_path(self._host, posixpath.join(self._folder, "main.cf"))

    @cached_property
    def _master(self) -> str:
        return real_path(self._host, posixpath.join(self._folder, "master.cf"))

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Both files as first read."""
        return {path: text_of(self._host, path) for path in (self._main, self._master)}

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        if knob.name.endswith(MAXPROC):
            return self._limit(knob.name.removesuffix(MAXPROC))
        is_set = knob.name in parameters(self._texts[self._main])
        value = self._value(knob.name)
        if knob.unit and (found := re.fullmatch(rf"([0-9]+){re.escape(knob.unit)}", value)):
            value = found[1]
        return Setting(value, is_set, self._main if is_set else None)

    def _limit(self, command: str) -> Setting:
        """The most processes of the first service that runs a command."""
        found = next(services(self._texts[self._master], command), None)
        if found is None:
            return Setting(None, is_set=False)
        if found.text == "-":
            return Setting(self._value(LIMIT), is_set=False)
        return Setting(found.text, True, self._master)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: in place, or at the end of main.cf.

        Raises InputError for the processes of a service that Postfix does not run.
        """
        values: dict[str, str] = {}
        limits: dict[str, str] = {}
        for knob, value in changes.items():
            if knob.name.endswith(MAXPROC):
                limits[knob.name.removesuffix(MAXPROC)] = value
            else:
                values[knob.name] = knob.written(value)
        master = self._texts[self._master]
        for name in limits:
            if next(services(master, name), None) is None:
                raise InputError(f"{self._master} has no service that runs {name}")
        files: dict[str, bytes] = {}
        if values:
            text, lines = with_parameters(self._texts[self._main], values)
            files[self._main] = as_bytes(with_block(text, lines))
        if limits:
            files[self._master] = as_bytes(with_limits(master, limits))
        return files

    def test(self) -> str | None:
        """`postfix check`; without the rights for that, whether postconf can read it."""
        try:
            self._asked("-n", folder=self._folder)
            self._asked("-M", folder=self._folder)
        except InputError as error:
            return str(error)
        if self._host.run(["id", "-u"]).output.strip() != "0":
            return None
        command = program(self._host, "postfix")
        ended = self._host.run([command, "-c", self._folder, "check"])
        if ended.code == 0:
            return None
        return f"Postfix refuses its configuration: {_objection(ended.output.splitlines())}"


def _objection(lines: list[str]) -> str:
    fatal = [line for line in lines if "fatal: " in line or "error: " in line]
    found = [_NOISE.sub("", line) for line in fatal or lines[-1:]]
    return "; ".join(found) or "its log says why"
