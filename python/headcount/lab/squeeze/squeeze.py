"""The share of the machine that the server and the load generator of a run get."""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from headcount.errors import SystemLimitError
from headcount.lab.port import listening_on
from headcount.lab.squeeze import device, group, hierarchy, link
from headcount.lab.squeeze.delay_line import Line
from headcount.lab.squeeze.group import Group
from headcount.lab.squeeze.limits import NONE, Limits
from headcount.lab.squeeze.link import UsersLine

JANITOR_S = 10.0
"""Longest wait for the janitor, who has nothing left to do."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a run gets; None is no limit.

    Attributes:
        server: Limits of the server's processes.
        generator: Limits of Headcount itself, while it generates load.
        network_bits_s: Bits/s of the network between them, in each direction.
        line: How far apart they are; None if nothing delays packets.
        lines: Those of groups of users; network and line then apply to the others.
        network: Whether the run gets a network of its own even without a limit.

    """

    server: Limits = NONE
    generator: Limits = NONE
    network_bits_s: int | None = None
    line: Line | None = None
    lines: tuple[UsersLine, ...] = ()
    network: bool = False

    @property
    def is_link(self) -> bool:
        """Whether it needs a network of the run's own."""
        limits = self.network_bits_s is not None or self.line is not None
        return self.network or limits or bool(self.lines)


class Squeeze:
    """The groups and the network of a run.

    Attributes:
        server: The group of the server; None if groups are not possible and none is needed.
        generator: The group of the generator; None unless it is limited.
        link: The network between them; None unless it is wanted.

    """

    def __init__(self, wanted: Wanted, needed: frozenset[str] = frozenset()) -> None:
        """Make what is wanted; raises SystemLimitError if that is not possible.

        If possible, the server gets a group even if nothing is limited, for its counters. `needed`
        are controllers that later limits will need.
        """
        self.wanted = wanted
        self._parts = ExitStack()
        self._device: str | None = None
        self._enforced = False
        self._data: Path | None = None
        self._janitor: subprocess.Popen[bytes] | None = None
        self.server: Group | None = None
        self.generator: Group | None = None
        self.link: link.Link | None = None
        where = hierarchy.find()
        try:
            group.sweep(where)
            needed |= wanted.server.controllers
            try:
                self.server = self._group("server", where, needed)
            except SystemLimitError:
                if needed:
                    raise
            if wanted.generator.controllers:
                self.generator = self._group("generator", where, wanted.generator.controllers)
            if wanted.is_link:
                link.sweep()
                self.link = link.Link(wanted.line, wanted.lines)
                self._parts.callback(self.link.close)
                self.link.limit(wanted.network_bits_s)
            self._start_janitor()
        except BaseException:
            self.close()
            raise

    def _group(self, purpose: str, where: hierarchy.Hierarchies, needed: frozenset[str]) -> Group:
        made = group.make(purpose, where, needed)
        self._parts.callback(made.remove)
        return made

    def _start_janitor(self) -> None:
        groups = [one for one in (self.server, self.generator) if one is not None]
        words = [f"--group={folder}" for one in groups for folder in one.folders]
        if self.link is not None:
            words += ["--network", self.link.name, self.link.device]
        if not words:
            return
        self._janitor = subprocess.Popen(
            [sys.executable, "-m", "headcount.lab.squeeze.janitor", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    @contextlib.contextmanager
    def starting(self) -> Iterator[None]:
        """Make servers that start within the block listen where the run's network reaches them."""
        with listening_on(self.link.address) if self.link else contextlib.nullcontext():
            yield

    def hold(self, pids: Iterable[int], data: Path) -> None:
        """Put a server that has started into its group; `enforce` sets its limits.

        `data` is where its data is, whose disk is limited. Raises SystemLimitError, but only if
        limits are wanted.
        """
        if self.server is None:
            return
        self._data = data
        try:
            self.server.add(pids)
        except SystemLimitError:
            if self.wanted.server.controllers:
                raise

    @property
    def is_enforced(self) -> bool:
        """Whether the wanted limits of the server are in force; true if there are none."""
        return self._enforced or not self.wanted.server.controllers

    def enforce(self) -> None:
        """Put the wanted limits of the server into force; raises SystemLimitError."""
        self._enforced = True
        self.limit(self.wanted.server)

    def limit(self, limits: Limits) -> None:
        """Change the server's limits, even while it works; raises SystemLimitError."""
        if self.server is None or self._data is None:
            raise SystemLimitError(
                "the server has no control group of its own, so it cannot be limited"
            )
        if "io" in limits.controllers and self._device is None:
            self._device = device.device_of(self._data)
        self.server.limit(limits, self._device)

    def change(self, wanted: Wanted) -> None:
        """Give both sides and the network other limits of the same kinds while they work.

        Raises SystemLimitError, also for what was not limited from the start.
        """
        if (
            wanted.is_link != (self.link is not None)
            or (wanted.line, wanted.lines) != (self.wanted.line, self.wanted.lines)
            or (wanted.generator.controllers and self.generator is None)
        ):
            raise SystemLimitError("only what was limited from the start can be limited later")
        if wanted.server != self.wanted.server:
            self.limit(wanted.server)
        if self.generator is not None:
            self.generator.limit(wanted.generator)
        if self.link is not None:
            self.link.limit(wanted.network_bits_s)
        self.wanted = wanted

    @contextlib.contextmanager
    def generating(self) -> Iterator[None]:
        """Put threads that start within the block into the generator's group and network."""
        if self.generator is not None:
            self.generator.limit(self.wanted.generator)
            self.generator.add_one(os.getpid())
        with self.link.inside() if self.link else contextlib.nullcontext():
            yield

    def close(self) -> None:
        """Undo all of it; safe to call twice. The server must have been stopped."""
        if self.generator is not None:
            with contextlib.suppress(SystemLimitError):
                self.generator.release(os.getpid())
        self._parts.close()
        if self._janitor is not None:
            self._janitor.communicate(timeout=JANITOR_S)
            self._janitor = None
