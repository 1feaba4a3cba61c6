"""Redis: directives of redis.conf, applied by CONFIG SET, because Redis never rereads the file."""

import posixpath
import re
import shlex
from collections.abc import Mapping, Sequence
from functools import cached_property

from headcount.errors import InputError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.servers.common import real_path
from headcount.tune.servers.redis_text import MARK, appended, directives, plain
from headcount.tune.servers.server import Running, Setting, as_bytes, executable, text_of

NAMES = ("redis-server", "redis-check-rdb", "valkey-server", "valkey-check-rdb")
"""Programs that are this server; Debian's redis-server is a link to redis-check-rdb."""
END = "headcount-end-of-file"
"""A directive that Redis does not know: it accepts all that precedes it, then stops there."""
MIB = 1 << 20
ANSWER_S = 10.0
MOST_INCLUDES = 20
_ADDRESS = re.compile(r"(?P<host>\S+):(?P<port>[0-9]+)")
_ANYWHERE = ("*", "0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
_NO_ANSWER = ("Error:", "Could not connect")
"""What redis-cli prints if the other end does not speak its protocol; the port may want TLS."""

RELOAD = r"""
mark=$1 file=$2 as_it_was=$3
shift 3
{ echo "$as_it_was"; tr -d '\r' < "$file" | awk -v mark="$mark" 'on; $0 == mark { on = 1 }'; } |
awk 'NF { name = $1; sub(/^[^ ]+ /, ""); if ($0 !~ /^"/) $0 = "\"" $0 "\""; value[name] = $0 }
END { for (name in value) print "CONFIG SET " name " " value[name] }' |
"$@" 2>&1 | awk 'NF && $0 != "OK" { print; bad = 1 } END { exit bad }'
"""
"""Sets what is below the mark, and resets all else that a tuning can change. The last value of a
name counts."""


class Redis:
    """A running Redis."""

    name = "redis"

    def __init__(self, host: Host, running: Running) -> None:
        """Ask it where its configuration is; raises InputError where it has none."""
        self._host = host
        self.running = running
        self._client, info = self._found_client()
        known = dict(re.findall(r"^(\w+):(.*?)\s*$", info, re.MULTILINE))
        if known.get("process_id") != str(running.pid):
            raise InputError(
                f"at the address of the Redis with process {running.pid}, another one answers "
                f"({known.get('process_id')}); run headcount tune where that address is its own"
            )
        if not known.get("config_file"):
            raise InputError(
                "Redis was started without a configuration file, so nothing could be kept; start "
                "it with one: redis-server /etc/redis/redis.conf"
            )
        self._program = self._found_program(known.get("executable") or running.command[0])
        self._main = real_path(self._host, known["config_file"])
        self._live = {knob.name: knob.apply == "live" for knob in of_server(self.name).knob}
        self._in_force = self._config([*self._live])
        as_it_was = "\n".join(
            f'{name} "{value}"' for name, value in self._in_force.items() if self._live[name]
        )
        self.reload_command: Sequence[str] = (
            *("sh", "-c", RELOAD, "sh", MARK, self._main, as_it_was),
            *self._client,
        )

    def _found_program(self, named: str) -> str:
        """The program under the name it was started with: under another it does something else.

        Redis reports a bare name as one in the folder that it was started in.
        """
        if self._host.run(["test", "-x", named]).code == 0:
            return named
        exe = executable(self._host, self.running.pid)
        return posixpath.join(posixpath.dirname(exe), posixpath.basename(named))

    def _found_client(self) -> tuple[Sequence[str], str]:
        """The command that asks it, without TLS or with it, and its answer; raises InputError."""
        address = _ADDRESS.match(self.running.command[1]) if len(self.running.command) > 1 else None
        if address is None:
            raise InputError(
                f"Redis (process {self.running.pid}) does not show its address in its title; start "
                "it with a TCP port and without proc-title-template, and with set-proc-title yes"
            )
        name = address["host"].removeprefix("-")
        name = "127.0.0.1" if name in _ANYWHERE else name
        plainly = ["redis-cli", "-h", name, "-p", address["port"]]
        for client in (plainly, [*plainly, "--tls", "--insecure"]):
            ended = self._host.run([*client, "INFO", "server"], ANSWER_S)
            if ended.code == 127:
                raise InputError(
                    "redis-cli, which sets Redis's configuration, is not installed; install it "
                    "first: apt-get install -y --no-install-recommends redis-tools"
                )
            if "process_id:" in ended.output:
                return client, ended.output
            answer = ended.output.strip()
            if not answer.startswith(_NO_ANSWER):
                break
        raise InputError(
            f"Redis does not say where its configuration is: {answer}; if it asks for a password, "
            "give it in the environment: REDISCLI_AUTH=PASSWORD headcount tune ..."
        )

    def _config(self, names: Sequence[str]) -> Mapping[str, str]:
        """The values in force, for the names that this version knows."""
        asked = "\n".join(f"CONFIG GET {name}" for name in names)
        script = 'asked=$1; shift; echo "$asked" | "$@"'
        output = self._host.run(["sh", "-c", script, "sh", asked, *self._client], ANSWER_S).output
        lines = output.splitlines()
        pairs = zip(lines, [*lines[1:], ""], strict=False)
        found = {name: value for name, value in pairs if name in names}
        if not found:
            raise InputError(
                f"Redis refuses CONFIG GET: {output.strip()[:200]}; allow the command CONFIG"
            )
        return found

    @cached_property
    def _text(self) -> str:
        """The main file as first read."""
        text = text_of(self._host, self._main)
        if (objection := self.test()) is not None:
            raise InputError(
                f"Redis refuses its own configuration: {objection}; an include needs a full path"
            )
        return text

    @cached_property
    def _set(self) -> Mapping[str, tuple[str, str]]:
        """The value and file of each name, from all files; the last one of a name counts."""
        return dict(self._read(self._main, self._text))

    def _read(self, path: str, text: str, depth: int = 0) -> Sequence[tuple[str, tuple[str, str]]]:
        found: list[tuple[str, tuple[str, str]]] = []
        for name, value in directives(text):
            found.append((name, (plain(value), path)))
            if name == "include" and depth < MOST_INCLUDES:
                inner = posixpath.join(self.running.directory or "/", plain(value))
                content = self._host.read(inner)
                if content is not None:
                    other = content.decode("utf-8", "surrogateescape")
                    found += self._read(inner, other, depth + 1)
        return found

    def setting(self, knob: Knob) -> Setting:
        """A knob's present value in Redis, and the file that sets it."""
        written, place = self._set.get(knob.name, (None, None))
        known = self._in_force.get(knob.name, written)
        if known is None:
            return Setting(None, is_set=False)
        value = _plain_value(knob, known)
        is_as_written = written is not None and _plain_value(knob, written) == value
        if written is None and value == knob.default:
            return Setting(value, is_set=False)
        return Setting(value, True, place if is_as_written else "CONFIG SET or its command line")

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The main file with the changes at its end, where they count."""
        if not changes:
            return {}
        lines: list[str] = []
        for knob, value in changes.items():
            if knob.apply == "live" and not self._live.get(knob.name):
                raise InputError(
                    f"{knob.name} cannot be changed while Redis runs, because Headcount does not "
                    "know how to put it back; leave it out"
                )
            # `save` adds to the lines before it, unless an empty one clears them.
            lines += ['save ""'] if knob.name == "save" and value != '""' else []
            lines.append(f"{knob.name} {knob.written(value)}")
        return {self._main: as_bytes(appended(self._text, lines))}

    def test(self) -> str | None:
        """Have another Redis read the files, and stop before it does anything else."""
        folder = self.running.directory or "/"
        command = ["env", "-C", folder, self._program, self._main, f"--{END}", "1"]
        ended = self._host.run(command, ANSWER_S)
        if END in ended.output:
            return None
        lines = [line.strip() for line in ended.output.splitlines()]
        return "; ".join(filter(None, lines)) or f"{shlex.join(command)} printed nothing"


def _plain_value(knob: Knob, value: str) -> str:
    """A value in the knob's form: memory in its unit, save points as Redis writes them."""
    if not value and '""' in knob.words:
        return '""'
    amount = re.fullmatch(r"([0-9]+)([kmg]?b?)", value.lower())
    if knob.unit == "mb" and amount:
        sizes = {"": 1, "b": 1, "k": 1000, "kb": 1024, "m": 10**6, "mb": MIB, "g": 10**9}
        return str(int(amount[1]) * sizes.get(amount[2], 1 << 30) // MIB)
    return value
