"""What the controller needs of a protocol beside playing it: who answers, and the data set."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from headcount import _engine
from headcount.counters.app import AppSource
from headcount.counters.source import Source
from headcount.errors import InputError
from headcount.plan.plan import Plan

Told = Callable[[int, int], None]
"""Told how much of the data set is ready: users done, users asked for."""

BLOCK = 4096
"""The smallest data set there is; of a workload without one, no step can read or write it."""


@dataclass(frozen=True)
class Secrets:
    """What must not reach a bundle, a log or an error message; never printed."""

    token: str | None = field(default=None, repr=False)


def secrets_from(token_file: Path | None) -> Secrets:
    """The secrets of the environment (`HEADCOUNT_TOKEN`) or a file."""
    if token_file is None:
        return Secrets(os.environ.get("HEADCOUNT_TOKEN") or None)
    try:
        return Secrets(token_file.read_text("utf-8").strip())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"the token file {token_file} cannot be read: {error}") from error


class Access(Protocol):
    """One target of one protocol."""

    programs: Mapping[str, str]
    settings: Mapping[str, str]

    def prepare(self, users: int, told: Told, *, verify: bool = False) -> None:
        """Make the data of the first `users` users, or make sure it is there."""
        ...

    def check(self) -> None:
        """Raises TargetError when the target does not answer any more."""
        ...

    def cleanup(self) -> str:
        """Delete the data set and nothing else; returns a sentence."""
        ...

    def engine_target(self) -> str:
        """The target as the engine reads it (JSON)."""
        ...

    def source(self) -> Source | None:
        """What the server says of itself, if it does."""
        ...


class AppAccess:
    """An application server."""

    def __init__(self, plan: Plan, address: str, secrets: Secrets) -> None:
        """Say hello; raises TargetError when nobody, or somebody else, answers."""
        self._plan = plan
        self._address = address
        self._token = secrets.token
        self._ready = 0
        hello = json.loads(_engine.app_hello(address, self._token))
        self.pid = int(hello["pid"])
        self.programs: Mapping[str, str] = {"headcount application server": hello["version"]}
        self.settings: Mapping[str, str] = {
            "processors": str(hello["processors"]),
            "service threads at most": str(hello["threads"]),
            "write mode": hello["write_mode"],
        }

    def prepare(self, users: int, told: Told, *, verify: bool = False) -> None:
        """Make the users' files; those made before are only looked at, or read with `verify`."""
        if self._plan.workload.data is None or (users <= self._ready and not verify):
            return

        def progress(text: str) -> None:
            told(first + json.loads(text)["files_done"], users)

        first = 0 if verify else self._ready
        plan = self._plan
        _engine.app_prepare(
            self._address,
            first,
            users - 1,
            plan.file_bytes,
            plan.range_bytes,
            plan.seed,
            progress,
            verify,
            self._token,
        )
        self._ready = users

    def check(self) -> None:
        """Say hello again."""
        _engine.app_hello(self._address, self._token)

    def cleanup(self) -> str:
        """Delete the data set."""
        cleaned = json.loads(_engine.app_cleanup(self._address, self._token))
        return f"deleted {cleaned['files']:,} files, {cleaned['bytes'] / 1e6:,.1f} MB"

    def engine_target(self) -> str:
        """Address, shape of the data set and token."""
        return json.dumps(
            {
                "address": self._address,
                "file_bytes": self._plan.file_bytes or BLOCK,
                "range_bytes": self._plan.range_bytes or BLOCK,
                "seed": self._plan.seed,
                "token": self._token,
            }
        )

    def source(self) -> Source:
        """Its threads and queue."""
        return AppSource(self._address, self._token)
