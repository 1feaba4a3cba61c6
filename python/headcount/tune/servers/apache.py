"""Apache httpd: directives of its main file and of what that includes, read again on SIGUSR1."""

import operator
import posixpath
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError
from headcount.tune.host import Ended, Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.apache_text import (
    Directive,
    appended,
    directives,
    replaced,
    section_parts,
)
from headcount.tune.servers.common import Place, real_path
from headcount.tune.servers.server import (
    Running,
    Setting,
    as_bytes,
    executable,
    option,
    signalled,
    text_of,
)

NAMES = ("apache2", "httpd")
"""Programs that are this server."""
MARK = "# Set by headcount tune; what comes later in the file counts."
_OPTIONS = ("-d", "-f", "-D", "-c", "-C")
"""Options of the command line that change what the configuration says."""
_PLAIN = {"PATH", "LD_LIBRARY_PATH", "LANG"}
"""Variables that the program needs beside those that its files name."""
_CONDITIONS = {"ifmodule", "ifdefine", "ifversion", "iffile", "ifdirective", "ifsection"}
"""Sections whose directives apply to the whole server if the condition holds."""
_INCLUDES = ("include", "includeoptional")
_INCLUDED = re.compile(r"^\s+\((?:\*|\d+)\) (/.+)$", re.MULTILINE)
_OBJECTION = re.compile(r"exceed|not allowed", re.IGNORECASE)
"""Warnings after which Apache runs with another value than the configured one."""
_PREFORK = {"maxrequestworkers": "256", "serverlimit": "256", "startservers": "5"}
"""Defaults that differ with the prefork MPM."""
_OF_PROCESSES = ("minspareservers", "maxspareservers")
_OF_THREADS = (
    *("threadlimit", "threadsperchild", "minsparethreads", "maxsparethreads"),
    *("asyncrequestworkerfactor", "threadstacksize"),
)
"""Directives that only the prefork MPM has, and those that it lacks."""
_FORMER = {"maxclients": "maxrequestworkers", "maxrequestsperchild": "maxconnectionsperchild"}
"""Names before 2.4, which are still understood."""
_VERSION_TEST = re.compile(r"(<=|>=|<|>|==?|)\s*([0-9]+(?:\.[0-9]+){0,2})")
_COMPARED: Mapping[str, Callable[[list[int], list[int]], bool]] = {
    **dict.fromkeys(("", "=", "=="), operator.eq),
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MOST_INCLUDES = 20


class Apache:
    """A running Apache httpd."""

    name = "apache"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises InputError where its configuration is not found."""
        self._host = host
        self.running = running
        self._texts: dict[str, str] = {}
        self._defined: dict[str, str] = {}
        self._names = {*_PLAIN, *(name for name in running.environment if "APACHE" in name)}
        self._program = executable(host, running.pid) or running.command[0]

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGUSR1 makes it read its files again."""
        return signalled(self.running, "USR1")

    @cached_property
    def _given(self) -> Sequence[str]:
        """The options of its command line that matter for its configuration."""
        words = list(self.running.command[1:])
        found: list[str] = []
        while words:
            word = words.pop(0)
            name, value = word[:2], word[2:]
            if name in _OPTIONS and (value or words):
                found += [name, value or words.pop(0)]
        return found

    @cached_property
    def _built(self) -> str:
        """What the program says about itself."""
        return self._run("-V").output

    def _run(self, *options: str) -> Ended:
        """Run the program as the server was started, with the variables that its files name."""
        variables = [
            f"{name}={value}"
            for name, value in self.running.environment.items()
            if name in self._names
        ]
        folder = self.running.directory or "/"
        command = ["env", "-i", "-C", folder, *variables, self._program, *self._given, *options]
        return self._host.run(command)

    @cached_property
    def _root(self) -> str:
        """The folder that relative paths start from; the configuration may set another."""
        built = re.search(r'HTTPD_ROOT="(.+)"', self._built)
        given = option(self.running.command, "-d") or (built[1] if built else "/etc/apache2")
        return posixpath.join(self.running.directory or "/", given)

    @cached_property
    def _main(self) -> str:
        """The file that it was started with."""
        built = re.search(r'SERVER_CONFIG_FILE="(.+)"', self._built)
        default = built[1] if built else "apache2.conf"
        return posixpath.join(self._root, option(self.running.command, "-f") or default)

    @cached_property
    def _places(self) -> Sequence[Place[Directive]]:
        """All directives of all files in the order in which they are read."""
        self._texts[real_path(self._host, self._main)] = text_of(self._host, self._main)
        self._add_names()
        paths = _INCLUDED.findall(self._asked("-t", "-D", "DUMP_INCLUDES").output)
        for path in paths:
            content = self._host.read(path)
            if content is not None:
                real = real_path(self._host, path)
                self._texts.setdefault(real, content.decode("utf-8", "surrogateescape"))
        self._add_names()
        _ = self._before, self._modules
        return list(self._read(self._main, (), list(dict.fromkeys(paths)), self._root))

    def _add_names(self) -> None:
        for text in self._texts.values():
            self._names.update(re.findall(r"\$\{(\w+)\}", text))

    def _asked(self, *options: str) -> Ended:
        ended = self._run(*options)
        if ended.code != 0:
            raise InputError(f"Apache refuses its own configuration: {ended.output.strip()}")
        return ended

    @cached_property
    def _before(self) -> frozenset[str]:
        """What `-t` printed before any change."""
        return frozenset(self._asked("-t").output.splitlines())

    @cached_property
    def _modules(self) -> frozenset[str]:
        output = self._asked("-t", "-D", "DUMP_MODULES").output
        return frozenset(re.findall(r"^ (\w+) \(", output, re.MULTILINE))

    def _read(
        self, path: str, sections: tuple[str, ...], paths: Sequence[str], root: str, depth: int = 0
    ) -> Sequence[Place[Directive]]:
        """A file with what it includes, in the sections of the `Include`."""
        real = real_path(self._host, path)
        found: list[Place[Directive]] = []
        if real not in self._texts or depth > MOST_INCLUDES:
            return found
        for one in directives(self._texts[real], sections):
            found.append(Place(real, one))
            value = self._filled(one.value.strip("\"'"))
            if one.name == "serverroot":
                root = value
            if one.name == "define" and self._is_active(one):
                name, _, text = value.partition(" ")
                self._defined[name] = text.strip("\"' ")
            if one.name in _INCLUDES and self._is_active(one):
                for name in _matching(posixpath.join(root, value), paths):
                    found += self._read(name, one.sections, paths, root, depth + 1)
        return found

    def _filled(self, text: str) -> str:
        """A text with variables of the environment, and of `Define`, in their places."""
        values = {name: value for name, value in self._defined.items() if value}
        known = {**self.running.environment, **values}
        return re.sub(r"\$\{(\w+)\}", lambda found: known.get(found[1], found[0]), text)

    def _is_active(self, found: Directive) -> bool:
        """Whether the conditions that it stands in hold."""
        return all(self._holds(section) for section in found.sections)

    def _holds(self, section: str) -> bool:
        kind, rest = section_parts(section)
        wanted = not rest.startswith("!")
        name = rest.removeprefix("!").strip("\"' ")
        if kind == "ifmodule":
            return bool(self._modules & set(_module_names(name))) == wanted
        if kind == "ifdefine":
            pairs = zip(self._given, self._given[1:], strict=False)
            return (("-D", name) in pairs or name in self._defined) == wanted
        if kind == "ifversion":
            built = re.search(r"Apache/([0-9.]+)", self._built)
            return built is None or _is_version(built[1], name) == wanted
        return True

    def _at(self, knob: Knob) -> tuple[Sequence[Place[Directive]], Sequence[Place[Directive]]]:
        """Where a knob is set for the whole server, and where for a part of it."""
        name = knob.name.lower()
        found = [
            one
            for one in self._places
            if _FORMER.get(one.found.name, one.found.name) == name and self._is_active(one.found)
        ]
        inner = [one for one in found if _has_part(one.found)]
        return [one for one in found if one not in inner], inner

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting; if a host or folder has its own, that of one of them."""
        whole, inner = self._at(knob)
        is_prefork = "mpm_prefork_module" in self._modules
        if knob.name.lower() in (_OF_THREADS if is_prefork else _OF_PROCESSES):
            return Setting(None, is_set=False)
        others = [one for one in inner if self._value(knob, one) != knob.default]
        if inner and (others or not whole):
            one = (others or inner)[0]
            return Setting(self._value(knob, one), True, _place_text(one))
        if whole:
            return Setting(self._value(knob, whole[-1]), True, _place_text(whole[-1]))
        if is_prefork:
            return Setting(_PREFORK.get(knob.name.lower(), knob.default), is_set=False)
        return Setting(knob.default or None, is_set=False)

    def _value(self, knob: Knob, place: Place[Directive]) -> str:
        """A value in the knob's form."""
        value = self._filled(place.found.value.strip("\"'"))
        words = {word.lower(): word for word in knob.words}
        return words.get(value.lower(), value)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: at the end of the main file, and where a part has its own."""
        if not changes:
            return {}
        edits: dict[str, dict[int, tuple[Directive, str]]] = {}
        new: list[str] = []
        for knob, value in changes.items():
            line = f"{knob.name} {knob.written(value)}"
            _, inner = self._at(knob)
            for one in inner:
                edits.setdefault(one.path, {})[one.found.start] = one.found, line
            if not knob.where:
                new.append(line)
            elif not inner:
                new.append(f'<{knob.where} "/">\n{line}\n</{knob.where}>')
        texts: dict[str, str] = {}
        for path, found in edits.items():
            text = self._texts[path]
            for _, (directive, line) in sorted(found.items(), reverse=True):
                text = replaced(text, directive, line)
            texts[path] = text
        if new:
            main = next(iter(self._texts))
            block = "\n".join([MARK, *new]) + "\n"
            texts[main] = appended(texts.get(main, self._texts[main]), block)
        return {path: as_bytes(text) for path, text in texts.items()}

    def test(self) -> str | None:
        """`apache2 -t`: errors, and values that Apache would not take."""
        _ = self._places
        ended = self._run("-t")
        if ended.code != 0:
            return ended.output.strip()
        lines = dict.fromkeys(ended.output.splitlines())
        new = [line for line in lines if line not in self._before and _OBJECTION.search(line)]
        return "; ".join(new) or None


def _place_text(place: Place[Directive]) -> str:
    return ", ".join([place.path, *place.found.sections[-1:]])


def _has_part(found: Directive) -> bool:
    """Whether it is in a section that is a part of the server, such as a host or a folder."""
    return any(section_parts(section)[0] not in _CONDITIONS for section in found.sections)


def _is_version(version: str, test: str) -> bool:
    """Whether a version passes the test of an `IfVersion`, such as `>= 2.4`; true if not known."""
    found = _VERSION_TEST.fullmatch(test)
    if found is None:
        return True  # a regular expression
    own, other = ([*map(int, text.split(".")), 0, 0][:3] for text in (version.strip("."), found[2]))
    return _COMPARED[found[1]](own, other)


def _module_names(name: str) -> Sequence[str]:
    """A module as `IfModule` may name it: `mpm_event_module`, `mod_ssl.c`, `event.c`."""
    if not name.endswith(".c"):
        return [name]
    source = name.removesuffix(".c").removeprefix("mod_").removeprefix("http_")
    return [f"{source}_module", f"mpm_{source}_module"]


def _matching(pattern: str, paths: Iterable[str]) -> Sequence[str]:
    """The files of an `Include`, among those that Apache says it reads; a folder is all of it."""
    plain = posixpath.normpath(pattern)
    regex = re.compile(
        re.escape(plain).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + r"(?:/.*)?\Z"
    )
    return [path for path in paths if regex.match(posixpath.normpath(path))]
