"""What is tuned: a lab server with its users, and in a case a fault that settings undo."""

import itertools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path
from random import Random

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from headcount.tune.change import Configuration
from headcount.tune.knobs.knob import Knob
from headcount.tune.knobs.library import of_server
from headcount.tune.processes.processes import NAME as PROCESS
from headcount.tune.servers.joint import distinct

FOLDER = Path(__file__).parent
STRICT = ConfigDict(extra="forbid")
KNOBS_OF = {"mail": ("dovecot", "postfix")}
"""Whose knobs a lab server has, where that is not its name."""


def knobs_of(server: str) -> Sequence[Knob]:
    """The knobs of a lab server, as a tuning of it calls them."""
    names = KNOBS_OF.get(server, (server,))
    found = distinct({name: of_server(name).knob for name in names})
    return [knob for of_one in found.values() for knob in of_one]


@dataclass(frozen=True, config=STRICT)
class Server:
    """A lab server and what its users do.

    Attributes:
        name: What it is, in a few words.
        server: Which server of the lab it is.
        workload: A workload's name, or a file of `workloads`.
        scale: Size of the data set; None for the workload's own.
        settings: As `--set` gives them.
        limits: As `--limit` gives them.
        client: As `--client` gives them.
        knobs: The only ones to try; all that matter where it is empty.
        allow: Knobs that may be changed although they are set, or a risk.

    """

    name: str
    server: str
    workload: str
    scale: float | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    limits: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    knobs: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()

    @property
    def target(self) -> str:
        """As the command line has it."""
        return f"lab:{self.server}"

    @property
    def played(self) -> str:
        """The workload as the command line has it."""
        is_own = self.workload.endswith(".toml")
        return str(FOLDER / "workloads" / self.workload) if is_own else self.workload

    def knob(self, name: str) -> Knob:
        """One of its knobs; raises StopIteration where there is none of this name."""
        known = (*knobs_of(self.server), *of_server(PROCESS).knob)
        return next(one for one in known if one.name == name)

    def configuration(self, changes: Mapping[str, str], origin: str = "kept") -> Configuration:
        """Changes by the names of knobs as the tuner has them."""
        return Configuration({self.knob(name): value for name, value in changes.items()}, origin)


@dataclass(frozen=True, config=STRICT)
class Case:
    """A fault: a row of `cases.toml`, which says what the fields are.

    `strength` has the values to draw from, by the names that `settings` and `limits` use.
    """

    name: str
    server: str
    workload: str
    strength: Mapping[str, tuple[str, ...]]
    settings: Mapping[str, str]
    undo: tuple[str, ...]
    grid: Mapping[str, tuple[str, ...]]
    allow: tuple[str, ...] = ()
    limits: Mapping[str, str] = field(default_factory=dict)
    client: Mapping[str, str] = field(default_factory=dict)
    scale: float | None = None
    held_out: bool = False

    def drawn(self, seed: int) -> Mapping[str, str]:
        """The strength of the fault with a seed; cases draw apart from each other."""
        random = Random(f"{self.name} {seed}")
        return {name: random.choice(values) for name, values in self.strength.items()}

    def planted(self, seed: int) -> Server:
        """The server with its fault."""
        drawn = self.drawn(seed)
        return Server(
            name=self.name,
            server=self.server,
            workload=self.workload,
            scale=self.scale,
            settings=_filled(self.settings, drawn),
            limits=_filled(self.limits, drawn),
            client=self.client,
            allow=self.allow,
        )

    def all_of_grid(self) -> Sequence[Mapping[str, str]]:
        """All combinations of the grid, each knob also as it was planted; one changes nothing."""
        values = [[None, *values] for values in self.grid.values()]
        return [
            {name: value for name, value in zip(self.grid, row, strict=True) if value is not None}
            for row in itertools.product(*values)
        ]


def _filled(texts: Mapping[str, str], drawn: Mapping[str, str]) -> Mapping[str, str]:
    """Texts with what was drawn instead of `<name>`."""
    found = dict(texts)
    for name, value in drawn.items():
        found = {key: text.replace(f"<{name}>", value) for key, text in found.items()}
    return found


def cases() -> list[Case]:
    """All faults, in the order of the table."""
    text = (FOLDER / "cases.toml").read_text("utf-8")
    return TypeAdapter(list[Case]).validate_python(tomllib.loads(text)["case"])


def servers(table: str) -> list[Server]:
    """The rows of `equal` or `stock`."""
    text = (FOLDER / f"{table}.toml").read_text("utf-8")
    return TypeAdapter(list[Server]).validate_python(tomllib.loads(text)["server"])
