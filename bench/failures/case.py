"""A broken server, and what an expert says about it."""

import re
import tomllib
from dataclasses import field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, TypeAdapter
from pydantic.dataclasses import dataclass

PASSWORD = "only-a-test"  # noqa: S105 - of servers that live for a minute
"""The password that users give."""
FOLDER = Path(__file__).parent
"""The folder of the tables."""


def _checked(pattern: str) -> str:
    re.compile(pattern)
    return pattern


Words = Annotated[str, AfterValidator(_checked)]
"""A pattern, which is validated before the first run, not after it."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid"))
class Case:
    """One row of a table.

    Attributes:
        name: What is broken, in a few words.
        server: Which kind of server it is.
        part: Whether it was used while the rules were changed.
        says: Patterns that the answer must hold, all of them.
        never: Patterns that it must not hold.
        codes: What `headcount run` may exit with; empty: anything but a defect.
        limited: Whether the server turns users away, so that advice about its limits is right.
        config: nginx: lines of the server block; samba: of the share; mail: of Dovecot.
        outside: nginx: lines before it; samba: of all shares; mail: of Postfix.
        certificate: nginx: what it shows, if it speaks TLS.
        scheme: nginx: how its address begins.
        trusted: nginx: whether the user trusts the authority that signed it.
        share: samba: the share that the user asks for; the server has `files`.
        owner: samba: whose the shared folder is.
        mode: samba: who may do what with it.
        size: samba: that of the file system that it is on, as of tmpfs(5); none: this machine's.
        password: samba and mail: the one that the server knows.
        files: mail: files that its configuration names, by name.
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
    server: Literal["nginx", "raw", "postgresql", "samba", "mail"]
    part: Literal["develop", "held-out"]
    says: tuple[Words, ...]
    never: tuple[Words, ...] = ()
    codes: tuple[int, ...] = ()
    limited: bool = False
    config: str = ""
    outside: str = ""
    certificate: Literal["", "self-signed", "good", "expired", "other-name"] = ""
    scheme: str = "http"
    trusted: bool = False
    share: str = "files"
    owner: Literal["user", "root"] = "user"
    mode: str = "0755"
    size: str = ""
    password: str = PASSWORD
    files: dict[str, str] = field(default_factory=dict)
    reply: str = ""
    after_s: float = 0.0
    steps: tuple[str, ...] = ("/",)
    method: Literal["get", "post"] = "get"
    body_bytes: int = 0
    settings: dict[str, str] = field(default_factory=dict)
    before: str = ""
    statement: str = ""


def cases(folder: Path = FOLDER) -> list[Case]:
    """All of them, in the order of the tables."""
    tables = [tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("cases*.toml"))]
    rows = [row for table in tables for row in table["case"]]
    return TypeAdapter(list[Case]).validate_python(rows)
