"""Samba: parameters of smb.conf and of what it includes, read again on SIGHUP."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise

from headcount.errors import InputError
from headcount.tune.host import Ended, Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.common import Place, real_path
from headcount.tune.servers.samba_text import GLOBAL, Entry, entries, inserted, plain, replaced
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

NAMES = ("smbd",)
"""Programs that are this server."""
_SYNONYMS = {
    "smbencrypt": "serversmbencrypt",
    "debuglevel": "loglevel",
    "casesignames": "casesensitive",
}
"""Other names of parameters that are knobs."""
_YES_NO = {
    **dict.fromkeys(("yes", "true", "1", "on"), "yes"),
    **dict.fromkeys(("no", "false", "0", "off"), "no"),
}
_COMPLAINT = re.compile(r"unknown|ignoring|invalid|error|global parameter|badly", re.IGNORECASE)
"""testparm's warnings about parameters without effect, in files that it accepts."""
_REFUSED = "Error loading services."
"""What it prints for a file that smbd does not run with."""
_TOGETHER = {("oplocks", "no"): ("level2 oplocks", "no")}
"""Values that testparm accepts only together."""
_NO_TESTPARM = (
    "testparm, which checks Samba's configuration, is not installed; install it first: apt-get "
    "install -y --no-install-recommends samba-common-bin"
)
_BESIDE = 'PATH="$0:$0/../bin:$PATH"; export PATH; '
"""Programs of a Samba that is installed outside the usual folders come first."""
MOST_INCLUDES = 20


class Samba:
    """A running smbd."""

    name = "samba"

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises InputError where its configuration is not found."""
        self._host = host
        self.running = _first(host, running)
        self._texts: dict[str, str] = {}
        self._before: Sequence[str] = ()
        self._program = executable(host, self.running.pid)

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGHUP makes it read its files again."""
        return signalled(self.running)

    @cached_property
    def _main(self) -> str:
        """The file that it was started with."""
        command = self.running.command
        found = option(command, "-s") or option(command, "--configfile")
        found = found or self.running.environment.get("SMB_CONF_PATH")
        if not found:
            built = self._host.run([self._program, "-b"]).output
            default = re.search(r"^\s*CONFIGFILE: (.+)$", built, re.MULTILINE)
            found = default[1].strip() if default else "/etc/samba/smb.conf"
        return posixpath.join(self.running.directory or "/", found)

    def _testparm(self, outputs: str, *options: str) -> Ended:
        """The result of testparm for the configuration; `outputs` selects the output wanted."""
        script = f'{_BESIDE}exec testparm "$@" {outputs}'
        command = ["sh", "-c", script, posixpath.dirname(self._program), "-s", *options]
        ended = self._host.run([*command, self._main])
        if ended.code == 127:
            raise InputError(_NO_TESTPARM)
        return ended

    @cached_property
    def _places(self) -> Sequence[Place[Entry]]:
        """All parameters and headers of all files in the order in which they are read."""
        found = list(self._read(self._main, GLOBAL))
        elsewhere = [one for one in found if one.found.name in ("configfile", "configbackend")]
        if any(one.found.value.lower() != "file" for one in elsewhere):
            at = elsewhere[0]
            raise InputError(
                f"{at.path} has Samba read its configuration elsewhere "
                f"({at.found.name} = {at.found.value}); start smbd with that file: smbd -s FILE"
            )
        self._before = self._complaints()
        if _REFUSED in self._before:
            text = "; ".join(self._before)
            raise InputError(f"Samba refuses its own configuration: {text}")
        return found

    def _read(self, path: str, section: str, depth: int = 0) -> Sequence[Place[Entry]]:
        """A file with what it includes; a section that begins there continues after `include`."""
        real = real_path(self._host, path)
        content = self._host.read(real) if depth else as_bytes(text_of(self._host, real))
        if content is None or depth > MOST_INCLUDES:
            return []  # Samba ignores a missing file
        text = self._texts[real] = content.decode("utf-8", "surrogateescape")
        found: list[Place[Entry]] = []
        moved = section
        for one in entries(text, section):
            moved = one.section if not one.name else moved
            at = Entry(moved, one.name, one.value, one.start, one.end, one.value_start)
            found.append(Place(real, at))
            if one.name == "include" and "%" not in one.value and one.value != "registry":
                inner = posixpath.join(self.running.directory or "/", one.value)
                found += self._read(inner, moved, depth + 1)
                moved = found[-1].found.section
        return found

    @cached_property
    def _effective(self) -> Mapping[str, str]:
        """The effective `[global]` with defaults, as testparm prints it."""
        output = self._testparm("2> /dev/null", "-v", f"--section-name={GLOBAL}").output
        pairs = (line.partition("=") for line in output.splitlines() if "=" in line)
        return {plain(name): value.strip().lower() for name, _, value in pairs}

    def _at(self, knob: Knob) -> Sequence[Place[Entry]]:
        """Where a knob is set, for all shares or for one."""
        name = plain(knob.name)
        return [
            one for one in self._places if _SYNONYMS.get(one.found.name, one.found.name) == name
        ]

    def _by_command(self, knob: Knob) -> str | None:
        """What the command line sets, which comes after all files."""
        command = self.running.command
        if plain(knob.name) == "loglevel":
            level = option(command, "-d") or option(command, "--debuglevel")
            if level is not None:
                return level
        for word, following in pairwise([*command, ""]):
            text = following if word == "--option" else word.removeprefix("--option=")
            name, equals, value = text.partition("=")
            if word.startswith("--option") and equals and plain(name) == plain(knob.name):
                return value.strip()
        return None

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting; if shares set it themselves, that of one of them."""
        found = self._at(knob)
        if (given := self._by_command(knob)) is not None:
            return Setting(_plain_value(knob, given), True, COMMAND_LINE)
        shares = [one for one in found if one.found.section != GLOBAL]
        other = [one for one in shares if _plain_value(knob, one.found.value) != knob.default]
        if shares:
            one = (other or shares)[0]
            place = f"{one.path}, share [{one.found.section}]"
            return Setting(_plain_value(knob, one.found.value), True, place)
        # testparm overrides the log level, so it does not show the file's.
        named = found[-1].found.value if found else knob.default
        value = named if plain(knob.name) == "loglevel" else self._effective.get(plain(knob.name))
        value = None if value is None else _plain_value(knob, value)
        return Setting(value, bool(found), found[-1].path if found else None)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: wherever a knob is set, else in the first `[global]`."""
        if not changes:
            return {}
        edits: dict[str, dict[int, tuple[Entry, str]]] = {}
        new: list[str] = []
        for knob, value in {**_following(changes), **changes}.items():
            if self._by_command(knob) is not None:
                raise InputError(
                    f"smbd's command line sets {knob.name}, which no file can change; start it "
                    "without that option"
                )
            for one in self._at(knob):
                edits.setdefault(one.path, {})[one.found.start] = one.found, knob.written(value)
            if not self._is_first(knob):
                new.append(f"\t{knob.name} = {knob.written(value)}")
        texts: dict[str, str] = {}
        for path, found in edits.items():
            text = self._texts[path]
            for _, (entry, value) in sorted(found.items(), reverse=True):
                text = replaced(text, entry, value)
            texts[path] = text
        main = next(iter(self._texts))
        for line in reversed(new):
            texts[main] = inserted(texts.get(main, self._texts[main]), line)
        return {path: as_bytes(text) for path, text in texts.items()}

    def _is_first(self, knob: Knob) -> bool:
        """Whether it is set for all shares before the first of them."""
        found = [one for one in self._at(knob) if one.found.section == GLOBAL]
        shares = [at for at, one in enumerate(self._places) if one.found.section != GLOBAL]
        return bool(found) and (not shares or self._places.index(found[0]) < shares[0])

    def _complaints(self) -> Sequence[str]:
        """What testparm complains about in the files."""
        lines = self._testparm("2>&1 > /dev/null").output.splitlines()
        return [line.strip() for line in lines if line.strip()]

    def test(self) -> str | None:
        """`testparm -s`: errors, and complaints that were not there at first."""
        _ = self._places
        lines = self._complaints()
        if _REFUSED in lines:
            return "; ".join(lines)
        new = [line for line in lines if line not in self._before and _COMPLAINT.search(line)]
        return "; ".join(new) or None


def _first(host: Host, running: Running) -> Running:
    """The parent of all other smbd processes: new connections inherit from it alone."""
    while True:
        status = host.read(f"/proc/{running.pid}/status") or b""
        found = re.search(rb"^PPid:\s*([1-9][0-9]*)$", status, re.MULTILINE)
        parent = int(found[1]) if found else 0
        if posixpath.basename(executable(host, parent)) not in NAMES:
            return running
        running = read_process(host, parent)


def _following(changes: Mapping[Knob, str]) -> Mapping[Knob, str]:
    """What must change together with some changes."""
    wanted = [_TOGETHER.get((knob.name, value)) for knob, value in changes.items()]
    values = dict(filter(None, wanted))
    return {knob: values[knob.name] for knob in of_server("samba").knob if knob.name in values}


def _plain_value(knob: Knob, value: str) -> str:
    """A value in the knob's form."""
    value = value.lower()
    if "yes" in knob.words:
        return _YES_NO.get(value, value)
    return next((word for word in knob.words if word.lower() == value), value)
