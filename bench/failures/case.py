"""A broken server, and what an expert says of it."""

import tomllib
from dataclasses import field
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

PATH = Path(__file__).with_name("cases.toml")


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Case:
    """One row of `cases.toml`.

    Attributes:
        name: What is broken, in a few words.
        server: Which kind of server it is.
        part: Whether it was looked at while the rules were changed.
        says: Patterns that the answer must hold, all of them.
        never: Patterns that it must not hold.
        limited: Whether the server turns users away, so that advice about its limits is right.
        config: nginx: lines of the server block.
        outside: nginx: lines before it.
        reply: raw: the bytes of each answer.
        after_s: raw: how long it waits before it.
        steps: Paths that users ask for.
        method: How they ask.
        body_bytes: What they send; 0 sends a short form.
        settings: postgresql: its configuration.
        before: postgresql: what its owner says before the run.
        statement: postgresql: what users say.

    """

    name: str
    server: Literal["nginx", "raw", "postgresql"]
    part: Literal["develop", "held-out"]
    says: tuple[str, ...]
    never: tuple[str, ...] = ()
    limited: bool = False
    config: str = ""
    outside: str = ""
    reply: str = ""
    after_s: float = 0.0
    steps: tuple[str, ...] = ("/",)
    method: Literal["get", "post"] = "get"
    body_bytes: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    before: str = ""
    statement: str = ""


def cases(path: Path = PATH) -> list[Case]:
    """All of them, in the order of the table."""
    rows = tomllib.loads(path.read_text("utf-8"))["case"]
    return TypeAdapter(list[Case]).validate_python(rows)
