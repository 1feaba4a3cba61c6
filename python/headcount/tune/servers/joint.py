"""Servers that serve the same users together, such as Dovecot and Postfix, tuned as one."""

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from headcount.tune.knobs.formula import words
from headcount.tune.knobs.knob import Knob
from headcount.tune.servers.server import Running, Server, Setting


class Joint:
    """Some servers as one.

    Attributes:
        servers: The servers; the first is the one that is restarted.
        knobs: Their knobs by the server's name. One whose name another server has, too, is called
            after its server: `postfix default_process_limit`.

    """

    def __init__(self, servers: Sequence[Server], knobs: Mapping[str, Sequence[Knob]]) -> None:
        """`knobs` are those of each server, by its name."""
        self.servers = servers
        self._knobs = knobs
        self.name = " and ".join(one.name for one in servers)
        self.knobs = distinct({one.name: knobs[one.name] for one in servers})
        self._origins: dict[Knob, tuple[Server, Knob]] = {
            renamed: (one, knob)
            for one in servers
            for renamed, knob in zip(self.knobs[one.name], knobs[one.name], strict=True)
        }

    @property
    def running(self) -> Running:
        """The first process of the first server."""
        return self.servers[0].running

    @running.setter
    def running(self, running: Running) -> None:
        self.servers[0].running = running

    @property
    def reload_command(self) -> Sequence[str]:
        """All of them read their files again."""
        commands = (shlex.join(one.reload_command) for one in self.servers)
        return ("sh", "-c", " && ".join(commands))

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        server, origin = self._origins[knob]
        return server.setting(origin)

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The present values that formulas use, by names as the formulas have them."""
        found: dict[str, int] = {}
        for one in self.servers:
            found |= numbers(one, self._knobs[one.name])
        return found

    def edited(self, changes: Mapping[Knob, str]) -> Mapping[str, bytes]:
        """The files of all servers that change."""
        files: dict[str, bytes] = {}
        for one in self.servers:
            own = {
                origin: value
                for knob, value in changes.items()
                for server, origin in [self._origins[knob]]
                if server is one
            }
            files |= one.edited(own) if own else {}
        return files

    def test(self) -> str | None:
        """The first complaint of one of their tests, if any."""
        return next((found for one in self.servers if (found := one.test()) is not None), None)


@dataclass(frozen=True)
class Part:
    """One of the servers, whose knobs are called as the joint server calls them.

    Attributes:
        name: The server's name.
        joint: All of them.

    """

    name: str
    joint: Joint

    def setting(self, knob: Knob) -> Setting:
        """A knob's present setting."""
        return self.joint.setting(knob)


def distinct(knobs: Mapping[str, Sequence[Knob]]) -> Mapping[str, Sequence[Knob]]:
    """The knobs of each server, by its name, under names that no other server's knob has."""
    names = Counter(knob.name for of_one in knobs.values() for knob in of_one)
    return {
        server: [
            knob.model_copy(
                update={"name": knob.name if names[knob.name] == 1 else f"{server} {knob.name}"}
            )
            for knob in of_one
        ]
        for server, of_one in knobs.items()
    }


def numbers(server: Server, knobs: Iterable[Knob]) -> Mapping[str, int]:
    """Present values of knobs that formulas of others use; 1 where a server has no such number."""
    if isinstance(server, Joint):
        return server.numbers
    known = [*knobs]
    used = words(text for knob in known for text in (*knob.formulas, *knob.together.values()))
    values = {
        knob.name: server.setting(knob).value or ""
        for knob in known
        if knob.is_number and knob.name in used
    }
    return {name: int(value) if value.isdigit() else 1 for name, value in values.items()}


def parts(server: Server) -> Sequence[Server]:
    """The servers that a server consists of: itself, or those that are joined."""
    return server.servers if isinstance(server, Joint) else [server]
