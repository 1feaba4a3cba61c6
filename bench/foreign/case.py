"""A foreign server with one cause that limits it, and what an expert says about it."""

import math
import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

from bench.foreign.address import LOOPBACK

FOLDER = Path(__file__).parent
STRICT = ConfigDict(extra="forbid")
Part = Literal["develop", "held-out", "fresh", "fresh-2"]
TABLES = ("cases.toml", "fresh.toml", "fresh2.toml")
SCHEMES = {"http": "http", "sql": "postgresql", "mail": "imap", "smb": "smb"}
"""Scheme of the target, by the protocol that users speak."""


@dataclass(frozen=True, config=STRICT)
class Component:
    """A server of a case. Texts may hold `<name>`, a strength or the address of another one.

    Attributes:
        kind: Which program: a key of `bench.foreign.servers.KINDS`.
        name: What others call it.
        flags: Options of the application in `programs`.
        options: Options of what runs it: gunicorn, the JVM, Node.
        config: Lines of its configuration: of nginx's server block, HAProxy's backends, ...
        outside, main, frontend: Lines of other parts of it.
        files: Pages as `name=bytes`; `name*` is one for each user.
        settings, before: Settings of a database, and what its owner says before the run.
        php: The PHP-FPM that nginx asks.
        database: The database behind pgbouncer.
        children: PHP-FPM's `pm.max_children`.
        group: Limits of its control group: `cpu` in cores, `memory` in MiB, `read`, `write`
            (bytes/s), `read_ops`, `write_ops` (requests/s), `cpus`, `weight` of a busy CPU.
        cpus: The CPUs it was started on.
        environment: Variables that it is started with.
        files_open: Its limit on descriptors.
        on_disk: Whether its files are on the disk of the case.

    """

    kind: str
    name: str
    flags: str = ""
    options: str = ""
    config: str = ""
    outside: str = ""
    main: str = ""
    frontend: str = ""
    files: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    before: str = ""
    php: str = ""
    database: str = ""
    children: str = "16"
    group: dict[str, str] = field(default_factory=dict)
    cpus: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    files_open: str = ""
    on_disk: bool = False


@dataclass(frozen=True, config=STRICT)
class Answer:
    """What an expert says about a class of causes."""

    limits: tuple[str, ...]
    partly: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@dataclass(frozen=True, config=STRICT)
class Case:
    """A row of one of `TABLES`.

    Attributes:
        name: The server and its cause, in a few words.
        kind: Its class, a key of `classes.toml`.
        part: Whether rules may be changed for it.
        truth: What limits it, in a sentence.
        stack: Its servers, in the order that they are started; the last is the target.
        strength: Ranges that are drawn from.
        size: The strength that the diagnosis should report as its size.
        limits, partly, says, advice, never: Changes of the class's answer.
        lifted: Texts of its servers and what replaces them so that its cause binds no more.
        plain: What plain users do instead: `scheme`, `target`, `asks`, `kib`, `files`, `mail`,
            `settle` (s).
        protocol: What users speak, unless they say a statement to a database.
        steps, headers, keep_alive: What users ask for on the web.
        asks, client, more: The steps of users who speak something else, how they do, and other
            tables of the workload.
        statement, parameters: What they say to a database.
        think_ms: Mean time between their requests.
        level_s: Measured time of each number of users.
        quick: Whether to search with `--quick` instead of playing levels.
        hogs: Other programs that use the CPU.
        generator_cpu: Cores that Headcount may use.
        stop: `every_ms` and `for_ms`: the target is stopped now and then.
        every: `ms` and `statement`: the database's owner says it again and again.
        namespace: `ports` or `mbit`: all is in a network namespace with few ports or a slow link;
            over SSH, its servers are. `delay_ms` (each way) or `loss`: its servers are, and the way
            there is long or loses packets.
        disk: Whether it needs a folder on a disk; its files are not in memory when users come.

    """

    name: str
    kind: str
    part: Part
    truth: str
    stack: tuple[Component, ...]
    strength: dict[str, tuple[int, int] | tuple[float, float]] = field(default_factory=dict)
    size: str = ""
    limits: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    says: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    lifted: dict[str, str] = field(default_factory=dict)
    plain: dict[str, str] = field(default_factory=dict)
    protocol: Literal["http", "mail", "smb"] = "http"
    asks: tuple[dict[str, Any], ...] = ()
    client: dict[str, str] = field(default_factory=dict)
    more: str = ""
    steps: tuple[str, ...] = ("/",)
    headers: str = ""
    keep_alive: bool = True
    statement: str = ""
    parameters: tuple[str, ...] = ()
    think_ms: float = 20.0
    level_s: float = 4.0
    quick: bool = False
    hogs: str = "0"
    generator_cpu: str = ""
    stop: dict[str, str | int] = field(default_factory=dict)
    every: dict[str, str | int] = field(default_factory=dict)
    namespace: dict[str, str] = field(default_factory=dict)
    disk: bool = False

    @property
    def key(self) -> str:
        """The name, fit for a folder."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")

    @property
    def scheme(self) -> str:
        """The scheme of its target."""
        return SCHEMES["sql" if self.statement else self.protocol]

    @property
    def without_cause(self) -> "Case":
        """The case with its cause lifted."""
        found: Case = _replaced(self, self.lifted)
        return found

    @property
    def answer(self) -> Answer:
        """What an expert says about the case."""
        whole = answers()[self.kind]
        return Answer(
            limits=self.limits or whole.limits,
            partly=self.partly or whole.partly,
            says=whole.says + self.says,
            advice=whole.advice + self.advice,
            never=whole.never + self.never,
        )

    def draw(self, seed: int) -> dict[str, str]:
        """Its strengths, as texts; the same for the same seed."""
        chance = random.Random(f"{seed}/{self.name}")
        return {name: _drawn(chance, *ends) for name, ends in self.strength.items()}


def _drawn(chance: random.Random, low: float, high: float) -> str:
    """A figure between two on a logarithmic scale: a whole one where both ends are whole."""
    value = low if low == high else math.exp(chance.uniform(math.log(low), math.log(high)))
    if isinstance(low, int) and isinstance(high, int):
        return str(min(max(round(value), low), high))
    return f"{value:.3g}"


def filled(text: str, values: Mapping[str, str], quote: Callable[[str], str] = str) -> str:
    """A text with its `<name>` replaced; others stay."""
    return re.sub(
        r"<([a-z_]+)>",
        lambda found: quote(values[found[1]]) if found[1] in values else found[0],
        text,
    )


def filled_in(component: Component, values: Mapping[str, str]) -> Component:
    """A component with all its texts filled in."""
    changes: dict[str, Any] = {}
    for name, value in vars(component).items():
        if isinstance(value, str):
            changes[name] = filled(value, values)
        elif isinstance(value, dict):
            changes[name] = {key: filled(text, values) for key, text in value.items()}
    return replace(component, **changes)


def at_host(component: Component, host: str) -> Component:
    """A component whose texts have the address of its servers where they have loopback's."""
    found: Component = _replaced(component, {LOOPBACK: host})
    return found


def _replaced(what: Any, texts: Mapping[str, str]) -> Any:
    """A value with some texts replaced by others, wherever they are in it."""
    if isinstance(what, str):
        for old, new in texts.items():
            what = what.replace(old, new)
        return what
    if isinstance(what, tuple):
        return tuple(_replaced(one, texts) for one in what)
    if isinstance(what, dict):
        return {key: _replaced(one, texts) for key, one in what.items()}
    if isinstance(what, Case | Component):
        changes = {key: _replaced(one, texts) for key, one in vars(what).items() if key != "lifted"}
        return replace(what, **changes)
    return what


def cases() -> list[Case]:
    """All of them, in the order of the tables."""
    tables = [tomllib.loads((FOLDER / name).read_text("utf-8")) for name in TABLES]
    rows = [row for table in tables for row in table["case"]]
    renamed = [{"kind": row.pop("class"), **row} for row in rows]
    return TypeAdapter(list[Case]).validate_python(renamed)


def answers() -> dict[str, Answer]:
    """The answers of all classes."""
    table = tomllib.loads((FOLDER / "classes.toml").read_text("utf-8"))["class"]
    return TypeAdapter(dict[str, Answer]).validate_python(table)
