"""Gunicorn: lines of its configuration file, read again on SIGHUP, with new workers."""

import json
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import absolute, real_path, with_block
from headcount.tune.servers.gunicorn_probe import AS_IT, CLASS, SETTINGS
from headcount.tune.servers.server import (
    COMMAND_LINE,
    ENVIRONMENT,
    Running,
    Setting,
    as_bytes,
    executable,
    option,
    read_process,
    signalled,
    text_of,
)

NAME = "gunicorn"
USUAL = "gunicorn.conf.py"
"""The file that it reads by default, in the folder that it is started in."""
_PROGRAMS = ("gunicorn", "gunicorn3")
_MODULES = ("gunicorn", "gunicorn.app.wsgiapp")
_PYTHON = re.compile(r"(?:python|pypy)[0-9.]*")
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")
"""Options of Python that take an argument."""
_TITLE = "gunicorn: "
"""How its title begins if the package setproctitle is installed."""
THREADED = ("sync", "gthread")
"""Worker classes that can have threads; with threads, Gunicorn runs the second for the first."""
_PLAIN = re.compile(r"-?[0-9]+|True|False|None")
_ERROR = re.compile(r"[\w.]*(?:Error|Exception|Exit): ")
_NOTHING_SAID = "it does not say why"


def arguments(command: Sequence[str]) -> Sequence[str] | None:
    """The arguments after `gunicorn` in a command line; None if it is not a Gunicorn's."""
    if not command or not is_python(posixpath.basename(command[0])):
        named = command and posixpath.basename(command[0]) in _PROGRAMS
        return command[1:] if named else None
    at = 1
    while at < len(command) and command[at].startswith("-"):
        if command[at] == "-m":
            is_it = command[at + 1 : at + 2] and command[at + 1] in _MODULES
            return command[at + 2 :] if is_it else None
        at += 2 if command[at] in _WITH_VALUE else 1
    script = posixpath.basename(command[at]) if at < len(command) else ""
    return command[at + 1 :] if script in _PROGRAMS else None


def is_python(program: str) -> bool:
    """Whether a program is a Python."""
    return _PYTHON.fullmatch(program) is not None


def is_gunicorn(host: Host, pid: int) -> bool:
    """Whether a process of Python is one, by its command line."""
    words = (host.read(f"/proc/{pid}/cmdline") or b"").decode(errors="replace").split("\0")
    return words[0].startswith(_TITLE) or arguments(words) is not None


class Gunicorn:
    """A running Gunicorn."""

    name = NAME

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises InputError if that cannot be seen."""
        self._host = host
        self.running = _first(host, running)
        given = arguments(self.running.command)
        if given is None:
            raise InputError(
                f"Gunicorn (process {self.running.pid}) does not show how it was started: the "
                "package setproctitle has replaced its command line; remove that package"
            )
        self._given = [one for one in given if one]
        command = self.running.command
        self._python = command[0] if is_python(posixpath.basename(command[0])) else "python3"

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGHUP makes it read its file again, and replace its workers."""
        return signalled(self.running)

    @property
    def _folder(self) -> str:
        """The folder that it was started in, from which it finds its files."""
        extra = self.running.environment.get("GUNICORN_CMD_ARGS", "")
        moves = any("--chdir" in one for one in (*self._given, extra))
        here = self.running.directory or "/"
        return self.running.environment.get("PWD", here) if moves else here

    def _as_it(self, *command: str) -> Sequence[str]:
        """A command that runs with its environment, user and folder."""
        children = self._host.read(f"/proc/{self.running.pid}/task/{self.running.pid}/children")
        worker = (children or b"").decode().split()[:1] or [str(self.running.pid)]
        named = option(self._given, "-c") or option(self._given, "--config") or USUAL
        needed = absolute(named, self._folder)
        who = (str(self.running.pid), *worker, self._folder, needed)
        # Its own name for its Python may only be found in its folder, or in its search path.
        python = executable(self._host, self.running.pid) or self._python
        return [python, "-c", AS_IT, *who, *command]

    @cached_property
    def _found(self) -> Mapping[str, Any]:
        """Its settings as of the first call."""
        ended = self._host.run(self._as_it(self._python, "-c", SETTINGS, *self._given))
        try:
            found: Mapping[str, Any] = json.loads(ended.output.strip().rpartition("\n")[2])
        except ValueError as error:
            why = _last(ended.output) or _NOTHING_SAID
            raise InputError(f"Gunicorn does not understand how it was started: {why}") from error
        return found

    @cached_property
    def _path(self) -> str:
        """Its configuration file; the default one need not exist."""
        line, environment = self._found["line"], self._found["environment"]
        named: str = line.get("config") or environment.get("config") or USUAL
        if named.startswith("python:"):
            raise InputError(
                f"Gunicorn's configuration is a module ({named}), which Headcount does not change; "
                "start it with --config FILE"
            )
        return real_path(self._host, absolute(named.removeprefix("file:"), self._folder))

    @cached_property
    def _text(self) -> str:
        named = {*self._found["line"], *self._found["environment"]}
        if "config" in named:
            return text_of(self._host, self._path)
        return (self._host.read(self._path) or b"").decode("utf-8", "surrogateescape")

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        values: Mapping[str, str] = self._found["values"]
        value = values.get(knob.name)
        if value is None or (knob.name == "threads" and values.get("worker_class") not in THREADED):
            return Setting(None, is_set=False)
        if knob.name in self._found["line"]:
            return Setting(value, True, COMMAND_LINE)
        if knob.name in self._found["environment"]:
            return Setting(value, True, ENVIRONMENT)
        if value == knob.default:
            return Setting(value, is_set=False)
        environment = self.running.environment
        concurrency = "WEB_CONCURRENCY"
        is_from_there = knob.name == "workers" and environment.get(concurrency) == value
        return Setting(value, True, concurrency if is_from_there else self._path)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The file with the changes at its end, where they count."""
        if not changes:
            return {}
        lines = [f"{knob.name} = {_python_value(value)}" for knob, value in changes.items()]
        return {self._path: as_bytes(with_block(self._text, lines))}

    def test(self) -> str | None:
        """`gunicorn --check-config`, which loads the application, too."""
        for words in (
            ("-m", NAME, *self._given, "--check-config"),
            ("-c", CLASS, *self._given),
        ):
            ended = self._host.run(self._as_it(self._python, *words))
            if ended.code != 0:
                return _last(ended.output) or f"exit code {ended.code}"
        return None


def _first(host: Host, running: Running) -> Running:
    """The first process of a Gunicorn, given one that may be a worker."""
    while True:
        stat = host.read(f"/proc/{running.pid}/stat") or b") S 0"
        parent = int(stat[stat.rindex(b")") + 2 :].split()[1])
        if not parent or not is_gunicorn(host, parent):
            return running
        running = read_process(host, parent)


def _python_value(value: str) -> str:
    """A value as a Python literal."""
    return value if _PLAIN.fullmatch(value) else repr(value)


def _last(output: str) -> str:
    """The exception that ended a Python program, or its last line of output."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR.match(line)]
    return (errors or lines or [""])[-1]
