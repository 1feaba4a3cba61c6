"""Dovecot 2.3: settings of the main file and of what it includes, read again on SIGHUP."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import (
    Place,
    absolute,
    in_unit,
    last_line,
    matching,
    program,
    read_text,
    real_path,
    with_block,
)
from headcount.tune.servers.dovecot_text import FILTERS, Line, block, lines
from headcount.tune.servers.server import (
    Running,
    Setting,
    as_bytes,
    option,
    signalled,
    text_of,
)

NAMES = ("dovecot",)
"""Programs that are this server: the first process; services have names of their own."""
_HEADER = re.compile(r"^# ([0-9.]+) .*?: (/.*)$", re.MULTILINE)
"""What `doveconf -n` begins with: its version, and the file it reads."""
VERSIONS = ("2.2.", "2.3.")
"""Later versions have other names, and want each setting only once."""
PROTOCOL = "protocol=imap"
"""The protocol whose settings are read if protocols have their own."""


class Dovecot:
    """A running Dovecot."""

    name = "dovecot"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started."""
        self._host = host
        self.running = running
        self._asked_before: dict[str, str] = {}

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGHUP makes it read its files again."""
        return signalled(self.running)

    @cached_property
    def _program(self) -> str:
        return program(self._host, "doveconf")

    @cached_property
    def _file(self) -> Sequence[str]:
        """The option for its file; empty if it is Dovecot's default file."""
        given = option(self.running.command[1:], "-c")
        return () if given is None else ("-c", absolute(given, self.running.directory))

    def _asked(self, *options: str) -> str:
        ended = self._host.run([self._program, *self._file, *options])
        if ended.code != 0:
            found = last_line(ended.output, "# ").removeprefix("doveconf: Fatal: ")
            raise InputError(f"Dovecot refuses its configuration: {found}")
        return ended.output

    @cached_property
    def _named(self) -> str:
        """The main file as Dovecot calls it; raises InputError for a Dovecot of another kind."""
        found = _HEADER.search(self._asked("-n"))
        if found is None:
            raise InputError(f"{self._program} -n does not say which file it reads")
        if not found[1].startswith(VERSIONS):
            raise InputError(f"this is Dovecot {found[1]}; 2.2 and 2.3 can be tuned")
        return found[2]

    @cached_property
    def _main(self) -> str:
        """Where the main file is, past links."""
        return real_path(self._host, self._named)

    @cached_property
    def _text(self) -> str:
        """The main file as first read."""
        return text_of(self._host, self._main)

    @cached_property
    def _places(self) -> Sequence[Place[Line]]:
        """All settings in the order in which they are read."""
        return list(self._read(self._named, self._text, ()))

    def _read(
        self, path: str, text: str, sections: tuple[str, ...], depth: int = 0
    ) -> Iterator[Place[Line]]:
        for one in lines(text, sections):
            if one.name != "!include":
                yield Place(path, one)
                continue
            pattern = absolute(one.value, posixpath.dirname(path))
            for other in matching(self._host, pattern) if depth < 10 else ():
                inner = read_text(self._host, other)
                if inner is not None:
                    yield from self._read(other, inner, one.sections, depth + 1)

    def _at(self, knob: Knob) -> Sequence[Place[Line]]:
        """What sets a knob, everywhere or for some clients."""
        return [one for one in self._places if _full_name(one.found) == knob.name]

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting, for IMAP clients if protocols differ."""
        if knob.name not in self._asked_before:
            self._asked_before[knob.name] = self._asked("-f", PROTOCOL, "-h", knob.name)
        output = self._asked_before[knob.name]
        found = self._at(knob)
        place = found[-1].path if found else None
        # It prints an empty line for an empty value, and nothing for a name it does not know.
        value = in_unit(last_line(output, "doveconf: "), knob.unit) if output else None
        return Setting(value, place is not None, place)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The main file with the changes at its end, also in filters that set the same."""
        added: list[str] = []
        for knob, value in changes.items():
            places = (_filters(one.found) for one in self._at(knob))
            filters = list(dict.fromkeys(filter(None, places)))
            added += block(knob.name, knob.written(value), filters)
        return {self._main: as_bytes(with_block(self._text, added))} if added else {}

    def test(self) -> str | None:
        """`doveconf -n`."""
        try:
            self._asked("-n")
        except InputError as error:
            return str(error)
        return None


def _filters(line: Line) -> tuple[str, ...]:
    """The filters that a setting is in."""
    return tuple(one for one in line.sections if one.split()[0] in FILTERS)


def _full_name(line: Line) -> str:
    """A setting as doveconf calls it: `service/imap/client_limit`."""
    words = [word for one in line.sections if one.split()[0] not in FILTERS for word in one.split()]
    return "/".join([*words, line.name])
