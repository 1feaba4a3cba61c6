"""What users play in order instead of drawing it: a load file, or a program of Headcount's own."""

import hashlib
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from headcount.errors import InputError
from headcount.fields.model import Strict
from headcount.foreign.file import opened

MOST_BYTES = 1 << 30
"""Largest load file; that of dbench has 25 MB."""


class Program(Strict):
    """A program; its operations are turns of the scenarios of their names."""

    kind: Literal["disk-mix", "load-file"]
    path: str | None = Field(default=None, description="Path of the load file")
    sha256: str | None = Field(
        default=None, pattern="^[0-9a-f]{64}$", description="Hash of the load file"
    )
    ignore_times: bool = Field(default=False, description="Whether to ignore time stamps")

    @model_validator(mode="after")
    def _complete(self) -> "Program":
        if (self.path is None) != (self.sha256 is None):
            raise ValueError("give both path and sha256 of a load file, or neither")
        if self.kind == "disk-mix" and (self.path is not None or self.ignore_times):
            raise ValueError('path and ignore_times are for the kind "load-file"')
        return self

    @property
    def needs_file(self) -> bool:
        """Whether it is a load file that is not named yet."""
        return self.kind == "load-file" and self.path is None

    @property
    def text(self) -> str:
        """Which program it is, for people."""
        if self.kind == "disk-mix":
            return "Headcount's disk mix"
        if self.path is None:
            return "a load file of dbench (--loadfile)"
        return f"the load file {self.path} (sha256 {self.sha256})"

    def engine_form(self) -> dict[str, Any]:
        """The source of the program as the engine reads it."""
        if self.kind == "disk-mix":
            return {"kind": "disk-mix"}
        return {"kind": "load-file", "path": self.path, "ignores_times": self.ignore_times}


def sha256_of(path: str) -> str:
    """The hash of a load file; raises InputError if it cannot be read."""
    try:
        with opened(Path(path)) as file:
            if os.fstat(file.fileno()).st_size > MOST_BYTES:
                raise InputError(f"the load file {path} has more than {MOST_BYTES:,} bytes")
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"the load file {path} cannot be read: {error.strerror}") from error


def check_load_file(program: Program | None) -> None:
    """Refuse a load file that is not named, or that has changed since it was planned."""
    if program is None or program.kind != "load-file":
        return
    if program.path is None:
        raise InputError(
            "no load file: give --loadfile FILE with a load file of dbench, such as "
            "/usr/share/dbench/client.txt from Debian's package dbench"
        )
    if sha256_of(program.path) != program.sha256:
        raise InputError(
            f"the load file {program.path} has changed since this run was planned; restore the old "
            "one, or start a new run with --loadfile"
        )


class LoadFile(Strict):
    """A load file of the command line, read once.

    Attributes:
        program: Where it is, and its hash.
        operations: How many of each kind are in it.

    """

    program: Program
    operations: dict[str, int]
