"""The interface of a server that can be tuned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from headcount.errors import InputError, TargetError
from headcount.tune.host import Host
from headcount.tune.knobs.knob import Knob


@dataclass(frozen=True, slots=True)
class Running:
    """A server's first process.

    Attributes:
        pid: Its number.
        started: When it began, in clock ticks since boot: with the pid it identifies one process
            for good.
        command: Its command line.
        directory: Where it runs.
        environment: The one it was started with.

    """

    pid: int
    started: int
    command: Sequence[str]
    directory: str
    environment: Mapping[str, str]


COMMAND_LINE, ENVIRONMENT = "the command line", "GUNICORN_CMD_ARGS"
"""Places of settings that no file can change."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A knob's present setting.

    Attributes:
        value: Its value in force, without the unit; None where this server has no such setting.
        is_set: Whether the configuration says so; else it is the program's default.
        place: Which file says so, or `COMMAND_LINE`.

    """

    value: str | None
    is_set: bool
    place: str | None = None


class Server(Protocol):
    """A running server with its configuration."""

    name: str
    """As its knobs call it: `nginx`."""
    running: Running
    """Its first process; another one after a restart."""

    @property
    def reload_command(self) -> Sequence[str]:
        """What makes the running server read its configuration again."""
        ...

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting; raises InputError if the configuration cannot be read."""
        ...

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files that change, with their new content. Nothing is written."""
        ...

    def test(self) -> str | None:
        """What the server's own test objects to in the configuration on disk; None if nothing."""
        ...


def text_of(host: Host, path: str) -> str:
    """A configuration file; raises InputError where there is none."""
    content = host.read(path)
    if content is None:
        raise InputError(f"there is no file {path}, which the server was started with")
    return content.decode("utf-8", "surrogateescape")


def as_bytes(text: str) -> bytes:
    """A text as bytes to write; parts that were not changed are the bytes that were read."""
    return text.encode("utf-8", "surrogateescape")


def option(command: Sequence[str], name: str) -> str | None:
    """The value of an option of a command line, as `-c FILE`, `-cFILE` or `--name=VALUE`."""
    for at, word in enumerate(command):
        if word == name and at + 1 < len(command):
            return command[at + 1]
        if name.startswith("--") and word.startswith(f"{name}="):
            return word[len(name) + 1 :]
        if len(name) == 2 and word.startswith(name) and len(word) > 2 and word[2] != "-":
            return word[2:]
    return None


def signalled(running: Running, name: str = "HUP") -> Sequence[str]:
    """The command that sends a server a signal."""
    return ("kill", f"-{name}", str(running.pid))


def executable(host: Host, pid: int) -> str:
    """The path of a process's program, or of its replacement if it was upgraded meanwhile.

    Empty where the process has gone, or belongs to another user.
    """
    ended = host.run(["readlink", f"/proc/{pid}/exe"])
    return ended.output.strip().removesuffix(" (deleted)") if ended.code == 0 else ""


def read_process(host: Host, pid: int) -> Running:
    """A process as it runs; raises TargetError where it has gone or may not be read."""
    stat = host.read(f"/proc/{pid}/stat")
    command = host.read(f"/proc/{pid}/cmdline")
    if stat is None or not command:
        raise TargetError(f"the server's process {pid} has gone")
    environment = host.read(f"/proc/{pid}/environ") or b""
    # Servers that change their title put all of it into the first word.
    words = command.rstrip(b"\0 ").decode(errors="replace").split("\0")
    return Running(
        pid=pid,
        started=int(stat[stat.rindex(b")") + 2 :].split()[19]),
        command=words if len(words) > 1 else words[0].split(),
        directory=host.run(["readlink", f"/proc/{pid}/cwd"]).output.strip(),
        environment=dict(
            word.split("=", 1)
            for word in environment.decode(errors="replace").split("\0")
            if "=" in word
        ),
    )
