"""PostgreSQL: parameters in postgresql.conf, read again on SIGHUP.

What `ALTER SYSTEM` sets is in postgresql.auto.conf and wins over that, and the command line over
both. What `ALTER ROLE` and `ALTER DATABASE` set is in the database, and not seen from here.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import (
    Place,
    absolute,
    last_line,
    matching,
    read_text,
    real_path,
    with_block,
)
from headcount.tune.servers.postgresql_text import (
    INCLUDES,
    Assignment,
    assignments,
    quoted,
    replaced,
)
from headcount.tune.servers.server import (
    COMMAND_LINE,
    Running,
    Setting,
    as_bytes,
    executable,
    option,
    read_process,
    signalled,
    text_of,
)

NAMES = ("postgres",)
"""Programs that are this server."""
CHILD = re.compile(r"postgres: ")
"""How the titles of connection and helper processes begin."""
AUTO = "postgresql.auto.conf"
"""Where `ALTER SYSTEM` writes; it is read after everything else."""
SHORT = {
    "-B": "shared_buffers",
    "-N": "max_connections",
    "-S": "work_mem",
    "-F": "fsync",
    "-p": "port",
    "-h": "listen_addresses",
    "-k": "unix_socket_directories",
}
"""Options of one letter that are parameters (postgres(1))."""
PROBE = 1024
"""A value in a knob's unit that shows, read back, how large the program's own unit is."""
_LOGGED = re.compile(r".*\b(?:LOG|WARNING|NOTICE|HINT|DETAIL|ERROR|FATAL|CONTEXT):  ")


class Postgresql:
    """A running PostgreSQL."""

    name = "postgresql"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises TargetError where its first process has gone."""
        self._host = host
        self.running = first_process(host, running)
        self._program = program_of(host, self.running.pid)
        self._options = self._given()
        self._asked_before: dict[tuple[str, ...], str] = {}

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGHUP makes it read its files again."""
        return signalled(self.running)

    def _given(self) -> Sequence[str]:
        """Its options, with the data folder if that came from the environment, or was relative.

        The server has changed to its data folder since, so a relative path no longer works.
        """
        given = list(self.running.command[1:])
        folder = option(given, "-D")
        if folder is None:
            folder = self.running.environment.get("PGDATA", "")
            given = ["-D", folder or self.running.directory, *given]
        if folder and not folder.startswith("/"):
            place = next(at for at, word in enumerate(given) if word.startswith("-D"))
            given[place : place + (1 if len(given[place]) > 2 else 2)] = [
                *("-D", self.running.directory)
            ]
        return given

    def _asked(self, *options: str) -> str:
        """The program's value of a parameter; raises InputError with what it objects to.

        `-C` must come first: root may only ask then.
        """
        ended = self._host.run([self._program, "-C", options[0], *self._options, *options[1:]])
        if ended.code != 0:
            raise InputError(f"PostgreSQL refuses its configuration: {_objection(ended.output)}")
        last = last_line(ended.output)
        return "" if _LOGGED.match(last) else last

    def _value(self, *options: str) -> str:
        """The same, cached: values are as of the first call."""
        if options not in self._asked_before:
            self._asked_before[options] = self._asked(*options)
        return self._asked_before[options]

    @cached_property
    def _main(self) -> str:
        return real_path(self._host, self._value("config_file"))

    @cached_property
    def _auto(self) -> str:
        return posixpath.join(self._value("data_directory"), AUTO)

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """The two files that may be changed, as first read."""
        auto = read_text(self._host, self._auto)
        main = text_of(self._host, self._main)
        return {self._main: main, **({self._auto: auto} if auto is not None else {})}

    @cached_property
    def _places(self) -> Sequence[Place[Assignment]]:
        """All parameters in the order in which they are read."""
        found = list(self._read(self._value("config_file"), self._texts[self._main]))
        if self._auto in self._texts:
            found += self._read(self._auto, self._texts[self._auto])
        return found

    def _read(self, path: str, text: str, depth: int = 0) -> Iterator[Place[Assignment]]:
        for one in assignments(text):
            if one.name not in INCLUDES:
                yield Place(path, one)
                continue
            for other in self._included(path, one) if depth < 10 else ():
                inner = read_text(self._host, other)
                if inner is not None:
                    yield from self._read(other, inner, depth + 1)

    def _included(self, path: str, one: Assignment) -> Sequence[str]:
        where = absolute(one.value, posixpath.dirname(path))
        if one.name != "include_dir":
            return [where]
        escaped = re.sub(r"([*?\[\]\\])", r"\\\1", where)
        return matching(self._host, f"{escaped}/*.conf")

    def _on_command_line(self, name: str) -> bool:
        words = self._options
        for at, word in enumerate(words):
            text = word[2:] if word.startswith(("--", "-c")) else ""
            if word == "-c" and at + 1 < len(words):
                text = words[at + 1]
            if text.split("=")[0].strip().replace("-", "_").lower() == name:
                return True
            if SHORT.get(word[:2]) == name:
                return True
        return False

    def _at(self, name: str) -> str | None:
        """What sets a parameter: a file, or the command line; None if nothing does."""
        if self._on_command_line(name):
            return COMMAND_LINE
        found = [one.path for one in self._places if one.found.name == name]
        return found[-1] if found else None

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        place = self._at(knob.name.lower())
        value = self._value(knob.name)
        return Setting(self._in_unit(knob, value), place is not None, place)

    def _in_unit(self, knob: Knob, value: str) -> str | None:
        """A number of the program's own unit in the knob's, or in a smaller one with its name."""
        if not knob.unit or not re.fullmatch(r"[0-9]+", value):
            return value
        own = int(self._value(knob.name, "-c", f"{knob.name}={PROBE}{knob.unit}"))
        whole, rest = divmod(int(value) * PROBE, own)
        if not rest:
            return str(whole)
        return f"{int(value) * PROBE * 1024 // own}kB" if knob.unit == "MB" else None

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: at the end of the main file, or where ALTER SYSTEM has it.

        Raises InputError for what the command line sets: no file wins over that.
        """
        lines: list[str] = []
        texts: dict[str, str] = {}
        for knob, value in changes.items():
            name, written = knob.name.lower(), knob.written(value)
            place = self._at(name)
            if place == COMMAND_LINE:
                raise InputError(f"{name} is set on PostgreSQL's command line, so no file sets it")
            if place == self._auto:
                before = texts.get(self._auto, self._texts[self._auto])
                texts[self._auto] = replaced(before, name, written)
            else:
                lines.append(f"{name} = {quoted(written)}")
        if lines:
            texts[self._main] = with_block(self._texts[self._main], lines)
        return {path: as_bytes(text) for path, text in texts.items()}

    def test(self) -> str | None:
        """Have the program read its configuration."""
        try:
            self._asked("config_file")
        except InputError as error:
            return str(error)
        return None


def first_process(host: Host, running: Running) -> Running:
    """The process that reads the configuration, given one that may be its child."""
    if not CHILD.match(" ".join(running.command)):
        return running
    stat = host.read(f"/proc/{running.pid}/stat")
    if stat is None:
        raise TargetError(f"the server's process {running.pid} has gone")
    return read_process(host, int(stat[stat.rindex(b")") + 2 :].split()[1]))


def program_of(host: Host, pid: int) -> str:
    """The path of a process's program, or of its replacement if it was upgraded meanwhile."""
    found = executable(host, pid)
    if not found:
        raise TargetError(f"the server's process {pid} has gone, or belongs to another user")
    return found


def _objection(output: str) -> str:
    """The lines of a log without those that do not help here."""
    lines = [line for line in output.splitlines() if "skipping missing" not in line]
    return "; ".join(_LOGGED.sub("", line) for line in lines) or "it does not say why"
