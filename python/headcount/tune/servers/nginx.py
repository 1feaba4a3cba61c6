"""nginx: directives in the main file or in what it includes, read again on SIGHUP."""

import itertools
import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import Place, real_path
from headcount.tune.servers.nginx_text import Directive, directives, inserted, replaced
from headcount.tune.servers.server import (
    Running,
    Setting,
    as_bytes,
    executable,
    option,
    signalled,
)

NAMES = ("nginx",)
"""Programs that are this server."""
TITLE = "nginx: master process "
_PART = re.compile(r"^# configuration file (.+):$", re.MULTILINE)
_OPTION = re.compile(r"-[?ceghpqstTvV]+")
_LISTEN = {"listen backlog": "backlog=", "listen reuseport": "reuseport"}
"""Knobs that are parameters of `listen`; nginx accepts each only once per address."""
_BUFFER, _DESCRIPTORS = "access_log buffer", "worker_rlimit_nofile"
_ANY = "0.0.0.0"  # noqa: S104 - compared with, not bound to
_DATAGRAMS = ("quic", "udp")
"""Parameters of a `listen` with a socket of its own, of another kind."""
_LISTEN_OPTIONS = (
    *("backlog=", "reuseport", "bind", "rcvbuf=", "sndbuf=", "deferred", "ipv6only="),
    *("so_keepalive=", "fastopen=", "setfib=", "accept_filter="),
)
"""How parameters begin that nginx accepts in only one `listen` of an address."""
_NO_LOG_OPTION = 'invalid option: "e"'
"""What nginx before 1.19.5 says about `-e`."""


class Nginx:
    """A running nginx."""

    name = "nginx"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises InputError where its configuration is not found."""
        self._host = host
        self.running = running
        words = " ".join(running.command)
        self._command: Sequence[str] = words.removeprefix(TITLE).split()

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGHUP makes it read its files again."""
        return signalled(self.running)

    @cached_property
    def _program(self) -> str:
        # The word in the title may be relative, or only in the search path of who started it.
        return executable(self._host, self.running.pid) or self._command[0]

    def _asked(self, *options: str) -> str:
        given = [
            word
            for name in ("-c", "-p", "-g")
            if (value := _option(self._command, name)) is not None
            for word in (name, value)
        ]
        command = [self._program, *given]
        ended = self._host.run([*command, "-e", "stderr", *options])
        if ended.code != 0 and _NO_LOG_OPTION in ended.output:
            ended = self._host.run([*command, *options])
        if ended.code != 0:
            raise InputError(f"nginx refuses its configuration: {ended.output.strip()}")
        return ended.output

    @cached_property
    def _named(self) -> Sequence[str]:
        """The files it reads, under the names it uses for them, the main file first."""
        parts = _PART.split(self._asked("-T"))
        if len(parts) < 3:
            raise InputError(f"{self._program} -T shows no configuration")
        return list(dict.fromkeys(parts[1::2]))

    @cached_property
    def _texts(self) -> Mapping[str, str]:
        """Its files as first read, with symbolic links resolved."""
        paths = dict.fromkeys(real_path(self._host, path) for path in self._named)
        # `-T` prints a line of its own after each file, so the files themselves are read.
        contents = {path: self._host.read(path) for path in paths}
        return {
            path: content.decode("utf-8", "surrogateescape")
            for path, content in contents.items()
            if content is not None
        }

    @cached_property
    def _places(self) -> Sequence[Place[Directive]]:
        """All directives, those of included files in the context of their `include`."""
        return list(self._read(next(iter(self._texts)), ""))

    def _read(self, path: str, context: str, depth: int = 0) -> Sequence[Place[Directive]]:
        found: list[Place[Directive]] = []
        for one in directives(self._texts[path]):
            inner = " ".join(filter(None, (context, one.context)))
            place = Directive(inner, one.name, one.words, one.start, one.end, one.is_block)
            found.append(Place(path, place))
            if one.name == "include" and one.words and depth < 10:
                for name in self._included(one.words[0]):
                    found += self._read(name, inner, depth + 1)
        return found

    def _included(self, pattern: str) -> Sequence[str]:
        """The files of an `include`, among those that nginx says it reads, with links resolved."""
        base = posixpath.dirname(self._named[0])
        glob = posixpath.normpath(posixpath.join(base, pattern))
        regex = re.compile(re.escape(glob).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + r"\Z")
        # Debian's sites-enabled has links: the pattern matches the names that nginx uses.
        named = [path for path in self._named if regex.match(posixpath.normpath(path))]
        real = dict.fromkeys(real_path(self._host, path) for path in named)
        return [path for path in real if path in self._texts]

    def _at(self, knob: Knob) -> Place[Directive] | None:
        """Where a knob is set for all servers; the last one counts."""
        name = "access_log" if knob.name == _BUFFER else knob.name
        found = [
            one
            for one in self._places
            if one.found.name == name and one.found.context == knob.where
        ]
        return found[-1] if found else None

    def _inner(self, knob: Knob) -> Sequence[Place[Directive]]:
        """Where servers set it themselves, each once: there it counts more."""
        name = "access_log" if knob.name == _BUFFER else knob.name
        found = {
            (one.path, one.found.start): one
            for one in self._places
            if one.found.name == name and one.found.context == f"{knob.where} server"
        }
        if knob.name != _BUFFER:
            return [*found.values()]
        return [one for one in found.values() if not _has_no_file(one.found)]

    def _listens(self) -> Mapping[str, Place[Directive]]:
        """One `listen` over TCP of each address: the one with its options, or else the first."""
        found: dict[str, Place[Directive]] = {}
        for one in self._places:
            words = one.found.words
            if one.found.name != "listen" or not words or {*_DATAGRAMS} & {*words}:
                continue
            address = _address(words[0])
            known = found.get(address)
            if known is None or (_has_options(words) and not _has_options(known.found.words)):
                found[address] = one
        return found

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        if knob.name in _LISTEN:
            return self._parameter(knob)
        whole, inner = self._at(knob), self._inner(knob)
        others = [one for one in inner if self._value(knob, one) != knob.default]
        place = (others or inner)[0] if inner and (others or whole is None) else whole
        if place is not None:
            value = self._value(knob, place)
            return Setting(value, knob.name != _BUFFER or value != "off", place.path)
        if knob.name == _BUFFER:
            return Setting(None, is_set=False)  # its log has a built-in path, and no directive
        value = self._descriptors() if knob.name == _DESCRIPTORS else knob.default
        return Setting(value or None, is_set=False)

    def _value(self, knob: Knob, place: Place[Directive]) -> str | None:
        """A value without its unit; None of a log that is no file."""
        words = place.found.words
        if knob.name == _BUFFER:
            return None if _has_no_file(place.found) else _buffer(words)
        value = " ".join(words)
        number = re.fullmatch(rf"([0-9]+){re.escape(knob.unit)}", value)
        return number[1] if number and knob.unit else value

    def _descriptors(self) -> str:
        """The limit that workers inherit if no directive sets it; empty if it is not known."""
        limits = (self._host.read(f"/proc/{self.running.pid}/limits") or b"").decode()
        found = re.search(r"^Max open files +([0-9]+)", limits, re.MULTILINE)
        return found[1] if found else ""

    def _parameter(self, knob: Knob) -> Setting:
        mark = _LISTEN[knob.name]
        for one in self._listens().values():
            for word in one.found.words[1:]:
                if word.startswith(mark):
                    return Setting(word.removeprefix(mark) or "on", True, one.path)
        return Setting(knob.default, is_set=False)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: directives in place, or at the beginning of their block.

        What servers set themselves changes there, too.
        """
        edits: dict[str, list[tuple[Directive, str]]] = {}
        new: list[tuple[str, str]] = []
        for place, line in self._replacements(changes):
            edits.setdefault(place.path, []).append((place.found, line))
        for knob, value in changes.items():
            if knob.name in _LISTEN or self._at(knob) is not None:
                continue
            if knob.name == _BUFFER and self._inner(knob):
                continue
            if knob.name == _BUFFER:
                raise InputError("nginx writes its log to its built-in path; set access_log")
            new.append((knob.where, f"{knob.name} {knob.written(value)};"))
        main = next(iter(self._texts))
        texts: dict[str, str] = {}
        for path, found in edits.items():
            text = self._texts[path]
            for directive, line in sorted(found, key=lambda one: -one[0].start):
                text = replaced(text, directive, line)
            texts[path] = text
        for context, line in new:
            text = inserted(texts.get(main, self._texts[main]), context, line) or ""
            if not text:
                raise InputError(f"{main} has no block {context} for {line}")
            texts[main] = text
        return {path: as_bytes(text) for path, text in texts.items()}

    def _replacements(self, changes: Mapping[Knob, str]) -> Sequence[tuple[Place[Directive], str]]:
        found: list[tuple[Place[Directive], str]] = []
        listens: dict[str, list[str]] = {}
        for knob, value in changes.items():
            if knob.name in _LISTEN:
                for address, one in self._listens().items():
                    words = listens.get(address, list(one.found.words))
                    listens[address] = _with_parameter(words, _LISTEN[knob.name], value)
                continue
            whole = self._at(knob)
            for place in [*self._inner(knob), *([whole] if whole is not None else [])]:
                if knob.name != _BUFFER:
                    found.append((place, f"{knob.name} {knob.written(value)};"))
                elif not _has_no_file(place.found):
                    found.append((place, f"access_log {_with_buffer(place.found.words, value)};"))
        for address, words in listens.items():
            found.append((self._listens()[address], f"listen {' '.join(words)};"))
        return found

    def test(self) -> str | None:
        """`nginx -t`."""
        try:
            self._asked("-t", "-q")
        except InputError as error:
            return str(error)
        return None


def _option(command: Sequence[str], name: str) -> str | None:
    """The value of an option of nginx's title, which has lost the quotes around `-g "..."`."""
    if name != "-g" or name not in command:
        return option(command, name)
    rest = command[command.index(name) + 1 :]
    return " ".join(itertools.takewhile(lambda word: not _OPTION.fullmatch(word), rest))


def _address(word: str) -> str:
    """The address of a `listen` in one form: `80` and `0.0.0.0:80` are `*:80`."""
    if word.startswith("unix:"):
        return word
    if word.isdecimal():
        return f"*:{word}"
    host, _, port = word.rpartition(":") if re.search(r":[0-9]+\Z", word) else (word, "", "80")
    return f"{'*' if host == _ANY else host}:{port}"


def _has_no_file(log: Directive) -> bool:
    """Whether an `access_log` writes no file, which could have a buffer."""
    return log.words[:1] == ("off",) or any(word.startswith("syslog:") for word in log.words[:1])


def _has_options(words: Sequence[str]) -> bool:
    return any(word.startswith(_LISTEN_OPTIONS) for word in words[1:])


def _buffer(words: Sequence[str]) -> str:
    found = [word for word in words if word.startswith("buffer=")]
    return found[0].removeprefix("buffer=") if found else "off"


def _with_parameter(words: Sequence[str], mark: str, value: str) -> list[str]:
    """The words of a `listen` with another value of a parameter."""
    kept = [word for word in words if not word.startswith(mark)]
    text = f"{mark}{value}" if mark.endswith("=") else mark
    return kept if value == "off" else [*kept, text]


def _with_buffer(words: Sequence[str], value: str) -> str:
    """The words of `access_log` with another buffer; a format must come before it."""
    kept = [word for word in words if not word.startswith(("buffer=", "flush="))]
    if len(kept) == 1 or "=" in kept[1]:
        kept.insert(1, "combined")
    if value != "off":
        kept[2:2] = [f"buffer={value}", "flush=5s"]
    return " ".join(kept)
