"""PHP-FPM: keys of its pools, read again on SIGUSR2, which ends the workers and starts new ones."""

import posixpath
import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.common import Place, absolute, matching, real_path
from headcount.tune.servers.php_fpm_text import Line, in_seconds, lines
from headcount.tune.servers.server import (
    Running,
    Setting,
    as_bytes,
    executable,
    option,
    read_process,
    signalled,
    text_of,
)

NAME = "php-fpm"
_PROGRAM = re.compile(r"php-fpm[0-9.]*|php[0-9.]*-fpm")
"""Programs that are this server: Debian has the version in the name."""
_TITLE = re.compile(r"php-fpm: master process \((.+)\)")
_POOL = "php-fpm: pool "
_INI = re.compile(r"^([\w.]+) => (.*) => .*$", re.MULTILINE)
PHP = "php_admin_value"
"""The table of a pool for settings of PHP that no script can change."""
CHILDREN, START = "pm.max_children", "pm.start_servers"
LEAST, MOST = "pm.min_spare_servers", "pm.max_spare_servers"
SPARE = {LEAST: "1", MOST: "3"}
"""What a pool needs when it becomes dynamic, with Debian's values."""
MODES = {
    **dict.fromkeys((START, LEAST, MOST, "pm.max_spawn_rate"), "dynamic"),
    "pm.process_idle_timeout": "ondemand",
}
"""Keys that mean something in one kind of pool only, and that kind."""
MOST_INCLUDES = 10


def kind_of(program: str) -> str:
    """The name of a program without the version of PHP."""
    return NAME if _PROGRAM.fullmatch(program) else program


class PhpFpm:
    """A running PHP-FPM. Trials change all of its pools alike."""

    name = NAME

    def __init__(self, host: Host, running: Running) -> None:
        """Look at how it was started; raises InputError where its configuration is not found."""
        self._host = host
        self.running = _first(host, running)
        command = self.running.command
        title = _TITLE.match(" ".join(command))
        # During a reload the title is missing: the command line is the original one.
        given = option(command, "-y") or option(command, "--fpm-config")
        path = title[1] if title else given
        if path is None:
            raise InputError(
                f"PHP-FPM (process {self.running.pid}) does not show its configuration in its "
                "title; start it with --fpm-config FILE"
            )
        self._main = absolute(path, self.running.directory or "/")
        self._program = executable(host, self.running.pid)

    @property
    def reload_command(self) -> Sequence[str]:
        """SIGUSR2 makes it read its files again."""
        return signalled(self.running, "USR2")

    @cached_property
    def _texts(self) -> dict[str, str]:
        """Its files as first read, with links resolved; filled by `_places`."""
        return {}

    @cached_property
    def _places(self) -> Sequence[Place[Line]]:
        """All keys and heads of all files in the order in which they are read."""
        return self._read(self._main, "global", 0)

    def _read(self, path: str, section: str, depth: int) -> Sequence[Place[Line]]:
        real = real_path(self._host, path)
        self._texts[real] = text_of(self._host, real)
        found: list[Place[Line]] = []
        for one in lines(self._texts[real], section):
            found.append(Place(real, one))
            if one.name == "include" and depth < MOST_INCLUDES:
                prefix = posixpath.dirname(posixpath.dirname(self._program))
                for name in matching(self._host, posixpath.join(prefix, one.value)):
                    found += self._read(name, one.section, depth + 1)
        return found

    @cached_property
    def _pools(self) -> Sequence[str]:
        names = dict.fromkeys(one.found.section for one in self._places)
        return [name for name in names if name != "global"]

    def _at(self, pool: str, name: str) -> Place[Line] | None:
        """Where a pool has a key; the last one counts."""
        mine = [one for one in self._places if one.found.section == pool]
        return next((one for one in reversed(mine) if one.found.name == name), None)

    def _value(self, pool: str, name: str) -> str | None:
        place = self._at(pool, name)
        return place.found.value if place is not None else None

    @cached_property
    def _ini(self) -> Mapping[str, str]:
        """Settings of PHP as its own files have them."""
        return dict(_INI.findall(self._host.run([self._program, "-i"]).output))

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting in the first pool that has it, or in the first pool."""
        if not self._pools:
            raise InputError(f"{self._main} and what it includes have no pool")
        mode = self._value(self._pools[0], "pm")
        if MODES.get(knob.name, mode) != mode:
            return Setting(None, is_set=False)
        for pool in self._pools:
            if (place := self._at(pool, knob.name)) is not None:
                return Setting(_in_unit(knob, place.found.value), True, place.path)
        if knob.where == PHP:
            value = self._ini.get(knob.name)
            value = None if value is None else _in_unit(knob, value)
            return Setting(value, value not in (None, knob.default), "php.ini")
        if knob.name == START:
            texts = [self._value(self._pools[0], one) or "0" for one in SPARE]
            if not all(text.isdecimal() for text in texts):  # a variable, such as `${LEAST}`
                return Setting(None, is_set=False)
            least, most = map(int, texts)
            return Setting(str(least + (most - least) // 2), is_set=False)
        return Setting(knob.default or None, is_set=False)

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files with the changes: keys in place, or below the head of their pool."""
        edits: dict[str, list[tuple[int, int, str]]] = {}
        for pool in self._pools if changes else ():
            wanted = {knob.name: value for knob, value in changes.items()}
            texts = {
                knob.name: f"{_key(knob)} = {knob.written(value)}"
                for knob, value in changes.items()
            }
            for name, value in self._followers(pool, wanted).items():
                texts[name] = f"{name} = {value}"
            new: list[str] = []
            for name, text in texts.items():
                place = self._at(pool, name)
                if place is None:
                    new.append(f"\n{text}")
                else:
                    found = place.found
                    edits.setdefault(place.path, []).append((found.start, found.end, text))
            head = self._at(pool, "")
            if new and head is not None:
                end = head.found.end
                edits.setdefault(head.path, []).append((end, end, "".join(new)))
        files: dict[str, bytes] = {}
        for path, found_ones in edits.items():
            text = self._texts[path]
            for start, end, line in sorted(found_ones, reverse=True):
                text = text[:start] + line + text[end:]
            files[path] = as_bytes(text)
        return files

    def _followers(self, pool: str, wanted: Mapping[str, str]) -> Mapping[str, str]:
        """Keys of a dynamic pool that must follow: FPM refuses numbers that contradict each other.

        What was asked for stays, even if it contradicts itself: FPM refuses that.
        """
        if (wanted.get("pm") or self._value(pool, "pm")) != "dynamic":
            return {}
        names = (CHILDREN, LEAST, MOST, START)
        texts = {one: wanted.get(one) or self._value(pool, one) or SPARE.get(one) for one in names}
        values = {one: int(text) for one, text in texts.items() if text and text.isdigit()}
        if not {CHILDREN, LEAST, MOST} <= values.keys():
            return {}
        before = {one: self._value(pool, one) for one in names}
        children, least, most = values[CHILDREN], values[LEAST], values[MOST]
        start = values.get(START, least)
        if MOST not in wanted:
            grown = max(int(wanted.get(one, 0)) for one in (LEAST, START))
            most = min(max(most, grown), children) if CHILDREN in wanted else max(most, grown)
        if CHILDREN not in wanted:
            children = max(children, most)
        if LEAST not in wanted:
            least = min(least, most, int(wanted.get(START, least)))
        if START not in wanted and START in values:
            start = min(max(start, least), most)
        now = {CHILDREN: children, LEAST: least, MOST: most, START: start}
        return {
            one: str(value)
            for one, value in now.items()
            if one not in wanted and (one in values and str(value) != before[one])
        }

    def test(self) -> str | None:
        """`php-fpm -t`; `-R` lets pools run as root, which the running server may already do."""
        folder = self.running.directory or "/"
        command = ["env", "-C", folder, self._program, "-R", "-y", self._main, "-t"]
        ended = self._host.run(command)
        if ended.code == 0:
            return None
        messages = [line.partition("] ")[2] for line in ended.output.splitlines()]
        wrong = [line for line in messages if line.startswith(("ERROR", "ALERT"))]
        return "; ".join(wrong) or ended.output.strip() or f"exit code {ended.code}"


def _first(host: Host, running: Running) -> Running:
    """The first process of a PHP-FPM, given one that may be a worker."""
    if not " ".join(running.command).startswith(_POOL):
        return running
    stat = host.read(f"/proc/{running.pid}/stat") or b") S 0"
    return read_process(host, int(stat[stat.rindex(b")") + 2 :].split()[1]))


def _key(knob: Knob) -> str:
    return f"{PHP}[{knob.name}]" if knob.where == PHP else knob.name


def _in_unit(knob: Knob, value: str) -> str:
    """A value in the knob's form: times in seconds, sizes in its unit, switches in its words."""
    if knob.unit == "s":
        return in_seconds(value)
    size = re.fullmatch(r"([0-9]+)([KMG]?)", value.upper())
    if knob.unit in ("K", "M") and size:
        scale = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
        return str(int(size[1]) * scale[size[2]] // scale[knob.unit])
    switch = {"on": "1", "yes": "1", "true": "1", "off": "0", "no": "0", "false": "0", "": "0"}
    if {*knob.words} == {"0", "1"}:
        return switch.get(value.lower(), value)
    return value
